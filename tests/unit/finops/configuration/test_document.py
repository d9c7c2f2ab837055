"""YAML as text with line numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finops.configuration.document import Mapping, Scalar, Sequence, load
from finops.configuration.problems import Invalid


def errors(text: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        load(text)
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize("text", ["0471", "1_000", "0x1F", "1e3", ".nan", "yes", "2026-01-01", "12:30:45", "1.10"])
def test_scalars_stay_text(text: str) -> None:
    assert load(f"a: {text}") == Mapping(1, {"a": Scalar(1, text)}, {"a": 1})


@pytest.mark.parametrize("text", ["", "~", "null"])
def test_null_is_empty_text(text: str) -> None:
    assert load(f"a: {text}") == Mapping(1, {"a": Scalar(1, "")}, {"a": 1})


def test_quoted_null_is_text() -> None:
    assert load('a: "null"') == Mapping(1, {"a": Scalar(1, "null")}, {"a": 1})


def test_every_node_knows_its_line() -> None:
    items = Sequence(3, (Scalar(3, "b"), Scalar(4, "c")))
    assert load("# first\na:\n  - b\n  - c\n") == Mapping(2, {"a": items}, {"a": 2})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", ["line 3: a: the key is already on line 1"]),
        (
            "a: &x 1\nb: *x\n",
            [
                "line 1: a: the anchor '&x' is not allowed; remove it",
                "line 2: b: the alias '*x' is not allowed; write the value out",
            ],
        ),
        (
            "a: !!python/name:os.system x\n",
            ["line 1: a: the tag 'tag:yaml.org,2002:python/name:os.system' is not allowed; every value is text"],
        ),
        ("- a\n", ['line 1: the file must be a mapping of sections, like "currency: CHF"']),
        ("", ['line 1: the file must be a mapping of sections, like "currency: CHF"']),
        ("a: 1\n---\nb: 2\n", ["line 2: a second document starts here; one file, one document"]),
        ("a: 1\n? [b]\n: 2\n", ["line 2: a key must be a single word"]),
        ("a: 1\nb: [1, 2\nc: 3\n", ["line 3: not YAML: expected ',' or ']', but got ':'"]),
        ("a: 1\n\tb: 2\n", ["line 2: not YAML: found character '\\t' that cannot start any token"]),
        ("a: 1\nb: \x00\n", ["line 2: not YAML: the character U+0000 is not allowed"]),
        ('a: 1\nb: "\\UFFFFFFFF"\n', ["line 2: not YAML: a number or an escape after this line is out of range"]),
        ("a: " + "[" * 50, ["line 1: nested deeper than 20 levels"]),
    ],
)
def test_refusals(text: str, expected: list[str]) -> None:
    assert errors(text) == expected


@settings(deadline=None)
@given(st.text(alphabet="ab:-[]{}&*!?|>\"'\\Ux0 \n\t,#%~\x00\u2028", max_size=60))
def test_any_text_is_a_mapping_or_one_line_errors(text: str) -> None:
    try:
        assert isinstance(load(text), Mapping)
    except Invalid as invalid:
        assert invalid.errors
        assert all(len(str(error).splitlines()) == 1 for error in invalid.errors)
