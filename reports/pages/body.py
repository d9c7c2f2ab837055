"""The parts of the overview, each made of the answer and four more lists of rows."""

from dataclasses import replace
from functools import partial

from finops import queries
from finops.scope import Window
from reports.charts import APART, colours
from reports.models import TeamColour
from reports.pages import gaps, idle, links
from reports.pages.answer import sentence
from reports.pages.chart import chart_of, range_of, whole_days
from reports.pages.comparison import period_before
from reports.pages.entries import entries, ordered, shortened
from reports.pages.identity import parts_of
from reports.pages.items import by_item, item_of, label, summed
from reports.pages.moved import PRICED_BY, movement
from reports.pages.question import Question
from reports.pages.state import HEADS, ROWS, SORTS
from reports.pages.table import MOST, held, lines_of
from reports.pages.tiles import tiles_of


def body(asked: Question, answer) -> dict[str, object]:
    """What the template shows beneath title and filters."""
    scope, state, zone, params = asked.scope, asked.state, asked.zone, asked.params
    keys, total, parts = state.keys, answer.total, parts_of(answer.total)
    cells = tuple(dict.fromkeys((*keys, *PRICED_BY)))
    before = period_before(scope, as_of=asked.as_of, zone=zone, cells=cells)
    now_cells = queries.rows_of(replace(scope, group_by=cells))
    days_asked = range_of(scope, as_of=asked.as_of, zone=zone)
    days = queries.rows_of(days_asked)
    missing = queries.incomplete(replace(scope, window=_reach(before, days_asked)), zone=zone)
    lost_rows = idle.rows_of(scope)
    tokens = _tokens([*days, *lost_rows, *(answer.rows if state.by == "team" else ())])

    named = partial(label, by=state.by, params=params, tokens=tokens)
    now = {item_of(row, keys): row for row in answer.rows}
    found = entries(now, before, summed(before.rows, keys), total=total, parts=parts, keys=keys, label=named)
    rows = ordered(found, state)
    if not state.rows:
        rows = shortened(rows, most=MOST, noun=ROWS[state.by].lower() if state.by != "gpu_model" else "models")
    moved = None
    if not before.why_not:
        moved = movement(found, by_item(now_cells, keys), by_item(before.rows, keys), keys)
    lost = idle.lost(lost_rows, parts, params=params, tokens=tokens)
    pale = gaps.days_of(gaps.within(missing, days_asked.window), zone) if missing else set()
    if asked.as_of is not None and asked.as_of < scope.window.end:
        pale.add(asked.as_of.astimezone(zone).date())
    return {
        "total": total,
        "parts": parts,
        "held": {"hours": held(parts, "hours", total.allocated_gpu_hours), "money": held(parts, "money", None),
                 "share": held(parts, "share", None)},
        "before": before,
        "answer": sentence(asked, total, before, moved, lost[-1]),
        "tiles": tiles_of(total, before, whole_days(days, window=scope.window), window=scope.window, unit=answer.currency),
        "chart": chart_of(days, days_asked, scope=scope, before=before, total=total, state=state, tokens=tokens,
                          pale=frozenset(pale), zone=zone),
        "chart_links": links.chart_links(params, state),
        "lines": lines_of(rows, total=total, parts=parts),
        "shortened": len(rows) < len(found),
        "state": state,
        "noun": ROWS[state.by],
        "head": HEADS[state.by],
        "heads": links.heads(params, state, SORTS),
        "row_links": links.row_links(params, state, usual=asked.usual),
        "all_columns": links.address(params, columns=None if state.columns else "all"),
        "all_rows": links.address(params, rows="all"),
        "query": links.address(params),
        "lost": lost,
        "moved": moved,
        "why_moved": moved.why(answer.currency) if moved else "",
        "incomplete": gaps.phrases(gaps.within(missing, scope.window), zone, as_of=asked.as_of),
        "incomplete_before": [] if before.why_not else gaps.phrases(gaps.within(missing, before.scope.window), zone, as_of=None),
        "unpriced": gaps.unpriced(now_cells) if total.unpriced_gpu_hours else [],
        "long_days": gaps.odd_days(_reach(before, days_asked), zone),
        "balanced": answer.balanced,
    }  # fmt: skip


def _reach(before, days_asked) -> Window:
    """From the earlier of both beginnings to the chart's end."""
    return Window(min(before.scope.window.start, days_asked.window.start), days_asked.window.end)


def _tokens(rows) -> dict[str, str]:
    """Each team's colour; new teams get theirs by what they cost."""
    cost: dict[str, object] = {}
    for row in rows:
        cost.setdefault(row.keys["team"], row.cost)
    return colours(TeamColour.remembered([name for name in cost if name not in APART]))
