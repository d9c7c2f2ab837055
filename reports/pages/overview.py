"""/: what the window cost, by team and, of one team, by job."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from finops import queries
from finops.scope import Refused, Scope
from reports.access import narrow
from reports.charts import APART, colours, cost_per_day
from reports.models import TeamColour
from reports.pages.dates import moment, span
from reports.pages.identity import parts_of
from reports.pages.links import address, chips, is_custom, window_fields, window_links
from reports.pages.table import foot_of, lines_of, why_unknown
from reports.params import Params, scope_from

DEFAULT_WINDOW = "7d"
NAMED = 5  # incomplete windows; the API lists every one


@require_safe
@cache_control(private=True, no_store=True)
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    zone = queries.zone()
    params = {name: values for name, values in request.GET.lists() if any(values)}
    page = {
        "zone": zone.key,
        "currency": queries.currency(),
        "links": window_links(params),
        "custom": is_custom(params),
    }
    try:
        asked = scope_from(params, zone=zone, now=datetime.now(UTC), window=DEFAULT_WINDOW)
        if asked.group_by or asked.step != "total":
            raise Refused("this page groups by team or, of one team, by job: group_by and step are for the API")
        page |= _answered(narrow(asked, user=request.user), params)
    except Refused as refused:
        return render(request, "reports/overview.html", {**page, "refused": str(refused)}, status=400)
    return render(request, "reports/overview.html", page)


def _answered(scope: Scope, params: Params) -> dict[str, object]:
    team = scope.filters["team"][0] if len(scope.filters.get("team", ())) == 1 else None
    answer = queries.costs(replace(scope, group_by=("job",) if team is not None else ("team",)))
    zone = queries.zone()
    page = {
        "team": team,
        "span": span(scope.window, zone),
        "first": scope.window.start.astimezone(zone).date().isoformat(),
        "end": scope.window.end.astimezone(zone).date().isoformat(),
        "fields": window_fields(params),
        "chips": chips(scope.filters, scope.excludes, params),
        "all_teams": address(params, team=None),
        "as_of": moment(answer.as_of, zone) if answer.as_of else None,
        "empty": _empty(scope, answer),
    }
    return page if page["empty"] else page | _figures(scope, answer, params, team)


def _empty(scope: Scope, answer) -> str:
    """Which of the three kinds of nothing this is, if any."""
    if scope.teams is not None and not scope.teams:
        return "right"
    if answer.as_of is None and not answer.rows:
        return "connected"
    return "" if answer.rows else "window"


def _figures(scope: Scope, answer, params: Params, team: str | None) -> dict[str, object]:
    zone = queries.zone()
    total, parts = answer.total, parts_of(answer.total)
    foot = foot_of(total, parts)
    daily = queries.costs(replace(scope, group_by=("team",), step="day"))
    names = [row.keys["team"] for row in (daily if team is not None else answer).rows]
    tokens = colours(TeamColour.remembered([name for name in names if name not in APART]))
    labels = [_job(row) if team is not None else _team(row, params, tokens) for row in answer.rows]
    return {
        "total": total,
        "parts": parts,
        "foot": foot,
        "why": why_unknown(total),
        "lines": lines_of(answer.rows, foot, labels),
        "chart": cost_per_day(daily.rows, tokens=tokens, currency=answer.currency, zone=zone.key),
        "incomplete": [_words(entry, zone) for entry in answer.incomplete[:NAMED]],
        "further": max(0, len(answer.incomplete) - NAMED),
        "balanced": answer.balanced,
    }


def _team(row, params: Params, tokens: dict[str, str]) -> dict[str, str]:
    name = row.keys["team"]
    link = "" if name in ("", "unallocated") else address(params, team=name)
    return {"name": name or "(none)", "note": "", "link": link, "colour": tokens.get(name, "team-other")}


def _job(row) -> dict[str, str]:
    keys = row.keys
    name = f"{keys['namespace']}/{keys['job']}" if keys["job"] else "Unallocated"
    note = " · ".join(part for part in (keys["job_kind"], keys["cluster"]) if part)
    return {"name": name, "note": note, "link": "", "colour": ""}


def _words(entry: dict[str, str], zone: ZoneInfo) -> str:
    """One incomplete window in one phrase: where, when, and why if that is known."""
    start, end = (moment(datetime.fromisoformat(entry[name]), zone) for name in ("start", "end"))
    why = entry.get("reason") or entry.get("state", "")
    return f"{entry['cluster']}, {start} – {end}" + (f" ({why})" if why else "")
