"""Prometheus, and what speaks its query API (Thanos, Mimir, VictoriaMetrics), as a source of samples."""

import logging
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

import numpy as np
from prometheus_api_client.prometheus_connect import PrometheusConnect

from ingest.catalogue import QUERIES, Query
from ingest.sources import Samples, Skewed, SourceError, Spent, TooMuch
from ingest.sources.counts import COUNTED, Counts, question, refuse_fewer
from ingest.sources.credentials import plain, secrets, sent
from ingest.sources.decode import Tally, decode, one_line, verdict
from ingest.sources.patience import pause_after
from ingest.sources.promql import expression_of, seconds, selector, step_of
from ingest.sources.transport import NEVER, Session, post

T = TypeVar("T")

PATIENT = 4
QUERY_SHOWN = 200
SKEW_SECONDS, SKEW_TOLD = 60.0, 5.0
SMALLEST_SECONDS = 60.0
MONTH_HOURS = 720
LOG = logging.getLogger(__name__)
# Thanos: fail rather than leave stores out, and merge replicas. VictoriaMetrics: with a cache it moves the
# evaluation times onto multiples of the step. Prometheus ignores all three.
ALWAYS = {"partial_response": "false", "dedup": "true", "nocache": "1"}


class PrometheusSource(PrometheusConnect):
    """A Source over the Prometheus query API.

    `url` holds no credentials; `match` (label -> value) is for the callers who build selectors and is never added
    here; `timeout` (seconds) bounds each silence of the server and four times that a request with its retries;
    `max_bytes` bounds one answer after decompression. ValueError for arguments that contradict each other.
    """

    def __init__(self, url: str, *, match: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None,
                 bearer_token: str | None = None, basic_auth: tuple[str, str] | None = None, ca_file: str | None = None,
                 timeout: float = 30.0, max_parallel: int = 2, max_bytes: int = 512 * 2**20):  # fmt: skip
        if bearer_token and basic_auth:
            raise ValueError("give either bearer_token or basic_auth")
        session = Session(ca_file=ca_file)
        super().__init__(plain(url), headers=sent(headers, bearer_token), retry=NEVER, auth=basic_auth,
                         session=session, timeout=timeout, method="POST")  # fmt: skip
        session.guard()  # the library mounted an adapter of its own
        self.match = dict(match or {})
        self.skew: float | None = None
        self.histograms = 0  # series skipped so far
        self._counts = Counts()
        self.spent = Spent()
        self.max_parallel, self.max_bytes = max_parallel, max_bytes
        self._secrets = secrets(headers, bearer_token, basic_auth)

    def during(self, start: float, end: float) -> "PrometheusSource":
        """Itself, once its clock has been looked at and its objects have been counted."""
        at = min(end - 0.001, time.time() + self.check())  # as windows are evaluated: what begins at the end is not in them
        try:
            self._counts = Counts.of(self.instant(question(self.match), at=at), at=at)
        except TooMuch:
            self._counts = Counts()
        return self

    def samples(self, query: Query, *, start: float, end: float) -> Samples:
        """As the Source protocol says; SourceError where fewer series come than the server counts."""
        return self.raw(self._selector(query), start=start, end=end, counted=query.key in COUNTED)

    def reduced(self, query: Query, *, ends: Sequence[float], seconds: float) -> Samples:
        """As the Source protocol says; SourceError where fewer objects come than the server counts."""
        expression = expression_of(query, match=self.match, window=int(seconds))
        found = self.over_time(expression, ends=ends)
        try:
            self._counts.check(query, found, ends=ends, seconds=seconds)
        except SourceError as error:
            raise self._error(str(error), expression) from None
        return found

    def span(self, *, until: float) -> tuple[float, float] | None:
        """Walks back month by month to the first hour at whose end there was a GPU node; two empty months end the walk.

        Where the first node came after the last whole hour, it is the running hour that begins.
        """
        query = next(query for query in QUERIES if query.key == "capacity")
        nodes, running = f"count({self._selector(query)})", until // 3600 * 3600
        found, empty, end = None, 0, running
        while empty < 2:
            ends = [end - 3600 * n for n in range(MONTH_HOURS - 1, -1, -1)]
            seen = self.over_time(nodes, ends=ends)
            found, empty = (float(seen.time.min()), 0) if len(seen) else (found, empty + 1)
            end = ends[0] - 3600
        if found is not None:
            return found - 3600, until
        return (running, until) if len(self.over_time(nodes, ends=[until])) else None

    def _selector(self, query: Query) -> str:
        return selector(query.names, match=self.match, extra=query.extra)

    def raw(self, selector: str, *, start: float, end: float, counted: bool = False) -> Samples:
        """Every sample with start <= t < end; a window refused as too big is halved down to 60 s.

        `counted`: the server is asked beforehand how many series it has, and an answer with fewer is refused.
        """
        first, last = math.floor(start * 1000), math.ceil(end * 1000)
        if last <= first:
            return Samples.empty()
        # Prometheus 2 takes both edges of a range, 3 leaves the left one out: ending 1 ms early and cutting here
        # gives the same samples from both.
        query = {"query": f"{selector}[{last - first}ms]", "time": seconds(last - 1)}
        try:
            # Counted first: a series that begins between the two questions then only adds one.
            told = self._count(f"last_over_time({query['query']})", at=query["time"]) if counted else 0
            return self._samples("query", query, "matrix", at_least=told).between(start, end)
        except TooMuch:
            if end - start < 2 * SMALLEST_SECONDS:
                raise
        middle = (first + last) // 2 / 1000
        halves = ((start, middle), (middle, end))
        return Samples.concat([self.raw(selector, start=first, end=last, counted=counted) for first, last in halves])

    def _count(self, expression: str, *, at: str) -> int:
        found = self._samples("query", {"query": f"count({expression})", "time": at}, "vector").value
        return int(found[0]) if len(found) else 0

    def over_time(self, expression: str, *, ends: Sequence[float]) -> Samples:
        """The expression 1 ms before each end, stamped with the end; a list refused as too big is halved.

        ValueError unless the ends are ascending and equidistant.
        """
        if not len(ends):
            return Samples.empty()
        try:
            return self._evaluated(expression, [round(end * 1000) for end in ends], np.array(ends, np.float64))
        except TooMuch:
            if len(ends) == 1:
                raise
        half = len(ends) // 2
        return Samples.concat([self.over_time(expression, ends=part) for part in (ends[:half], ends[half:])])

    def instant(self, expression: str, *, at: float) -> Samples:
        """The expression at one time."""
        return self._samples("query", {"query": expression, "time": seconds(round(at * 1000))}, "vector")

    def check(self, *, clock: Callable[[], float] = time.time) -> float:
        """Seconds the server's clock is ahead of ours, kept as `skew`; Skewed above 60 s either way."""
        before = clock()
        answer = self._samples("query", {"query": "vector(time())"}, "vector")
        if len(answer) != 1:
            raise self._error("answered no time; check that the address is a Prometheus query API", "vector(time())")
        self.skew = float(answer.value[0]) - (before + clock()) / 2
        if not abs(self.skew) <= SKEW_SECONDS:
            raise self._error(f"its clock is {self.skew:+.0f} s off ours; set both by NTP", "vector(time())", Skewed)
        if abs(self.skew) > SKEW_TOLD:
            LOG.warning("%s: its clock is %+.0f s off ours; set both by NTP: above %.0f s it is refused", self.url, self.skew, SKEW_SECONDS)
        return self.skew

    def parallel(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """The results in the order of the calls, `max_parallel` at once; the first error cancels what has not begun."""
        with ThreadPoolExecutor(self.max_parallel) as pool:
            futures = [pool.submit(call) for call in calls]
            done, waiting = wait(futures, return_when=FIRST_EXCEPTION)
            for future in waiting:
                future.cancel()
            failed = [future for future in futures if future in done and future.exception()]
            if failed:
                raise failed[0].exception()
            return [future.result() for future in futures]

    def _samples(self, path: str, params: dict, expected: str, *, at_least: int = 0) -> Samples:
        """The decoded answer to one query; SourceError below `at_least` series."""
        body, tally = self._request(path, params), Tally()
        try:
            found = decode(body, expected, tally=tally)
            refuse_fewer(tally.series, at_least)
        except SourceError as error:
            raise self._error(str(error), params["query"]) from None
        self._skipped(tally.histograms, params["query"])
        return found

    def _skipped(self, histograms: int, query: str) -> None:
        self.histograms += histograms
        if histograms:
            LOG.warning("%s", self._error(f"{histograms} series are native histograms and were skipped; record them as gauges", query))

    def _evaluated(self, expression: str, ends: list[int], stamps: np.ndarray) -> Samples:
        """As over_time in one request; `ends` in ms, `stamps` the same ends in seconds."""
        if len(ends) == 1:
            found = self._samples("query", {"query": expression, "time": seconds(ends[0] - 1)}, "vector")
            return replace(found, time=np.full(len(found), stamps[0]))
        step = step_of(ends)
        first = ends[0] - 1
        times = {"start": seconds(first), "end": seconds(ends[-1] - 1), "step": seconds(step)}
        found = self._samples("query_range", {"query": expression} | times, "matrix")
        place = np.rint((found.time * 1000 - first) / step).astype(np.int64)
        moved = np.abs(found.time * 1000 - first - place * step) > 0.5
        if (moved | (place < 0) | (place >= len(ends))).any():
            raise self._error("moved the times of evaluation; switch off step alignment in its query frontend", expression)
        return replace(found, time=stamps[place])

    def _request(self, path: str, params: dict) -> bytes:
        """The body of the 200 answer to a form POST: the one way out. SourceError or TooMuch otherwise."""
        until = time.monotonic() + PATIENT * self._timeout
        faults: list[SourceError] = []
        while True:
            try:
                return self._once(path, params, until - time.monotonic())
            except SourceError as error:
                pause = pause_after(error, faults)
                if pause is None or time.monotonic() + pause >= until:
                    raise self._error(str(error), params["query"], TooMuch if isinstance(error, TooMuch) else SourceError) from None
                faults.append(error)
            time.sleep(pause)

    def _once(self, path: str, params: dict, left: float) -> bytes:
        """One try within `left` seconds."""
        began = time.monotonic()
        answer = post(
            self._session, f"{self.url}/api/v1/{path}", params | ALWAYS, headers=self.headers, auth=self.auth,
            timeout=self._timeout, deadline=left, max_bytes=self.max_bytes,
        )  # fmt: skip
        self.spent.questions += 1
        self.spent.bytes += len(answer.body)
        self.spent.seconds += time.monotonic() - began
        if answer.status != 200:
            # Scrubbed before it is cut: half a token at the cut would no longer be recognised.
            raise verdict(answer.status, answer.headers, self._scrubbed(answer.body.decode(errors="replace")))
        return answer.body

    def _error(self, problem: str, query: str, kind: type[SourceError] = SourceError) -> SourceError:
        asked = " ".join(query.split())[:QUERY_SHOWN]
        return kind(self._scrubbed(f"{self.url}: {one_line(problem)} (query: {asked})"))

    def _scrubbed(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return re.sub(r"://[^/@\s]*@", "://***@", text)
