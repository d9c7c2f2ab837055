"""/setup/trial/<number>: what a source holds, and the cluster made of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import ceil

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from finops import queries, setup
from finops.configuration.problems import Invalid
from finops.configuration.specs import PrometheusSpec
from finops.export import source_of
from finops.scope import Refused
from reports.pages.dates import moment
from reports.pages.setup import hand_on
from reports.pages.setup.durations import length
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_admins

UNHEARD = timedelta(seconds=15)
SILENT = timedelta(seconds=160)  # longer than an examination may run


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def trial(request: HttpRequest, number: int) -> HttpResponse:
    row = setup.trial(number)
    if row is None:
        raise Http404
    if request.method != "POST":
        return _page(request, row, {}, "")
    spec = source_of(row.source)
    assert isinstance(spec, PrometheusSpec)
    if request.POST.get("do") == "connect":
        return _connect(request, row)
    label, value = (row.found.get("clusters") or {}).get("label"), request.POST.get("value", "")
    if request.POST.get("do") == "match" and label and value in row.found["clusters"]["values"]:
        spec = replace(spec, match={**spec.match, label: value})
    again = setup.ask(spec, by=request.user.get_username(), now=datetime.now(UTC))
    hand_on.examine(again)
    return redirect("setup-trial", number=again.pk)


def _connect(request: HttpRequest, row: setup.Trial) -> HttpResponse:
    given = {name: request.POST.get(name, "").strip() for name in ("name", "currency", "timezone")}
    chosen = {name: given[name] or None for name in ("currency", "timezone")} if setup.is_first() else {}
    try:
        cluster = setup.connect(row, name=given["name"], **chosen, by=request.user.get_username(), now=datetime.now(UTC))
    except Refused as refused:
        return _page(request, row, given, str(refused))
    except Invalid as invalid:
        words = {"currency": "Currency", "timezone": "Time zone"}
        lines = [f"{words.get(problem.path, 'Name')}: {problem.message}" for problem in invalid.errors]
        return _page(request, row, given, " ".join(lines))
    hand_on.plan()
    return redirect("setup-collecting-one", name=cluster.name)


def _page(request: HttpRequest, row: setup.Trial, given: dict[str, str], refused: str) -> HttpResponse:
    now, spec = datetime.now(UTC), row.source["prometheus"]
    page = {
        "trial": row,
        "spec": spec,
        "waiting": row.state in ("asked", "running"),
        "unheard": row.state == "asked" and now - row.asked_at > UNHEARD,
        "silent": row.state == "running" and now - (row.begun_at or row.asked_at) > SILENT,
        "waited": length(now - row.asked_at),
    }
    page |= frame(request, "setup-source") | _found(row, given, now=now) | {"wrong": refused}
    page |= {"whole": "whole" in request.GET or bool(given)}
    return render(request, "setup/trial.html", page, status=400 if refused else 200)


def _found(row: setup.Trial, given: dict[str, str], *, now: datetime) -> dict[str, object]:
    """What was found in the words of the page; empty before there is anything."""
    if row.state != "done":
        return {}
    found, zone = row.found, queries.zone()
    span = found["span"]
    hours = ceil((span[1] - span[0]) / 3600) if span else 0
    levels = {"fault": 0, "warn": 1, "note": 1}
    match = row.source["prometheus"]["match"]
    return {
        "found": found,
        "since": moment(datetime.fromtimestamp(span[0], UTC), zone) if span else None,
        "hours": hours,
        "effort": length(timedelta(seconds=hours * found["load"]["seconds"])),
        "megabytes": found["load"]["bytes"] / 1e6,
        "findings": sorted(found["findings"], key=lambda finding: levels.get(finding["level"], 2)),
        "faults": sum(finding["level"] == "fault" for finding in found["findings"]),
        "first": setup.is_first(),
        "given": {"name": match.get("cluster", ""), "currency": queries.currency(), "timezone": zone.key} | given,
    }
