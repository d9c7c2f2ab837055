"""/setup/prices: what an hour of each GPU costs."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from finops import collected_day, queries, setup
from finops.configuration.problems import Invalid
from finops.export import configuration
from reports.pages.dates import span
from reports.pages.setup import hand_on, price_rows
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_admins


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def prices(request: HttpRequest) -> HttpResponse:
    now, window = datetime.now(UTC), collected_day.day()
    models = collected_day.models(window) if window else []
    rows = price_rows.rows(models, configuration(now=now).rates or (), now=now)
    if request.method != "POST":
        return _page(request, rows, {}, window)
    rates, wrong = price_rows.read(request.POST, rows, currency=queries.currency())
    if wrong:
        return _page(request, rows, wrong, window)
    try:
        changes = setup.save_rates(rates, by=request.user.get_username(), now=now) if rates else []
    except Invalid as invalid:
        return _page(request, rows, {-1: invalid.errors[0].message}, window)
    hand_on.plan()
    messages.success(request, "Saved; the hours collected so far are being accounted again." if changes else "No price was typed in.")
    return redirect("setup-prices")


def _page(request: HttpRequest, rows: list[price_rows.Row], wrong: dict[int, str], window) -> HttpResponse:
    lines = [
        {"place": place, "row": row, "value": request.POST.get(f"price-{place}", ""), "wrong": wrong.get(place, "")}
        for place, row in enumerate(rows)
    ]
    page = {
        **frame(request, "setup-prices"),
        "day": span(window, queries.zone()) if window else None,
        "lines": lines,
        "open": sum(bool(row.unpriced) for row in rows),
        "wrong": wrong.get(-1, ""),
    }
    return render(request, "setup/prices.html", page, status=400 if wrong else 200)
