"""Every GPU-hour costs 1."""

import pytest

from finops.models import Rate


@pytest.fixture(autouse=True)
def price(db) -> None:
    Rate.objects.create(price="1", currency="CHF")
