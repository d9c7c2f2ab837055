"""A cache whose server is away."""

import pytest

from finops.cache import PatientCache
from tests.prometheus_server import free_port


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_nothing_is_known_and_everything_goes_on() -> None:
    cache = PatientCache(f"redis://127.0.0.1:{free_port()}/1", {})
    assert (cache.get("a"), cache.get("a", default=[]), cache.get("a", 7)) == (None, [], 7)
    assert (cache.add("a", 1), cache.set("a", 1), cache.delete("a"), cache.incr("a"), cache.get_many(["a"])) == (True, None, False, 1, {})
