"""/: what the window cost, for whom, where money was lost, and what moved."""

from dataclasses import replace
from datetime import UTC, datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from finops import queries
from finops.scope import Refused
from reports.pages import links
from reports.pages.body import body
from reports.pages.dates import moment, span
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
        page |= _answered(question(request, params, zone=zone, now=datetime.now(UTC)))
    except Refused as refused:
        return render(request, "reports/overview.html", {**page, "refused": str(refused)}, status=400)
    return render(request, "reports/overview.html", page)


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
        "all_teams": links.address(params, team=None, by=None, sort=None, rows=None),
        "as_of": moment(asked.as_of, zone) if asked.as_of else None,
        "empty": _empty(scope, answer),
    }
    return page if page["empty"] else page | body(asked, answer)


def _empty(scope, answer) -> str:
    """Which of the three kinds of nothing this is, if any."""
    if scope.teams is not None and not scope.teams:
        return "right"
    if answer.as_of is None and not answer.rows:
        return "connected"
    return "" if answer.rows else "window"
