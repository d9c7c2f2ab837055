"""/: what the window cost, for whom, where money was lost, and what moved."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from finops import collection, queries
from finops.scope import Refused
from reports.pages import links
from reports.pages.body import body
from reports.pages.dates import moment, span
from reports.pages.items import OF_A_JOB
from reports.pages.question import Question, params_of, question

Page = dict[str, object]


@require_safe
@cache_control(private=True, no_store=True)
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    params = params_of(request)
    if filtered := links.with_filter(params):
        return redirect(request.path + filtered)
    chosen = queries.setting()
    zone = queries.zone_of(chosen)
    page: Page = {"zone": zone.key, "currency": chosen.currency, "links": links.window_links(params)}
    page |= {"custom": links.is_custom(params), "filters": links.FILTERS, "all_fields": links.all_fields(params)}
    try:
        asked = question(request, params, zone=zone, now=datetime.now(UTC))
        page |= _answered(asked)
    except Refused as refused:
        return render(request, "reports/overview.html", {**page, "refused": str(refused)}, status=400)
    if page["empty"] == "window" and (young := _since_the_beginning(asked)):
        return redirect(request.path + young)
    return render(request, "reports/overview.html", page)


def _since_the_beginning(asked: Question) -> str | None:
    """Where no window is named and the usual one ends before the first sample: the address of the days since then."""
    begins, zone = queries.beginning(asked.scope), asked.zone
    if any(asked.params.get(name) for name in links.OF_THE_WINDOW) or begins is None or begins < asked.scope.window.end:
        return None
    last = (asked.as_of or begins).astimezone(zone).date() + timedelta(days=1)
    return links.address(asked.params, start=begins.astimezone(zone).date().isoformat(), end=last.isoformat())


def _answered(asked: Question) -> Page:
    scope, zone, params = asked.scope, asked.zone, asked.params
    answer = queries.costs(replace(scope, group_by=(asked.state.by,)))
    page: Page = {
        "team": asked.team,
        "span": span(scope.window, zone),
        "first": scope.window.start.astimezone(zone).date().isoformat(),
        "end": scope.window.end.astimezone(zone).date().isoformat(),
        "fields": links.window_fields(params),
        "chips": links.chips(scope.filters, scope.excludes, params),
        "job": asked.job,
        "all_teams": links.address(params, **dict.fromkeys(("team", *OF_A_JOB, "by", "sort", "rows"))),
        "all_jobs": links.address(params, **dict.fromkeys((*OF_A_JOB, "by", "sort", "rows"))),
        "as_of": moment(asked.as_of, zone) if asked.as_of else None,
        "empty": _empty(scope, answer),
        "connected": bool(collection.clusters()),
    }
    return page if page["empty"] else page | body(asked, answer)


def _empty(scope, answer) -> str:
    """Which of the three kinds of nothing this is, if any."""
    if scope.teams is not None and not scope.teams:
        return "right"
    if answer.as_of is None and not answer.rows:
        return "connected"
    return "" if answer.rows else "window"
