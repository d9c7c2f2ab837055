"""One process of the product with a clock of its own: process.py '{"do": …, "now": …, "hooks": […]}'.

Prints what it found as one line of JSON.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
os.environ["DJANGO_SETTINGS_MODULE"] = "finops.settings"


def clock_from(now: str, *, since: float | None = None) -> Callable[[], datetime]:
    """A clock that shows `now`, or showed it `since` (time.monotonic), and goes on."""
    first, began = datetime.fromisoformat(now), since or time.monotonic()
    return lambda: first + timedelta(seconds=time.monotonic() - began)


def shorten(constants: dict[str, float]) -> None:
    """Sets constants of ingest.windows, in seconds."""
    from ingest import windows

    for name, seconds in constants.items():
        assert hasattr(windows, name)
        setattr(windows, name, timedelta(seconds=seconds))


def configure(asked: dict) -> None:
    from django.core.management import call_command

    from finops.models import Cluster, Rate, TeamRule

    call_command("migrate", verbosity=0)
    TeamRule.objects.create(position=0, kind="from_namespace_label", label="team")
    Rate.objects.create(price="2.50", currency="CHF")
    for name, source in asked["clusters"].items():
        Cluster.objects.create(name=name, source=source, scrape_interval=60.0)


def turn(asked: dict) -> dict:
    """One lane of one cluster until nothing is due, or `seconds` are over."""
    from finops.models import Cluster
    from ingest.catch_up import catch_up
    from ingest.sources import SourceError

    cluster = Cluster.objects.get(name=asked["cluster"])
    more = {"seconds": asked["seconds"]} if "seconds" in asked else {}
    try:
        problems, waiting = catch_up(cluster, lane=asked.get("lane", "newest"), clock=clock_from(asked["now"]), **more)
    except SourceError as error:
        return {"refused": str(error)}
    return {"problems": problems, "waiting": waiting}


def order(asked: dict) -> dict:
    """What `manage.py collect --start --end` does, at a time of our own; `account` false leaves the ledger as it is."""
    from finops import pipeline
    from finops.models import Cluster
    from ingest.collect import collect
    from ingest.open import open_source

    cluster = Cluster.objects.get(name=asked["cluster"])
    clock = clock_from(asked["now"])
    hours = [(_at(hour), _at(hour + 3600)) for hour in asked["hours"]]
    problems = collect(cluster, hours, source=open_source(cluster), until=clock(), settled=clock(), clock=clock)
    if asked.get("account", True):
        pipeline.account(cluster)
    return {"problems": problems}


def account(asked: dict) -> dict:
    """What is dirty, or `hours` whatever they are."""
    from finops import pipeline
    from finops.models import Cluster

    cluster = Cluster.objects.get(name=asked["cluster"])
    if "hours" not in asked:
        return {"hours": pipeline.account(cluster)}
    return {"hours": sum(pipeline.account(cluster, start=_at(hour), end=_at(hour + 3600)) for hour in asked["hours"])}


def fleet(asked: dict) -> dict:
    """Two clusters with facts of four days and a bit, none of it accounted."""
    from finops.models import Cluster
    from tests.bench import hundred

    hundred.configure()
    for seed, name in enumerate(asked["clusters"]):
        row = Cluster.objects.create(name=name, source={}, scrape_interval=60.0)
        hundred.store(row.id, asked["hours"], nodes=2, seed=seed)
    return {}


def command(asked: dict) -> dict:
    """`manage.py` with these words: what it printed, and its error with the exit code."""
    from io import StringIO

    from django.core.management import CommandError, call_command

    out = StringIO()
    try:
        call_command(*asked["words"], stdout=out)
    except CommandError as error:
        return {"said": out.getvalue(), "error": str(error), "code": error.returncode}
    return {"said": out.getvalue()}


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def main() -> None:
    asked = json.loads(sys.argv[1])
    ahead, true = asked.get("ahead", 0), time.time
    time.time = lambda: true() + ahead
    import django

    django.setup()
    from tests.integration.faults import hooks

    hooks.install(asked.get("hooks", []))
    shorten(asked.get("constants", {}))
    print(json.dumps(globals()[asked["do"]](asked)), flush=True)


if __name__ == "__main__":
    main()
