"""/setup/collecting/: how far collection has come; the page stays useful for as long as there is something to collect."""

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from finops import collection, queries
from finops.collection import Load, Progress, progress
from reports.pages.dates import moment
from reports.pages.setup.durations import length
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_those_who_see_all

LANES = {False: "Newest hours", True: "Backfill"}


@require_safe
@for_those_who_see_all
def clusters(request: HttpRequest) -> HttpResponse:
    """Every cluster in one line."""
    now = datetime.now(UTC)
    rows = [_told(cluster, now=now) for cluster in collection.clusters()]
    return render(request, "setup/clusters.html", {**frame(request, "setup-collecting"), "rows": rows})


@require_safe
@for_those_who_see_all
def collecting(request: HttpRequest, name: str) -> HttpResponse:
    cluster = collection.cluster(name)
    if cluster is None:
        raise Http404
    page = _told(cluster, now=datetime.now(UTC))
    return render(request, "setup/collecting.html", {**frame(request, "setup-collecting"), **page})


def _told(cluster, *, now: datetime) -> dict[str, object]:
    zone, found = queries.zone(), progress(cluster, now=now)
    return {
        "cluster": cluster,
        "kind": next(iter(cluster.source), ""),
        "lanes": [
            {
                "name": LANES[lane.backfill],
                "lane": lane,
                "newest": moment(lane.newest, zone) if lane.newest else None,
                "left": _left(lane),
            }
            for lane in found.lanes
        ],
        "done": sum(lane.done for lane in found.lanes),
        "total": sum(lane.total for lane in found.lanes),
        "working": found.working,
        "running": found.running,
        "troubles": [_trouble(trouble, zone=zone, now=now) for trouble in found.troubles],
        "further": found.further,
        "load": found.load and _load(found.load),
        "rested": _rested(found),
        "at": moment(now, zone),
    }


def _left(lane) -> str:
    """In words, since nobody moving is another thing than nothing to do."""
    if not lane.total - lane.done:
        return "complete"
    if lane.left is not None:
        return f"about {length(lane.left)}"
    return "nothing moved in the last 5 minutes"


def _trouble(trouble, *, zone, now: datetime) -> dict[str, object]:
    again = trouble.again_at and trouble.again_at > now
    return {
        "span": f"{moment(trouble.start, zone)} – {moment(trouble.end, zone)}",
        "hours": trouble.hours,
        "problem": trouble.problem,
        "again": f"asked again in {length(trouble.again_at - now)}" if again else ("asked again at the next turn" if trouble.state == "failed" else "kept as it is"),
    }


def _load(load: Load) -> dict[str, object]:
    return {"windows": load.windows, "questions": round(load.questions), "megabytes": load.bytes / 1e6, "seconds": load.seconds}


def _rested(found: Progress) -> bool:
    """Hours wait and none was done lately: no worker, or none that gets through."""
    return found.working and not any(lane.lately for lane in found.lanes)
