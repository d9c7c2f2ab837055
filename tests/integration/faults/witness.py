"""A real Prometheus behind something that lies: every question is passed on, and the answer may be tampered with."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable

from tests.hostile import Request

CLOCK = "vector(time())"


class Witness:
    """`lie(query, answer)`: the answer to give, or None for the true one. While `down`, connections are cut."""

    def __init__(self, url: str) -> None:
        self.true_url, self.down = url, False
        self.lie: Callable[[str, tuple[int, dict, bytes]], object] = lambda query, answer: None

    def __call__(self, request: Request, number: int) -> object:
        if self.down:
            return lambda handler: handler.connection.close()
        answer = self.truth(request)
        return self.lie(request.form.get("query", ""), answer) or answer

    def truth(self, request: Request) -> tuple[int, dict, bytes]:
        form = urllib.parse.urlencode(request.form).encode()
        try:
            with urllib.request.urlopen(self.true_url + request.path, data=form, timeout=20) as answer:
                return answer.status, {"Content-Type": "application/json"}, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, {}, error.read()


def drip(handler) -> None:
    """One byte at a time, for ever."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while True:
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.2)


def changed(answer: tuple[int, dict, bytes], change: Callable[[dict], None]) -> tuple[int, dict, bytes]:
    """The answer with its JSON changed in place."""
    body = json.loads(answer[2])
    change(body)
    return answer[0], answer[1], json.dumps(body).encode()
