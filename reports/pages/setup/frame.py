"""What every page of the set-up has around it."""

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest

from finops import queries
from finops.scope import Scope, Window
from reports.access import is_admin
from reports.pages.dates import moment
from reports.windows import hour_of

STEPS = (
    ("setup-source", "Source"),
    ("setup-collecting", "Collection"),
    ("setup-teams", "Teams"),
    ("setup-prices", "Prices"),
)


def frame(request: HttpRequest, step: str) -> dict[str, object]:
    """`step`: the name of the address that is current; "" for none."""
    zone = queries.zone()
    hour = hour_of(datetime.now(UTC), zone)
    as_of = queries.costs(Scope(Window(hour - timedelta(hours=1), hour))).as_of
    return {
        "zone": zone.key,
        "currency": queries.currency(),
        "as_of": moment(as_of, zone) if as_of else None,
        "steps": [(name, text, name == step) for name, text in STEPS],
        "at_step": step,
        "admin": is_admin(request.user),
    }
