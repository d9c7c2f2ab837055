"""One guarded HTTP exchange: no redirects, no proxies, bounded time, bounded bytes.

All errors raised here say what happened and the cure; the caller adds address and query.
"""

import http.client
import threading
from http.cookiejar import DefaultCookiePolicy

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util.retry import Retry

from ingest.sources import Passing, SourceError, TooMuch
from ingest.sources.addresses import Forbidden, refuse, refuse_host
from ingest.sources.bodies import Answer, read

CONNECT_SECONDS = 5.0
AT_ONCE = 16  # connections kept to one address
NEVER = Retry(0, read=False)
TRANSPORT = (requests.RequestException, HTTPError, http.client.HTTPException, OSError)

current = threading.local()


class Watch:
    """Cuts the connection after `seconds`.

    Socket timeouts start anew with every byte, so a server that drips bytes could hold us for days.
    """

    def __init__(self, seconds: float):
        self.fired = False
        self.socket = None
        self.timer = threading.Timer(max(seconds, 0.001), self.fire)
        self.timer.daemon = True

    def __enter__(self) -> "Watch":
        current.watch = self
        self.timer.start()
        return self

    def __exit__(self, *_) -> None:
        self.timer.cancel()
        current.watch = None

    def guard(self, socket) -> None:
        self.socket = socket
        if self.fired:
            self.fire()

    def fire(self) -> None:
        self.fired = True
        try:
            if self.socket is not None:
                self.socket.shutdown(2)
        except OSError:
            pass  # closed in the meantime: nothing is left to cut


class Watched:
    """Shows its socket to the watch of this thread, before the first byte is read; connects to no forbidden address."""

    def _new_conn(self):
        refuse_host(self._dns_host, self.port)
        found = super()._new_conn()
        try:
            # A name may resolve otherwise a moment later: what counts is where the socket leads.
            refuse(found.getpeername()[0])
        except Forbidden:
            found.close()
            raise
        return found

    def getresponse(self, *args, **kwargs):
        watch = getattr(current, "watch", None)
        if watch is not None:
            watch.guard(self.sock)
        return super().getresponse(*args, **kwargs)


class WatchedHTTP(Watched, HTTPConnection):
    pass


class WatchedHTTPS(Watched, HTTPSConnection):
    pass


class PoolHTTP(HTTPConnectionPool):
    ConnectionCls = WatchedHTTP


class PoolHTTPS(HTTPSConnectionPool):
    ConnectionCls = WatchedHTTPS


class Adapter(HTTPAdapter):
    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": PoolHTTP, "https": PoolHTTPS}


class Session(requests.Session):
    """Takes nothing from the environment, keeps no cookies, follows no redirects, whoever calls it."""

    def __init__(self, *, ca_file: str | None):
        super().__init__()
        self.trust_env = False
        self.verify = ca_file or True
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.guard()

    def guard(self) -> None:
        """Mount the watched adapter in place of whatever is mounted."""
        self.adapters.clear()
        for scheme in ("http://", "https://"):
            self.mount(scheme, Adapter(max_retries=NEVER, pool_maxsize=AT_ONCE))

    def request(self, method, url, **options):
        return super().request(method, url, **(options | {"allow_redirects": False}))


def post(session: Session, url: str, form: dict, *, headers: dict, auth, timeout: float, deadline: float, max_bytes: int) -> Answer:
    """POST the form once; `timeout` (seconds) bounds each silence, `deadline` (seconds) the whole exchange.

    Passing for transport faults, TooMuch for silence or a body above `max_bytes`, else SourceError.
    """
    waits = (min(CONNECT_SECONDS, timeout), timeout)
    with Watch(deadline) as watch:
        try:
            response = session.post(url, data=form, headers=headers, auth=auth, timeout=waits, stream=True)
            answer = read(response, max_bytes)
        except TRANSPORT as error:
            raise late(deadline) if watch.fired else fault(error, timeout) from None
    # A body without a length ends where the watch cut it, and looks complete.
    if watch.fired:
        raise late(deadline)
    return answer


def late(deadline: float) -> SourceError:
    return SourceError(f"the answer was not complete after {deadline:.3g} s; check the server and the network, or raise the timeout")


def fault(error: Exception, timeout: float) -> SourceError:
    """What a transport error means for the user, and whether another try can help."""
    if isinstance(error, requests.exceptions.SSLError):
        return SourceError(f"TLS failed: {cause(error)}; check the certificate, or name its authority in ca_file")
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Passing(f"no connection within {min(CONNECT_SECONDS, timeout):.3g} s; check the address and the network policy")
    # A second try of a query too heavy for the server only adds to its load; a smaller one may pass.
    if isinstance(error, requests.exceptions.ReadTimeout):
        return TooMuch(f"no answer within {timeout:.3g} s; raise the timeout or cut the window")
    if isinstance(error, requests.exceptions.ConnectionError):
        return Passing(f"connection failed: {cause(error)}; check that the server runs and the address is right")
    # Everything on the way is wrapped by the client: a bare error is about an argument, such as a missing ca_file.
    if isinstance(error, ValueError) or not isinstance(error, requests.RequestException | HTTPError):
        return SourceError(f"the request cannot be sent: {error}; check the address, the headers and ca_file")
    return Passing(f"the answer broke off: {cause(error)}; check the server and the proxies in between")


def cause(error: Exception) -> str:
    """The innermost reason, without the layers of the client around it."""
    reason = error.args[0] if error.args else error
    reason = getattr(reason, "reason", reason)
    return str(reason).rpartition("): ")[2] or type(error).__name__


def get(session: Session, url: str, *, timeout: float, max_bytes: int) -> bytes:
    """The body of a page fetched once, whole within `timeout` seconds; SourceError for anything else than a 200."""
    with Watch(timeout) as watch:
        try:
            response = session.get(url, headers={"Accept": "text/plain", "Accept-Encoding": "gzip"}, timeout=(CONNECT_SECONDS, timeout), stream=True)
            answer = read(response, max_bytes)
        except TRANSPORT as error:
            raise late(timeout) if watch.fired else fault(error, timeout) from None
    if watch.fired:
        raise late(timeout)
    if answer.status != 200:
        raise SourceError(f"answered {answer.status}; check the address and what stands before it")
    return answer.body
