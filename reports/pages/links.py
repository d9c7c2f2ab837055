"""The state of a page is its address: links change one part of it and keep the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from reports.pages.state import CHARTS, ROWS, State
from reports.params import Params

WINDOWS = {"7d": "7 days", "30d": "30 days", "mtd": "Month to date", "lastmonth": "Last month"}
OF_THE_WINDOW = ("window", "start", "end")
FILTERS = {
    "team": "Team", "department": "Department", "cost_center": "Cost centre", "namespace": "Namespace", "job": "Job",
    "job_kind": "Job kind", "user": "User", "queue": "Queue", "cluster": "Cluster", "node_pool": "Node pool", "node": "Node",
    "gpu_model": "GPU model", "capacity_type": "Capacity type", "run": "Run", "pod": "Pod",
}  # fmt: skip


@dataclass(frozen=True)
class Link:
    text: str
    href: str
    current: bool = False


@dataclass(frozen=True)
class Head:
    """A column's head as a link that sorts by it; `sorted` as aria-sort has it, empty where it is not."""

    name: str
    href: str
    sorted: str

    @property
    def arrow(self) -> str:
        return {"ascending": "↑", "descending": "↓"}.get(self.sorted, "")


def address(params: Params, **changes: str | None) -> str:
    """The query with these parameters set, or gone where None."""
    kept: dict[str, Sequence[str]] = {name: values for name, values in params.items() if name not in changes}
    kept.update({name: [value] for name, value in changes.items() if value is not None})
    return "?" + urlencode(kept, doseq=True)


def is_custom(params: Params) -> bool:
    return bool(params.get("start") or params.get("end"))


def window_links(params: Params) -> list[Link]:
    current = "" if is_custom(params) else (params.get("window") or ["7d"])[-1]
    return [Link(text, address(params, window=word, start=None, end=None), word == current) for word, text in WINDOWS.items()]


def row_links(params: Params, state: State, *, usual: str) -> list[Link]:
    """What a row is; the `usual` one needs no word in the address."""
    return [
        Link(text, address(params, by=None if by == usual else by, sort=None, rows=None), by == state.by) for by, text in ROWS.items()
    ]


def chart_links(params: Params, state: State) -> list[Link]:
    return [Link(text, address(params, chart=name), name == state.chart) for name, text in CHARTS.items()]


def heads(params: Params, state: State, names: Sequence[str]) -> dict[str, Head]:
    """Sorting falls first, names rise first; a second click turns it round."""
    made = {}
    for name in names:
        falling = not state.falling if name == state.sort else name != "name"
        order = "" if name != state.sort else "descending" if state.falling else "ascending"
        sort = f"{'-' if falling else ''}{name}"
        made[name] = Head(name, address(params, sort=None if sort == "-cost" else sort), order)
    return made


def window_fields(params: Params) -> list[tuple[str, str]]:
    """What the custom form carries along besides its bounds."""
    return [(name, value) for name, values in params.items() if name not in OF_THE_WINDOW for value in values]


def all_fields(params: Params) -> list[tuple[str, str]]:
    """What the filter form carries along."""
    return [(name, value) for name, values in params.items() for value in values]


def with_filter(params: Params) -> str | None:
    """The address that a filled filter form means: add_key, add_verb, add_value become one more filter."""
    key, verb, value = ((params.get(f"add_{name}") or [""])[-1] for name in ("key", "verb", "value"))
    if not key or not value:
        return None
    name = f"exclude.{key}" if verb == "not" else key
    kept = {given: values for given, values in params.items() if not given.startswith("add_")}
    return address({**kept, name: [*kept.get(name, ()), value]})


def chips(filters: Mapping[str, Sequence[str]], excludes: Mapping[str, Sequence[str]], params: Params) -> list[dict]:
    """Each filter in words, with the address that is without it."""
    named = [(key, "is", values, key) for key, values in filters.items()]
    named += [(key, "is not", values, f"exclude.{key}") for key, values in excludes.items()]
    return [
        {
            "key": FILTERS.get(key, key.replace("label:", "Label ")),
            "verb": verb,
            "values": " or ".join(value or "(none)" for value in values),
            "href": address(params, **{name: None}),
        }
        for key, verb, values, name in named
    ]
