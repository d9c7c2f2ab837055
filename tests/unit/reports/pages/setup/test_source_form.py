"""The form of a source, there and back."""

from finops.configuration.specs import PrometheusSpec
from reports.pages.setup.source_form import read, texts


def test_everything_at_once() -> None:
    posted = {
        "url": " http://p:9090 ", "match": 'cluster="eks"\n\n team = gpu ', "headers": "X-Scope-OrgID: a:b", "bearer_token_env": "TOKEN",
        "ca_file": "/etc/ca.pem", "timeout": "1m", "max_parallel": "4", "unknown": "x",
    }  # fmt: skip
    spec, errors = read(posted)
    assert errors == {}
    assert spec == PrometheusSpec("http://p:9090", {"cluster": "eks", "team": "gpu"}, {"X-Scope-OrgID": "a:b"}, "TOKEN", None, "/etc/ca.pem", 60.0, 4)


def test_the_texts_of_a_stored_source_read_back_the_same() -> None:
    stored = {"url": "http://p:9090", "match": {"a": "b=c"}, "headers": {"X-A": "b"}, "timeout": 0.5, "max_parallel": None}
    assert texts(stored) == {"url": "http://p:9090", "match": "a=b=c", "headers": "X-A: b", "timeout": "0.5s"}
    assert read(texts(stored)) == (PrometheusSpec("http://p:9090", {"a": "b=c"}, {"X-A": "b"}, timeout=0.5), {})


def test_every_wrong_line_is_named_beside_what_the_file_would_say() -> None:
    spec, errors = read({"url": "p", "match": "nonsense\na=1\na=2", "timeout": "soon"})
    assert spec is None
    assert errors["match"] == ["'nonsense' is not of the form label=value; write one per line", "'a' stands there twice; keep one line"]
    assert len(errors["url"]) == len(errors["timeout"]) == 1


def test_text_that_tries_to_be_more_than_text_stays_text() -> None:
    spec, _ = read({"url": "http://p:9090", "match": 'a="}],teams: [{name: x'})
    assert spec is not None and spec.match == {"a": "}],teams: [{name: x"}


def test_a_control_character_is_refused_and_not_stored() -> None:
    for text in ("a=b\x00c", "a=b\x85c", "a=b\ud800c"):
        spec, errors = read({"url": "http://p:9090", "match": text})
        assert spec is None and errors
