"""One cluster, one span of time: fetch, tidy, store; hour by hour, a few hours per question."""

import logging
import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from django.db import DatabaseError, InterfaceError, connection

from finops.accounting.gpu_resources import DEFAULT, Resources, gpu_resources
from finops.models import Cluster
from finops.times import now
from ingest import store, windows
from ingest.blame import nobodys, retried
from ingest.catalogue import NODE_SEEN, PHASES, QUERIES, RUNNING, Query, queries
from ingest.scrapes import scrape_interval
from ingest.sources import Samples, Source, SourceError, Spent, Unreachable
from ingest.sources.decode import one_line
from ingest.tidy.answers import MARGIN, Answers
from ingest.tidy.claims import claimants
from ingest.tidy.facts import facts
from ingest.tidy.label_runs import LABELLED, named, raw, several
from ingest.tidy.machines import MACHINES, replaced
from ingest.tidy.own_labels import RENAMED, own_labels, renamed
from ingest.tidy.presence import counted
from ingest.windows import HOURS_AT_ONCE, Claim

Hour = tuple[datetime, datetime]
Progress = Callable[[int], None]
Clock = Callable[[], datetime]
log = logging.getLogger(__name__)


def quiet(hours: int) -> None:
    """No progress is shown."""


def collect(
    cluster: Cluster, hours: Sequence[Hour], *, source: Source, until: datetime, settled: datetime, clock: Clock = now, progress: Progress = quiet
) -> list[str]:
    """Stores the facts of `hours`, whoever else has them in hand; returns one line per hour that could not be had."""
    claims = windows.take(cluster.id, hours, owner=owner(), now=clock())
    return collect_claimed(cluster, claims, source=source, until=until, settled=settled, clock=clock, progress=progress)


def collect_claimed(
    cluster: Cluster, claims: Sequence[Claim], *, source: Source, until: datetime, settled: datetime, clock: Clock = now, progress: Progress = quiet
) -> list[str]:
    """Stores the facts of windows that are ours; those that cannot be had stay for another run, with the reason.

    Where nothing can be had at all, the windows are given back at no cost to them: Unreachable, or the database's error.
    """
    problems = []
    left = list(claims)
    try:
        for chunk in _chunks(claims):
            _ask_the_time(source, f"cluster {cluster.name}, {chunk[0].start.isoformat()}")
            problems += _chunk(cluster, chunk, source=source, until=until, settled=settled, clock=clock, progress=progress)
            left = [claimed for claimed in left if claimed not in chunk]
    except Exception as error:
        _give_back(cluster, left, error, now=clock())
        raise
    return problems


def _chunk(
    cluster: Cluster, chunk: list[Claim], *, source: Source, until: datetime, settled: datetime, clock: Clock, progress: Progress
) -> list[str]:
    before = replace(source.spent)
    try:
        hours = [(c.start.timestamp(), c.end.timestamp()) for c in chunk]
        found = fetch(source, hours, resources=gpu_resources(cluster.gpu_resources))
    except Exception as error:
        if nobodys(error):
            raise
        return _failed(cluster, chunk, error, now=clock())
    spent = source.spent.since(before).each(len(chunk))
    problems = []
    for claimed in reversed(chunk):  # what happened last is looked at first
        problems += _one(cluster, found, claimed, until=until, settled=settled, spent=spent, clock=clock)
        progress(1)
    return problems


def _ask_the_time(source: Source, what_for: str) -> None:
    try:
        source.check()
    except SourceError as error:
        raise Unreachable(f"{what_for}: {error}") from error


def _give_back(cluster: Cluster, claims: Sequence[Claim], error: Exception, *, now: datetime) -> None:
    if connection.connection is not None and not connection.is_usable():
        connection.close()
    with suppress(DatabaseError, InterfaceError):  # the database is still away: the leases run out by themselves
        windows.postponed(cluster.id, claims, _told(error.__cause__ if isinstance(error, Unreachable) else error), now=now)


def _failed(cluster: Cluster, claims: Sequence[Claim], error: Exception, *, now: datetime) -> list[str]:
    windows.failed(cluster.id, claims, _told(error), now=now)
    if not isinstance(error, SourceError):
        log.error("cluster %s, %s", cluster.name, claims[0].start.isoformat(), exc_info=error)
    return [f"cluster {cluster.name}, {claims[0].start.isoformat()}: {_told(error)}"]


def _told(error: Exception) -> str:
    """One line; what nobody foresaw is told with its kind."""
    said = one_line(str(error))
    return said if isinstance(error, SourceError) else f"unforeseen {type(error).__name__}: {said[:300]}; the log has the whole of it, please report it"


def owner() -> str:
    """Who holds a lease: this process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _one(
    cluster: Cluster, found: Mapping[str, Samples], claimed: Claim, *, until: datetime, settled: datetime, spent: Spent, clock: Clock
) -> list[str]:
    try:
        answers = cut(found, claimed.start.timestamp(), claimed.end.timestamp())
        rows = facts(
            answers, until=until.timestamp(), pool_label=cluster.node_pool_label, user_label=cluster.user_label,
            configured=scrape_interval(cluster), resources=gpu_resources(cluster.gpu_resources),
        )  # fmt: skip
        retried(lambda: store.store(rows, cluster=cluster.id, attempt=claimed.attempt, until=until, settled=settled, spent=spent))
    except windows.Overtaken:
        return []
    except store.SourceForgot as error:
        windows.forgot(cluster.id, claimed, str(error), now=clock())
        return [f"cluster {cluster.name}, {error}"]
    except Exception as error:
        if nobodys(error):
            raise
        return _failed(cluster, [claimed], error, now=clock())
    return []


def _chunks(claims: Sequence[Claim]) -> Iterator[list[Claim]]:
    """Runs of neighbouring hours of equal length, a few at a time."""
    for _, group in groupby(enumerate(claims), key=lambda item: (item[1].end - item[1].start, item[1].start.timestamp() - 3600 * item[0])):
        run = [claimed for _, claimed in group]
        for first in range(0, len(run), HOURS_AT_ONCE):
            yield run[first : first + HOURS_AT_ONCE]


def fetch(source: Source, hours: Sequence[tuple[float, float]], *, resources: Resources = DEFAULT) -> dict[str, Samples]:
    """Samples by catalogue key over `hours` with their margins; reduced ones bear their window's end as time.

    `resources`: those that count as GPUs beside NVIDIA's own.
    """
    during = source.during(hours[0][0] - MARGIN, hours[-1][1] + MARGIN)
    answers = during.parallel([lambda query=query: _ask(during, query, hours) for query in queries(resources)])
    found = {query.key: _read(query, answer) for query, answer in zip(QUERIES, answers, strict=True)}
    found[RENAMED] = Samples.concat([renamed(answer) for query, answer in zip(QUERIES, answers, strict=True) if query.key == "requests"])
    found["phases"] = _phases(during, found, hours)
    found["running"] = _running(during, found, hours)
    found["node_seen"] = _unregistered(during, found, hours)
    return found | _label_changes(during, found, hours) | _machine_changes(during, found, hours)


def _read(query: Query, answer: Samples) -> Samples:
    """Labels of pods and nodes as they were exposed; a device's series are told apart by all they bear."""
    return own_labels(answer) if query.names[0].startswith("kube_") else answer


def _ask(source: Source, query: Query, hours: Sequence[tuple[float, float]]) -> Samples:
    start, end = hours[0][0], hours[-1][1]
    if not query.over:
        return source.samples(query, start=start - MARGIN, end=end + MARGIN)
    if query.quarters:
        return source.reduced(query, ends=[start + 900 * n for n in range(1, int((end - start) // 900) + 1)], seconds=900)
    return source.reduced(query, ends=[b + MARGIN for _, b in hours], seconds=hours[0][1] - hours[0][0] + 2 * MARGIN)


def _phases(source: Source, found: Mapping[str, Samples], hours: Sequence[tuple[float, float]]) -> Samples:
    """Raw phases of the pods that ended and whose end has no timestamp, evicted ones for instance."""
    known = {labels.get("uid") for labels in found["completed"].labels}
    holders = _holders(found, "uid") | claimants(found)
    doubtful = sorted({labels.get("uid", "") for labels in found["terminal"].labels} & holders - known - {""})
    return _about(source, PHASES, "uid", doubtful, hours)


def _running(source: Source, found: Mapping[str, Samples], hours: Sequence[tuple[float, float]]) -> Samples:
    """Raw phases of the pods of which no container that asks for GPUs tells a start in one of the hours."""
    doubtful: set[str] = claimants(found) - {labels.get("uid", "") for key in ("started", "restarts") for labels in found[key].labels}
    for start, end in hours:
        asking = _containers(found[key].between(start - MARGIN, end + MARGIN) for key in ("requests", "init_requests"))
        telling = _containers(found[key].between(end + MARGIN - 1, end + MARGIN + 1) for key in ("started", "restarts"))
        doubtful |= {uid for uid, _ in asking} - {uid for uid, _ in asking & telling}
    return _about(source, RUNNING, "uid", sorted(doubtful - {""}), hours)


def _containers(parts: Iterable[Samples]) -> set[tuple[str, str]]:
    """(uid, container) of every series."""
    return {(labels.get("uid", ""), labels.get("container", "")) for part in parts for labels in part.labels}


def _unregistered(source: Source, found: Mapping[str, Samples], hours: Sequence[tuple[float, float]]) -> Samples:
    """When the nodes were there that count GPUs among their labels and have no series of GPU capacity in one of the hours."""
    doubtful: set[str] = set()
    for start, end in hours:
        labels = found["node_labels"].between(end + MARGIN - 1, end + MARGIN + 1).labels
        able = {row.get("node", "") for row in labels if counted(named(row))}
        doubtful |= able - {row.get("node", "") for row in found["capacity"].between(start - MARGIN, end + MARGIN).labels}
    return _about(source, NODE_SEEN, "node", [re.escape(name) for name in sorted(doubtful - {""})], hours)


def _about(source: Source, query: Query, label: str, values: Sequence[str], hours: Sequence[tuple[float, float]]) -> Samples:
    """Raw samples of the series whose `label` is one of `values`, a hundred at a time."""
    parts = []
    for first in range(0, len(values), 100):
        chosen = replace(query, over="", extra=(*query.extra, (label, "=~", "|".join(values[first : first + 100]))))
        parts.append(_read(query, source.samples(chosen, start=hours[0][0] - MARGIN, end=hours[-1][1] + MARGIN)))
    return Samples.concat(parts)


def _label_changes(source: Source, found: Mapping[str, Samples], hours: Sequence[tuple[float, float]]) -> dict[str, Samples]:
    """Raw label series of the pods and namespaces that bore more than one label set within an hour, by the key of their raw answer."""
    answers = {}
    for key, label in LABELLED.items():
        query = next(query for query in QUERIES if query.key == key)
        changed = sorted(several(found[key], label) & (_holders(found, label) | claimants(found)))
        answers[raw(key)] = _about(source, query, label, changed, hours)
    return answers


def _holders(found: Mapping[str, Samples], label: str) -> set[str]:
    """What the pods that ask for GPUs bear as `label`, whichever of their containers asks, or claim them."""
    return {labels.get(label, "") for key in ("requests", "init_requests", "claims") for labels in found[key].labels}


def _machine_changes(source: Source, found: Mapping[str, Samples], hours: Sequence[tuple[float, float]]) -> dict[str, Samples]:
    """Raw series about the nodes whose name more than one machine bore within an hour, by the key of their raw answer."""
    names = sorted(replaced(found["node_info"]))
    return {raw(query.key): _about(source, query, "node", names, hours) for query in QUERIES if query.key in MACHINES}


def cut(found: Mapping[str, Samples], start: float, end: float) -> Answers:
    """The part of the answers that one hour's facts are made of."""
    parts = {}
    for query in QUERIES:
        if not query.over:
            parts[query.key] = found[query.key].between(start - MARGIN, end + MARGIN)
        elif query.quarters:
            parts[query.key] = found[query.key].between(start + 1, end + 1)
        else:
            parts[query.key] = found[query.key].between(end + MARGIN - 1, end + MARGIN + 1)
    for key in ("phases", "running", "node_seen", RENAMED, *map(raw, (*LABELLED, *MACHINES))):
        parts[key] = found[key].between(start - MARGIN, end + MARGIN)
    return Answers(start, end, parts)
