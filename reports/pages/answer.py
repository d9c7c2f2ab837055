"""The answer first, in words: what it cost, against before, who moved it, how much was lost."""

from dataclasses import dataclass
from decimal import Decimal

from finops import queries
from reports.pages.comparison import Before
from reports.pages.dates import span
from reports.pages.idle import Lost
from reports.pages.moved import Movement
from reports.pages.question import Question
from reports.templatetags.figures import money, percent, printed, rounded

MAIN = Decimal("0.5")  # a mover that made at least this part of the change is named


@dataclass(frozen=True)
class Sentence:
    """Words and figures in turn; figures are strong. Empty where there is nothing to say."""

    subject: str
    cost: str
    change: str
    mover: str
    efficiency: str
    lost: str
    lost_share: str


def sentence(asked: Question, total, before: Before, moved: Movement | None, lost: Lost) -> Sentence:
    """Every figure in it stands on the page as well."""
    unit = total.currency
    return Sentence(
        subject=_subject(asked),
        cost="–" if total.cost is None else f"{unit}\u00a0{money(total.cost)}",
        change=_change(total, before),
        mover=_mover(moved, unit),
        efficiency="" if total.efficiency is None else percent(total.efficiency),
        lost="" if lost.cost is None or not lost.cost else f"{unit}\u00a0{money(lost.cost)}",
        lost_share=percent(queries.ratio(lost.cost, total.cost)) if lost.cost and total.cost else "",
    )


def _subject(asked: Question) -> str:
    words = {"7d": "The last 7 days", "30d": "The last 30 days", "mtd": "The month so far", "lastmonth": "Last month"}
    return words.get(asked.word) or span(asked.scope.window, asked.zone)


def _change(total, before: Before) -> str:
    if before.why_not or total.cost is None or before.total.cost is None:
        return ""
    part = queries.ratio(total.cost - before.total.cost, before.total.cost)
    if part is None:
        return ""
    if not rounded(part, 3):
        return f"as much as {before.span}"
    return f"{printed(abs(part) * 100, 1)}% {'more' if part > 0 else 'less'} than {before.span}"


def _mover(moved: Movement | None, unit: str) -> str:
    """The one that made most of the change, and how much of it."""
    if moved is None or not moved.movers or not moved.total.change:
        return ""
    first, change = moved.movers[0], moved.total.change
    part = queries.ratio(first.change, change)
    if part is None or part < MAIN or len(moved.movers) < 2:
        return ""
    way = "rise" if change > 0 else "fall"
    amount = f"{unit}\u00a0{money(abs(first.change))}"
    if part > 1:
        return f"{first.label.name} alone {'rose' if change > 0 else 'fell'} by {amount}"
    return f"{first.label.name} accounts for {amount} of the {way}"
