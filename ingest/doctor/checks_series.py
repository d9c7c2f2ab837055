"""Which needed series exist, how old they are and how often they come."""

from collections.abc import Iterator

import numpy as np

from finops.kinds.naming import RESOURCES
from ingest.catalogue import QUERIES
from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import CATALOGUE, Evidence
from ingest.doctor.symptoms import ABSENT, COUNTERS, LINES, STALE_SECONDS

FRESH = ("capacity", "utilisation", "profiling")
RAW = ("requests", "capacity", "utilisation", "profiling")
LONG_SECONDS, TOO_LONG_SECONDS = 120.0, 300.0
SPARSE = 0.05
MISSED = "prometheus: scrape_configs: scrape_timeout: 10s below its scrape_interval; look for up == 0 and scrape_duration_seconds"
MISSED_OURSELVES = "keep the worker of queue scrape running (make run has one), and see what its log says of the exporters"


def present(seen: Evidence) -> Iterator[Diagnosis]:
    """One line per series that is there, or whose absence costs something."""
    for query in QUERIES:
        if spelled := seen.names(query.key):
            shown = ", ".join(f"{name}: {n} series" for name, n in spelled.items())
            yield seen.say("ok", query.key, shown)
        elif query.key in ABSENT and (query.names[0].startswith("kube_") or not seen.others_only):
            yield _absent(seen, query.key)


def _absent(seen: Evidence, key: str) -> Diagnosis:
    name, (level, cost) = CATALOGUE[key].names[0], ABSENT[key]
    if seen.lately(key):
        return seen.say(level, key, f"{name} was there within the hour, but not in the last 15 minutes",
                        cost, "bring its scrape target up: see Status, Targets in Prometheus")
    if key in ("requests", "capacity") and seen.claiming:
        return seen.say("ok", key, f"no {name} of GPUs: they are given by resource claims")
    if key == "requests" and (seen.number(f"count(last_over_time({seen.chosen((name,))}[1h]))") or not _asks(seen) and seen.names("pod_info")):
        return seen.say("ok", key, "no pod asked for a GPU in the last hour; other series of pods are there")
    line = COUNTERS.format(LINES[key]) if key in LINES else RESOURCES.format(name)
    return seen.say(level, key, f"no {name} in the last hour", cost, line)


def _asks(seen: Evidence) -> bool:
    """Whether the source answers questions at all, or only hands over what it scraped."""
    return hasattr(seen.source, "instant")


def _interval(seen: Evidence, key: str) -> float | None:
    spacings = [float(np.median(np.diff(times))) for times in seen.times(key) if len(times) > 2]
    return float(np.median(spacings)) if spacings else None


def lag(seen: Evidence) -> Iterator[Diagnosis]:
    """The age of the youngest sample: hours are taken two minutes after their end."""
    ages = {key: seen.at - float(seen.found[key].time.max()) for key in FRESH if len(seen.found[key])}
    if ages.get("capacity", 0.0) > STALE_SECONDS and seen.number(f"count({seen.chosen(('kube_node_info',))})"):
        yield seen.say("ok", "age", "no GPU node stands any more, other nodes do")
        return
    for key, age in ages.items():
        if age > STALE_SECONDS:
            yield seen.say("fault", f"{key} age", f"no {CATALOGUE[key].names[0]} since {age:.0f} s",
                           "the time since then is missing or unmeasured", "bring its scrape target up: see Status, Targets in Prometheus")
        elif age > max(120.0, 2 * (_interval(seen, key) or 60.0)):
            yield seen.say("warn", f"{key} age", f"the youngest {CATALOGUE[key].names[0]} is {age:.0f} s old",
                           "the last minutes of an hour are taken at the next run only",
                           "prometheus: remote_write: queue_config: {batch_send_deadline: 5s}, where samples come by remote write")
        else:
            yield seen.say("ok", f"{key} age", f"{age:.0f} s old")


def interval(seen: Evidence) -> Iterator[Diagnosis]:
    """How often each kind is scraped, against what is configured."""
    for key in ("requests", "capacity", "profiling" if len(seen.found["profiling"]) else "utilisation"):
        measured, told = _interval(seen, key), seen.cluster.scrape_interval
        if measured is None:
            continue
        if measured > LONG_SECONDS:
            yield seen.say("fault" if measured > TOO_LONG_SECONDS else "warn", f"{key} interval", f"scraped every {measured:.0f} s",
                           f"starts and ends that nothing reports are off by up to {measured / 2:.0f} s, and shorter pods are missed",
                           "prometheus: scrape_configs: scrape_interval: 30s")
        elif told and not told / 1.5 <= measured <= told * 1.5:
            yield seen.say("warn", f"{key} interval", f"scraped every {measured:.0f} s; scrape_interval says {told:.0f} s",
                           "each sample speaks for a time that is too long or too short",
                           f"clusters: - name: {seen.cluster.name}: scrape_interval: {measured:.0f}s, or leave the key out")
        else:
            yield seen.say("ok", f"{key} interval", f"scraped every {measured:.0f} s")


def gaps(seen: Evidence) -> Iterator[Diagnosis]:
    """Scrapes that did not happen while the series lived."""
    for key in RAW:
        series = [np.diff(times) for times in seen.times(key) if len(times) > 4]
        expected = sum(float(spacing.sum() / np.median(spacing)) for spacing in series)
        missed = expected - sum(len(spacing) for spacing in series)
        if expected and missed > SPARSE * expected:
            yield seen.say("warn", f"{key} gaps", f"{missed / expected:.0%} of the scrapes of {CATALOGUE[key].names[0]} are missing",
                           "time further than 1.5 intervals from a sample is unmeasured",
                           MISSED if _asks(seen) else MISSED_OURSELVES)
