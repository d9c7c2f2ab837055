"""What is asked, in PromQL: selectors, range functions, times."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ingest.catalogue import Query

LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
OPERATORS = ("=", "!=", "=~", "!~")
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def selector(
    names: Sequence[str],
    *,
    match: Mapping[str, str] = {},
    extra: Sequence[tuple[str, str, str]] = (),
) -> str:
    """PromQL selector of the metrics `names`, with label=value pairs and (label, operator, value) matchers.

    ValueError for a name, label or operator outside PromQL's grammar. A value can never end its own quotes.
    """
    if isinstance(names, str) or not names:
        raise ValueError("a selector needs a list of metric names")
    for name in names:
        checked(METRIC, name, "metric name")
    triples = [(label, "=", value) for label, value in match.items()] + list(extra)
    matchers = [matcher(*triple) for triple in triples]
    if len(names) == 1:
        return f"{names[0]}{{{','.join(matchers)}}}" if matchers else names[0]
    return "{" + ",".join([f'__name__=~"{"|".join(names)}"', *matchers]) + "}"


def matcher(label: str, operator: str, value: str) -> str:
    """One PromQL matcher; ValueError for what PromQL cannot hold."""
    checked(LABEL, label, "label name")
    if operator not in OPERATORS:
        raise ValueError(f"{operator!r} is not a PromQL matcher: use one of {' '.join(OPERATORS)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the value for label {label} is not valid Unicode text") from None
    return f'{label}{operator}"{value.translate(ESCAPES)}"'


def checked(pattern: re.Pattern, text: str, what: str) -> None:
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is not a {what}")


def expression_of(query: Query, *, match: Mapping[str, str], window: int) -> str:
    """PromQL of `query.over` over [window] seconds.

    Spellings are asked for one by one and told apart by a label `spelling`: an exporter that is upgraded, or two side by side, tell
    one device under both. Two results with the same labels are an error, and `or` drops one of them, names notwithstanding.
    """
    parts = []
    for name in query.names:
        span = f"{selector([name], match=match, extra=query.extra)}[{window}s]"
        part = f"{query.over}({span})"
        if query.above is not None:
            part += f" > {query.above:g}"
        if query.stray is not None:
            part = f"{part} > {query.stray:g} or min_over_time({span}) < 0"
        parts.append(part if len(query.names) == 1 else f'label_replace({part}, "spelling", "{name}", "", "")')
    return " or ".join(parts)


def seconds(milliseconds: int) -> str:
    """Unix seconds with exactly three decimals, never through a float."""
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def step_of(ends: list[int]) -> int:
    """The distance of the ends in ms."""
    steps = {after - before for before, after in pairwise(ends)}
    if len(steps) != 1 or min(steps) <= 0:
        raise ValueError("the ends must be ascending and equidistant")
    return steps.pop()
