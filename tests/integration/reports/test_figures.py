"""Numbers as printed; every expected text worked by hand."""

from decimal import Decimal as D

import pytest

from reports.templatetags.figures import apportioned, hours, money, per_hour, percent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (money(D("11843.445")), "11,843.45"),
        (money(D("-0.004")), "0.00"),
        (money(D("-1234.5")), "\u22121,234.50"),
        (hours(D("8242.25")), "8,242.3"),
        (per_hour(D("2.915")), "2.92"),
        (percent(0.4156), "41.6%"),
        (percent(0), "0.0%"),
        (money(None), "\u2013"),
        (percent(None), "\u2013"),
    ],
)
def test_printed(text, expected):
    assert text == expected


@pytest.mark.parametrize(
    ("parts", "whole", "expected"),
    [
        (["0.335", "0.335", "0.330"], "1", ["0.34", "0.33", "0.33"]),
        (["33.333", "33.333", "33.334"], "100", ["33.33", "33.33", "33.34"]),
        (["1.006", None, "2.006"], "3.012", ["1.01", None, "2.00"]),
        (["0", "0"], "0", ["0.00", "0.00"]),
        ([None], None, [None]),
    ],
)
def test_parts_add_up_to_the_printed_whole(parts, whole, expected):
    def number(text):
        return None if text is None else D(text)

    assert apportioned([number(part) for part in parts], number(whole), 2) == [number(text) for text in expected]
