"""The state of a page is its address: links change one part of it and keep the rest."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from reports.params import Params

WINDOWS = {"7d": "7 days", "30d": "30 days", "mtd": "Month to date", "lastmonth": "Last month"}
OF_THE_WINDOW = ("window", "start", "end")


def address(params: Params, **changes: str | None) -> str:
    """The query with these parameters set, or gone where None."""
    kept: dict[str, Sequence[str]] = {name: values for name, values in params.items() if name not in changes}
    kept.update({name: [value] for name, value in changes.items() if value is not None})
    return "?" + urlencode(kept, doseq=True)


def is_custom(params: Params) -> bool:
    return bool(params.get("start") or params.get("end"))


def window_links(params: Params) -> list[dict[str, object]]:
    current = "" if is_custom(params) else (params.get("window") or ["7d"])[-1]
    return [
        {"text": text, "href": address(params, window=word, start=None, end=None), "current": word == current}
        for word, text in WINDOWS.items()
    ]


def window_fields(params: Params) -> list[tuple[str, str]]:
    """What the custom form carries along besides its bounds."""
    return [(name, value) for name, values in params.items() if name not in OF_THE_WINDOW for value in values]


def chips(filters: Mapping[str, Sequence[str]], excludes: Mapping[str, Sequence[str]], params: Params) -> list[dict]:
    """Each filter in words, with the address that is without it."""
    named = [(key, "is", values, key) for key, values in filters.items()]
    named += [(key, "is not", values, f"exclude.{key}") for key, values in excludes.items()]
    return [
        {
            "key": key.replace("_", " ").capitalize(),
            "verb": verb,
            "values": " or ".join(value or "(none)" for value in values),
            "href": address(params, **{name: None}),
        }
        for key, verb, values, name in named
    ]
