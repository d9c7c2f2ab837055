"""Which job is meant, and over which window."""

from dataclasses import dataclass, replace
from datetime import UTC
from difflib import get_close_matches

from django.db import connection

from finops import queries
from finops.scope import Refused, Scope, Window
from finops.times import instant


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked; "" is any. `teams`: what the reader may see, None for all of it."""

    namespace: str
    name: str
    cluster: str = ""
    kind: str = ""
    run: str = ""
    start: str = ""
    end: str = ""
    teams: frozenset[str] | None = None

    @property
    def job(self) -> str:
        return f"{self.namespace}/{self.name}"

    def filters(self) -> dict[str, tuple[str, ...]]:
        asked = {"cluster": self.cluster, "namespace": self.namespace, "job_kind": self.kind, "job": self.name, "run": self.run}
        return {key: (value,) for key, value in asked.items() if value}

    def scope(self, window: Window, *group_by: str, step: str = "total") -> Scope:
        return Scope(window, group_by, step, self.filters(), teams=self.teams)


def question(job: str, **more) -> Question:
    """From `NAMESPACE/NAME`; Refused where it is none."""
    namespace, slash, name = job.partition("/")
    if not (namespace and slash and name):
        raise Refused(f"{job!r}: name the job as NAMESPACE/NAME, like ml/train")
    return Question(namespace, name, **more)


def resolved(asked: Question) -> tuple[Question, Window, Window]:
    """The one job that is meant, its cluster and kind named; the window asked for, and its whole stored life.

    Refused where there is no such job, several, or nothing of it in the window.
    """
    whole = _stored()
    plain = replace(asked, run="")
    found = queries.rows_of(plain.scope(whole, "job"))
    if not found:
        raise Refused(_unknown(asked, whole))
    if len(found) > 1:
        raise Refused(f"{asked.job} is {len(found)} jobs; choose one: {'; '.join(_options(row.keys) for row in found)}")
    one = replace(asked, cluster=found[0].keys["cluster"], kind=found[0].keys["job_kind"])
    if one.run and not queries.rows_of(one.scope(whole), most=1):
        runs = [row.keys["run"] for row in queries.rows_of(replace(one, run="").scope(whole, "run"))]
        raise Refused(f"{one.job} has no run {one.run!r}; the nearest are {', '.join(_near(one.run, runs))}")
    life = _life(one, whole)
    return one, _window(one, life), life


def _stored() -> Window:
    with connection.cursor() as cursor:
        cursor.execute("""select min(start), max("end") from collection_window where accounted_at is not null""")
        start, end = cursor.fetchone()
    if start is None:
        raise Refused("nothing is in the ledger yet; manage.py collect fetches it")
    return Window(start, end)


def _life(one: Question, whole: Window) -> Window:
    """The hours in which the ledger has lines of it: of its first and its last day, then of their hours."""
    days = queries.rows_of(one.scope(whole, step="day"))
    ends = [
        Window(max(d.period_start.astimezone(UTC), whole.start), min(d.period_end.astimezone(UTC), whole.end)) for d in (days[0], days[-1])
    ]  # type: ignore[union-attr]
    first, last = (queries.rows_of(one.scope(day, step="hour")) for day in ends)
    return Window(first[0].period_start.astimezone(UTC), last[-1].period_end.astimezone(UTC))  # type: ignore[union-attr]


def _window(one: Question, life: Window) -> Window:
    zone = queries.zone()
    start = instant(one.start, zone=zone, name="--start") if one.start else life.start
    end = instant(one.end, zone=zone, name="--end") if one.end else life.end
    if end > start and not (start < life.end and life.start < end) or end <= start and not (one.start and one.end):
        told = " – ".join(t.astimezone(zone).isoformat(timespec="minutes") for t in (life.start, life.end))
        raise Refused(f"{one.job} holds no GPU in that window; the ledger has it over {told}")
    return Window(start, end)


def _options(keys: dict[str, str]) -> str:
    return f"--cluster {keys['cluster']} --kind {keys['job_kind']}"


def _unknown(asked: Question, whole: Window) -> str:
    others = queries.rows_of(Scope(whole, ("job",), excludes={"job": ("",)}, teams=asked.teams))
    same = [row.keys for row in others if (row.keys["namespace"], row.keys["job"]) == (asked.namespace, asked.name)]
    if same:
        return f"{asked.job} is not there by that cluster and kind; it is {'; '.join(map(_options, same))}"
    names = list(dict.fromkeys(f"{row.keys['namespace']}/{row.keys['job']}" for row in others))
    if not names:
        return f"no job {asked.job}: the ledger has no job at all"
    return f"no job {asked.job} in the ledger; the nearest are {', '.join(_near(asked.job, names))}"


def _near(wanted: str, names: list[str]) -> list[str]:
    """The three that are spelt most alike, whatever their likeness."""
    return get_close_matches(wanted, names, n=3, cutoff=0.0)
