"""What the rows of a page's tables are: teams, jobs, node pools or GPU models; their names and where they lead."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from finops import queries
from reports.pages.links import address
from reports.params import Params

Item = tuple[str, ...]
UNALLOCATED = "unallocated"
NONE = "(none)"
OF_A_JOB = ("cluster", "namespace", "job_kind", "job")


@dataclass(frozen=True)
class Label:
    """`colour`: a token's name, for teams; `link`: an address, empty where there is nothing below."""

    name: str
    note: str = ""
    link: str = ""
    colour: str = ""


def item_of(row, keys: Sequence[str]) -> Item:
    return tuple(row.keys[key] for key in keys)


def held_rows(rows: Iterable) -> list:
    """The rows with GPU-hours: who only bears what policies moved has a row of zeros on pages, which do not show that column."""
    return [row for row in rows if row.hours("capacity")]


def is_unallocated(item: Item, keys: Sequence[str]) -> bool:
    """The capacity nobody held: a team of its own; among jobs the one without a name."""
    named = dict(zip(keys, item, strict=True))
    return named.get("team") == UNALLOCATED or named.get("job") == ""


def by_item(rows: Iterable, keys: Sequence[str]) -> dict[Item, list]:
    """Finer rows under the item they belong to."""
    found: dict[Item, list] = defaultdict(list)
    for row in rows:
        found[item_of(row, keys)].append(row)
    return dict(found)


def summed(rows: Iterable, keys: Sequence[str]) -> dict[Item, object]:
    """Finer rows added up to one row of each item."""
    return {
        item: queries.together(finer, keys=dict(zip(keys, item, strict=True))) for item, finer in by_item(rows, keys).items()
    }


def label(named: Mapping[str, str], by: str, params: Params, tokens: Mapping[str, str]) -> Label:
    """`named`: the keys of one row; a link opens what it holds."""
    if by == "job":
        return _job(named, params)
    value = named[by]
    if by == "team":
        colour = tokens.get(value, "team-other")
        if value == UNALLOCATED:
            return Label("Unallocated", colour=colour)
        return Label(value or NONE, link=address(params, team=value, **WITHOUT) if value else "", colour=colour)
    return Label(value or NONE, link=address(params, **{by: value}, **WITHOUT) if value else "")


WITHOUT: dict[str, None] = dict.fromkeys(("by", "sort", "rows", "chart"))


def _job(named: Mapping[str, str], params: Params) -> Label:
    if not named["job"]:
        return Label("Unallocated")
    note = " · ".join(named[key] for key in ("job_kind", "cluster") if named[key])
    chosen = {key: named[key] for key in OF_A_JOB if named[key]}
    return Label(f"{named['namespace']}/{named['job']}", note, address(params, **chosen, by="job", sort=None, rows=None))
