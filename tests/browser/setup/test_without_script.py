"""The same way in without a script: plain requests, a real worker on the embedded broker, and the refresh link in place of polling."""

import re
import time

import requests

from .conftest import PASSWORD


class Reader:
    """A browser that runs no script."""

    def __init__(self, address: str) -> None:
        self.address, self.session, self.page = address, requests.Session(), None

    def get(self, path: str) -> str:
        self.page = self.session.get(self.address + path, timeout=30)
        return self.page.text

    def post(self, path: str, **fields: str) -> str:
        token = re.search(r'name="csrfmiddlewaretoken" value="(.+?)"', self.page.text)[1]
        self.page = self.session.post(self.address + path, data={"csrfmiddlewaretoken": token} | fields, timeout=30)
        return self.page.text

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.address)


def test_a_source_is_examined_and_collected(installation, recent_prometheus) -> None:
    installation.start_worker()
    reader = Reader(installation.url)
    with reader.session:
        reader.get("/login/")
        assert "Connect a cluster" in reader.post("/login/", login="ada", password=PASSWORD, next="/")
        reader.get("/setup/")
        reader.post("/setup/", url=recent_prometheus, match="cluster=plain")
        assert re.fullmatch(r"/setup/trial/\d+", reader.path)
        assert "It knows <b>4 GPUs</b> on <b>1 node</b>" in refreshed(reader, until="It knows")
        text = reader.post(reader.path, do="connect", name="eks", timezone="UTC", currency="EUR")
        assert reader.path == "/setup/collecting/eks" and ">Refresh</a>" in refreshed(reader, until="complete"), text


def refreshed(reader: Reader, *, until: str, seconds: float = 90) -> str:
    deadline = time.monotonic() + seconds
    while until not in (text := reader.get(reader.path)):
        assert time.monotonic() < deadline, text
        time.sleep(0.5)
    return text
