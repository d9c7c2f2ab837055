"""The kept key: the same for all, its owner's alone."""

from concurrent.futures import ThreadPoolExecutor

from finops.environment.secret import kept


def test_made_once_whoever_asks_first(tmp_path):
    path = tmp_path / "data/secret-key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: kept(path), range(32)))
    assert len(keys) == 1 and len(keys.pop()) >= 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret-key"]
