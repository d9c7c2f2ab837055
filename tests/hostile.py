"""A query API on loopback that answers however a test wants, lies and truncations included."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Request:
    """One request as it came: path, headers (lower-case names), query string and form (first value of each field)."""

    def __init__(self, handler: BaseHTTPRequestHandler):
        split = urlsplit(handler.path)
        self.method, self.path, self.query_string = handler.command, split.path, split.query
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(self.headers.get("content-length", 0)))
        self.form = {name: values[0] for name, values in parse_qs(body.decode()).items()}


class Hostile:
    """Runs `behave(request, number)`: it returns (status, headers, body) or a callable that gets the bare handler."""

    def __init__(self, behave: Callable):
        self.behave, self.requests = behave, []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def handler(self) -> type[BaseHTTPRequestHandler]:
        hostile = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                try:
                    hostile.answer(self)
                except OSError:
                    self.close_connection = True  # the client had enough, which is what most tests want

            do_GET = do_POST

            def log_message(self, *_):
                pass

        return Handler

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = Request(handler)
        with self.lock:
            self.requests.append(request)
            number = len(self.requests)
        answer = self.behave(request, number)
        if callable(answer):
            answer(handler)
        else:
            send(handler, *answer)


def send(handler: BaseHTTPRequestHandler, status: int, headers: dict, body: bytes) -> None:
    handler.send_response(status)
    for name, value in ({"Content-Length": str(len(body))} | headers).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def hostile(behave: Callable) -> Iterator[Hostile]:
    """The server in a thread, stopped afterwards; `server.url` is where, `server.requests` what came."""
    running = Hostile(behave)
    thread = threading.Thread(target=running.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.server.shutdown()
        running.server.server_close()
        thread.join()


def success(kind: str, result: list, **more) -> tuple[int, dict, bytes]:
    """A well-formed answer of resultType `kind`."""
    body = {"status": "success", "data": {"resultType": kind, "result": result}} | more
    return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()


def failure(status: int, kind: str, text: str, **headers: str) -> tuple[int, dict, bytes]:
    """An error as the query API words it."""
    return status, headers, json.dumps({"status": "error", "errorType": kind, "error": text}).encode()
