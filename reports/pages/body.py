"""The parts of the overview, each made of the answer and four more lists of rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from finops import queries
from finops.scope import Scope, Window
from reports.charts import APART, colours
from reports.models import TeamColour
from reports.pages import gaps, idle, links
from reports.pages.answer import sentence
from reports.pages.chart import chart_of, range_of, whole_days
from reports.pages.comparison import Before, period_before
from reports.pages.entries import Entry, entries, ordered, shortened
from reports.pages.identity import Part, idle_money, parts_of
from reports.pages.items import by_item, held_rows, item_of, label, summed
from reports.pages.moved import PRICED_BY, movement
from reports.pages.question import Question
from reports.pages.state import HEADS, NOUNS, ROWS, SORTS
from reports.pages.table import MOST, held, lines_of
from reports.pages.tiles import tiles_of

Page = dict[str, object]


@dataclass(frozen=True)
class Read:
    """What was read for one page. `cells`: rows by item and by what should have one price; `days`: of the chart's own range."""

    before: Before
    cells: Sequence
    range: Scope
    days: Sequence
    lost: Sequence
    missing: Sequence[dict[str, str]]
    tokens: dict[str, str]
    parts: Sequence[Part]


def body(asked: Question, answer) -> Page:
    """What the template shows beneath title and filters."""
    read = _read(asked, answer)
    found = _entries(asked, answer, read)
    return _words(asked, answer, read, found) | _chart(asked, answer, read) | _table(asked, answer, read, found) | _notes(asked, answer, read)


def _read(asked: Question, answer) -> Read:
    scope, zone = asked.scope, asked.zone
    cells = tuple(dict.fromkeys((*asked.state.keys, *PRICED_BY)))
    before = period_before(scope, as_of=asked.as_of, zone=zone, cells=cells, word=asked.word)
    ranged = range_of(scope, as_of=asked.as_of, zone=zone)
    days, lost = held_rows(queries.rows_of(ranged)), idle.rows_of(scope)
    reach = Window(min(before.scope.window.start, ranged.window.start), ranged.window.end)
    missing = queries.incomplete(replace(scope, window=reach), zone=zone)
    tokens = _tokens([*days, *lost, *(held_rows(answer.rows) if asked.state.by == "team" else ())])
    return Read(before, queries.rows_of(replace(scope, group_by=cells)), ranged, days, lost, missing, tokens, parts_of(answer.total))


def _tokens(rows: Sequence) -> dict[str, str]:
    """Each team's colour; a new team gets its own where it is first shown."""
    names = dict.fromkeys(row.keys["team"] for row in rows)
    return colours(TeamColour.remembered([name for name in names if name not in APART]))


def _entries(asked: Question, answer, read: Read) -> list[Entry]:
    keys = asked.state.keys
    named = partial(label, by=asked.state.by, params=asked.params, tokens=read.tokens)
    now = {item_of(row, keys): row for row in held_rows(answer.rows)}
    then = summed(held_rows(read.before.rows), keys)
    return entries(now, read.before, then, total=answer.total, parts=read.parts, keys=keys, label=named)


def _words(asked: Question, answer, read: Read, found: Sequence[Entry]) -> Page:
    """The answer, the identity, the tiles, where money is lost and what moved."""
    total, keys = answer.total, asked.state.keys
    lost = idle.lost(read.lost, read.parts, params=asked.params, tokens=read.tokens)
    moved = None
    if not read.before.why_not:
        moved = movement(found, by_item(read.cells, keys), by_item(read.before.rows, keys), keys)
    days = whole_days(read.days, window=asked.scope.window)
    names = {"hours": total.allocated_gpu_hours, "money": None, "share": None}
    return {
        "total": total,
        "parts": read.parts,
        "held": {name: held(read.parts, name, otherwise) for name, otherwise in names.items()},
        "before": read.before,
        "answer": sentence(asked, total, read.before, moved, lost[-1]),
        "tiles": tiles_of(total, read.before, days, window=asked.scope.window, unit=answer.currency, idle_cost=idle_money(read.parts)),
        "lost": lost,
        "moved": moved,
        "why_moved": moved.why(answer.currency) if moved else "",
    }


def _chart(asked: Question, answer, read: Read) -> Page:
    pale = gaps.days_of(gaps.within(read.missing, read.range.window), asked.zone)
    if asked.as_of is not None and asked.as_of < asked.scope.window.end:
        pale.add(asked.as_of.astimezone(asked.zone).date())
    chart = chart_of(
        read.days, read.range, scope=asked.scope, before=read.before, total=answer.total, state=asked.state,
        tokens=read.tokens, pale=frozenset(pale), zone=asked.zone,
    )  # fmt: skip
    return {"chart": chart, "chart_links": links.chart_links(asked.params, asked.state)}


def _table(asked: Question, answer, read: Read, found: Sequence[Entry]) -> Page:
    state, params = asked.state, asked.params
    rows = ordered(found, state)
    if not state.rows:
        rows = shortened(rows, most=MOST, noun=NOUNS[state.by])
    return {
        "lines": lines_of(rows, total=answer.total, parts=read.parts),
        "shortened": len(rows) < len(found),
        "state": state,
        "noun": ROWS[state.by],
        "head": HEADS[state.by],
        "heads": links.heads(params, state, SORTS),
        "row_links": links.row_links(params, state, usual=asked.usual),
        "all_columns": links.address(params, columns=None if state.columns else "all"),
        "all_rows": links.address(params, rows="all"),
        "query": links.address(params),
    }


def _notes(asked: Question, answer, read: Read) -> Page:
    """What is incomplete, unpriced or of another length than one might think."""
    zone, before = asked.zone, read.before
    earlier = [] if before.why_not else gaps.within(read.missing, before.scope.window)
    first = read.range.window.start if before.why_not else min(before.scope.window.start, read.range.window.start)
    return {
        "incomplete": gaps.phrases(gaps.within(read.missing, asked.scope.window), zone, as_of=asked.as_of),
        "incomplete_before": gaps.phrases(earlier, zone, as_of=None),
        "unpriced": gaps.unpriced(read.cells) if answer.total.unpriced_gpu_hours else [],
        "long_days": gaps.odd_days(Window(first, read.range.window.end), zone),
        "balanced": answer.balanced,
    }
