"""A price list as CSV: the header names the keys of ``rates``, each line is one rate."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import tzinfo

from . import document, prices
from .fields import Place
from .problems import Invalid, Problem, shown, suggestion
from .specs import RateSpec

COLUMNS = tuple(name for key in prices.KEYS for name in ([f"weights.{part}" for part in prices.WEIGHTS] if key == "weights" else [key]))
HEADER = ",".join(COLUMNS)


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
        if name not in COLUMNS:
            problems.append(Problem(line, "", f"unknown column {shown(name)}; the header is {HEADER}{suggestion(name, COLUMNS)}"))
        elif header.count(name) > 1:
            problems.append(Problem(line, "", f"the column {name} stands there more than once; remove one"))
    priced = "price" in header or "instance_price" in header
    lacking = ([] if priced else ["price or instance_price"]) + ([] if "currency" in header else ["currency"])
    if lacking and not problems:
        problems.append(Problem(line, "", f"the column {' and '.join(lacking)} is missing; the header is {HEADER}"))


def _node(line: int, header: list[str], cells: list[str], problems: list[Problem]) -> document.Mapping | None:
    if len(cells) != len(header):
        cure = "quote a value that holds the separator"
        problems.append(Problem(line, "", f"{len(cells)} cells where the header has {len(header)}; {cure}"))
        return None
    found = {key: document.Scalar(line, cell) for key, cell in zip(header, cells, strict=True) if cell}
    weights = {key.removeprefix("weights."): found.pop(key) for key in list(found) if key.startswith("weights.")}
    return _mapping(line, {**found, **({"weights": _mapping(line, weights)} if weights else {})})


def _mapping(line: int, entries: Mapping[str, document.Node]) -> document.Mapping:
    return document.Mapping(line, dict(entries), dict.fromkeys(entries, line))
