"""A price list as CSV: the header names the keys of ``rates``, each line is one rate."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import tzinfo

from . import document, prices
from .fields import Place
from .problems import Invalid, Problem, shown, suggestion
from .specs import RateSpec

HEADER = ",".join(prices.KEYS)
NEEDED = ("price", "currency")


def parse(text: str, *, zone: tzinfo) -> tuple[RateSpec, ...]:
    """Every rate of the list; an empty cell is an absent key. Raises Invalid with every error of the whole file.

    Cells are separated by the commas, semicolons or tabs of the header; times without an offset are in ``zone``.
    """
    problems: list[Problem] = []
    rows = _rows(text.removeprefix("\ufeff"))
    line, header = next(rows, (1, []))
    _check(header, line, problems)
    if problems:
        raise Invalid(problems)
    nodes = tuple(node for line, cells in rows if (node := _node(line, header, cells, problems)))
    found = prices.rates(Place(document.Sequence(line, nodes), "rates", problems), zone=zone)
    if not nodes and not problems:
        problems.append(Problem(line, "", "no rate follows the header; write one per line"))
    if problems:
        raise Invalid(problems)
    return found


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number (from 1) and trimmed cells of every line that has any."""
    first = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    before = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield before + 1, [cell.strip() for cell in cells]
            before = reader.line_num
    except csv.Error as error:
        raise Invalid([Problem(before + 1, "", f"not CSV: {error}; close every quotation mark")]) from None


def _check(header: list[str], line: int, problems: list[Problem]) -> None:
    for name in header:
        if name not in prices.KEYS:
            problems.append(Problem(line, "", f"unknown column {shown(name)}; the header is {HEADER}{suggestion(name, prices.KEYS)}"))
        elif header.count(name) > 1:
            problems.append(Problem(line, "", f"the column {name} stands there more than once; remove one"))
    lacking = [name for name in NEEDED if name not in header]
    if lacking and not problems:
        problems.append(Problem(line, "", f"the column {' and '.join(lacking)} is missing; the header is {HEADER}"))


def _node(line: int, header: list[str], cells: list[str], problems: list[Problem]) -> document.Mapping | None:
    if len(cells) != len(header):
        cure = "quote a value that holds the separator"
        problems.append(Problem(line, "", f"{len(cells)} cells where the header has {len(header)}; {cure}"))
        return None
    entries: dict[str, document.Node] = {key: document.Scalar(line, cell) for key, cell in zip(header, cells, strict=True) if cell}
    return document.Mapping(line, entries, dict.fromkeys(entries, line))
