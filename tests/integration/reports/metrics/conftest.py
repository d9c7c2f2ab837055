"""The company's one day as yesterday, the clock told, and nothing kept from another test."""

from datetime import UTC, datetime

import pytest
from django.core.cache import cache

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr("finops.times.now", lambda: NOW)
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def scrape(client):
    """headers → name → [(labels, value)] of what /metrics answers, read by the reader of prometheus_client."""
    from prometheus_client.parser import text_string_to_metric_families

    def scraped(headers: dict[str, str] | None = None) -> dict[str, list[tuple[dict[str, str], float]]]:
        answer = client.get("/metrics", headers=headers or {})
        assert answer.status_code == 200, answer.content
        found: dict[str, list[tuple[dict[str, str], float]]] = {}
        for family in text_string_to_metric_families(answer.content.decode()):
            for sample in family.samples:
                found.setdefault(sample.name, []).append((sample.labels, sample.value))
        return found

    return scraped
