"""Answers of the Prometheus query API, from JSON into columns."""

import gc
import json
import re
import reprlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ingest.sources import Passing, Samples, SourceError, Throttled, TooMuch, merge, storable

SHOWN = 300
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = 200
TOO_BIG = re.compile(
    r"too (many|large|long)|maximum resolution|exceed|time[d -]*out|-search\.max|err-mimir-max|out of memory|limit",
    re.I,
)


@dataclass(slots=True)
class Tally:
    """Of one answer: its `series` as listed, and how many of them bear native `histograms`, which are skipped."""

    series: int = 0
    histograms: int = 0


def decode(payload: dict | bytes, expected: str, *, tally: Tally | None = None) -> Samples:
    """Samples of one answer whose resultType is `expected` ('vector' or 'matrix').

    Native histograms are skipped and counted in `tally`. Series with equal labels become one and keep all their samples. NaN and Inf
    stay as they are. SourceError, without URL and query, for anything else than a complete, well-formed answer.
    """
    if isinstance(payload, bytes):
        with collection_paused():
            return columns(parse(payload), expected, tally or Tally())
    return columns(payload, expected, tally or Tally())


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection meanwhile: millions of new lists would each time be walked for cycles they cannot have."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse(body: bytes) -> dict:
    """The JSON object in the body; SourceError says what came instead."""
    try:
        return json.loads(body, parse_constant=refuse)
    except (ValueError, RecursionError):
        pass
    if body.lstrip()[:1] == b"<":
        raise SourceError("answered a web page instead of JSON; check that the address is the query API and not behind a login")
    raise SourceError("answered text that is not JSON, or was cut short; check the proxies in between")


def refuse(constant: str):
    raise ValueError(f"{constant} is not JSON")


def columns(payload: dict, expected: str, tally: Tally) -> Samples:
    """As decode, from the parsed answer."""
    result = unwrap(payload, expected)
    labels, counts, points = [], [], []
    tally.series += len(result)
    for entry in result:
        found = points_of(entry, expected)
        tally.histograms += "histogram" in entry or "histograms" in entry
        if found:
            labels.append(labels_of(entry))
            counts.append(len(found))
            points.extend(found)
    if not points:
        return Samples.empty()
    distinct, places = merge(labels)
    return Samples(distinct, np.repeat(places, counts), *numbers(points))


def unwrap(payload: dict, expected: str) -> list:
    """The list of series of a successful and complete answer."""
    if not isinstance(payload, dict) or payload.get("status") != "success":
        raise SourceError(f"did not answer with success: {brief(payload)}; check the address and the log of the server")
    # A store that is down behind a fan-out shows only here: the rows look whole.
    if payload.get("warnings") or payload.get("isPartial"):
        raise SourceError(f"partial answer: {brief(payload.get('warnings') or 'isPartial')}; wait until all its stores are back")
    data = payload.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else None
    if kind != expected or not isinstance(data.get("result"), list):
        raise SourceError(f"answered {brief(kind)} where a {expected} was expected; check that the address is a Prometheus query API")
    return data["result"]


def points_of(entry: dict, expected: str) -> list:
    """The [time, value] pairs of one series; none for a native histogram."""
    if not isinstance(entry, dict):
        raise malformed("series", entry)
    key = "value" if expected == "vector" else "values"
    if key not in entry:
        if "histogram" in entry or "histograms" in entry:
            return []
        raise malformed(f"series without {key}", entry)
    found = [entry[key]] if expected == "vector" else entry[key]
    if not isinstance(found, list):
        raise malformed(key, found)
    return found


def labels_of(entry: dict) -> dict[str, str]:
    labels = entry.get("metric")
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise malformed("labels", labels)
    return {storable(name): storable(value) for name, value in labels.items()}


def numbers(points: list) -> tuple[np.ndarray, np.ndarray]:
    """Time and value, float64 [n] each, from n pairs of a number and a decimal string."""
    try:
        if set(map(len, points)) != {2}:
            raise ValueError
        # array() refuses text for a number, which numpy would convert.
        time = np.frombuffer(array("d", [point[0] for point in points]), np.float64)
        value = floats([point[1] for point in points])
    except (TypeError, ValueError, KeyError, OverflowError):
        raise malformed("point", culprit(points)) from None
    if not np.isfinite(time).all():
        raise malformed("point", "its time is not finite")
    return time, value


def floats(texts: list[str]) -> np.ndarray:
    """float64 [n]; TypeError for what is no text, ValueError for what is no number."""
    # float() takes 1_000 for a number; the protocol does not. The join also refuses whatever is not text.
    if "_" in "".join(texts):
        raise ValueError
    return np.fromiter(map(float, texts), np.float64, len(texts))


def culprit(points: list) -> object:
    """The first point that is not a pair of a number and a decimal string."""
    for point in points:
        try:
            time, value = point
            array("d", [time])
            floats([value])
        except (TypeError, ValueError, OverflowError):
            return point
    return None


def malformed(what: str, thing: object) -> SourceError:
    return SourceError(f"malformed {what}: {brief(thing)}; check what stands between here and the source")


def brief(thing: object) -> str:
    """At most 300 characters of whatever came, in one line; megabytes are not written out to show their head."""
    return one_line(thing[: 4 * SHOWN] if isinstance(thing, str) else SHORT.repr(thing))[:SHOWN]


def verdict(status: int, headers: dict, text: str) -> SourceError:
    """What an answer other than 200 means; `text` is its body, already free of credentials."""
    said = f"answered {status}: {one_line(message(text))[:SHOWN]}"
    if 300 <= status < 400:
        target = one_line(headers.get("Location", "nowhere"))[:SHOWN]
        return SourceError(f"redirects to {target}; name the final address, redirects are not followed")
    if status == 429:
        return Throttled(f"{said}; ask less often or raise its rate limit", retry_after(headers))
    if status == 413 or status in (400, 422, 503, 504) and TOO_BIG.search(text):
        return TooMuch(f"{said}; cut the window or raise the limits of the server")
    if status in (502, 503, 504):
        return Passing(f"{said}; wait until the server is back")
    if status in (401, 403):
        return SourceError(f"{said}; check the credentials and the tenant header")
    return SourceError(f"{said}; check the address, the query and the log of the server")


def message(text: str) -> str:
    """The errorType and error of an API answer, or the text itself."""
    try:
        found = json.loads(text)
        return f"{found['errorType']}: {found['error']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def retry_after(headers: dict) -> float:
    """Seconds; infinite for a date or nothing, which are not worth holding a worker for."""
    text = headers.get("Retry-After", "").strip()
    return float(text) if text.isascii() and text.isdigit() else float("inf")


def one_line(text: str) -> str:
    """The text without line breaks and control characters, which could forge a line of a log."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
