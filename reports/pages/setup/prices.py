"""/setup/prices: what an hour of each GPU costs."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from finops import collected_day, queries, setup, stand_ins
from finops.configuration.problems import Invalid
from finops.export import configuration
from finops.list_prices import Offer
from finops.scope import Refused, Window
from reports.pages.dates import span
from reports.pages.setup import hand_on, offers, price_rows
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_admins


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page asks for, made anew for every request."""

    window: Window | None
    rows: list[price_rows.Row]
    offers: list[Offer]
    currency: str


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def prices(request: HttpRequest) -> HttpResponse:
    now = datetime.now(UTC)
    asked = _asked(now)
    return _save(request, asked, now=now) if request.method == "POST" else _page(request, asked, {})


def _asked(now: datetime) -> Asked:
    window, currency = collected_day.day(), queries.currency()
    models = collected_day.models(window) if window else []
    rows = price_rows.rows(models, configuration(now=now).rates or (), listed=stand_ins.models(now=now), now=now)
    return Asked(window, rows, offers.offers(rows, currency=currency), currency)


def _save(request: HttpRequest, asked: Asked, *, now: datetime) -> HttpResponse:
    rates, wrong = price_rows.read(request.POST, asked.rows, currency=asked.currency)
    own = {rate.gpu_model for rate in rates}
    taken = [each for each in asked.offers if each.rate.gpu_model in request.POST.getlist("offer") and each.rate.gpu_model not in own]
    exchange, missing = offers.exchange(request.POST, offers.foreign(taken), now=now)
    if wrong or missing:
        return _page(request, asked, wrong | missing)
    try:
        changes = setup.save_prices(rates, offers=taken, exchange=exchange, by=request.user.get_username(), now=now)
    except Invalid as invalid:
        return _page(request, asked, {"": invalid.errors[0].message})
    except Refused as refused:
        return _page(request, asked, {"": str(refused)})
    hand_on.plan()
    messages.success(request, "Saved; the hours collected so far are being accounted again." if changes else "No price was named.")
    return redirect("setup-prices")


def _page(request: HttpRequest, asked: Asked, wrong: dict[int | str, str]) -> HttpResponse:
    """`wrong`: messages by row, by currency, and under "" for the whole form."""
    posted = request.POST
    page = {
        **frame(request, "setup-prices"),
        "day": span(asked.window, queries.zone()) if asked.window else None,
        "lines": [
            {"place": place, "row": row, "value": posted.get(f"price-{place}", ""), "wrong": wrong.get(place, "")}
            for place, row in enumerate(asked.rows)
        ],
        "unpriced": sum(bool(row.unpriced) for row in asked.rows),
        "listed": sum(row.listed for row in asked.rows),
        "open": any(row.open for row in asked.rows),
        "offers": [{"line": line, "taken": line.model in posted.getlist("offer")} for line in offers.lines(asked.offers)],
        "foreign": [
            {"currency": currency, "value": posted.get(f"exchange-{currency}", ""), "wrong": wrong.get(currency, "")}
            for currency in offers.foreign(asked.offers)
        ],
        "wrong": wrong.get("") or wrong.get(-1, ""),
    }
    return render(request, "setup/prices.html", page, status=400 if wrong else 200)
