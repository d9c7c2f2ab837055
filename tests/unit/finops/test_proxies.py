"""X-Forwarded-*: a trusted proxy's word, nobody else's."""

from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from finops.cookies import SecureCookies
from finops.proxies import TrustedProxies

NETWORKS = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.fixture
def seen(settings):
    """(peer, headers) → the caller, scheme and host as the product sees them."""
    settings.TRUSTED_PROXIES, settings.ALLOWED_HOSTS = NETWORKS, ["*"]

    def ask(peer: str, *, For: str = "", Proto: str = "", Host: str = "") -> tuple[str, str, str]:
        found = []
        headers = {"X-Forwarded-For": For, "X-Forwarded-Proto": Proto, "X-Forwarded-Host": Host, "Host": "inside"}
        request = RequestFactory().get("/", REMOTE_ADDR=peer, headers={name: value for name, value in headers.items() if value})
        TrustedProxies(lambda r: found.append(r) or HttpResponse())(request)
        assert not [name for name in found[0].META if "FORWARDED" in name]
        return found[0].META["REMOTE_ADDR"], found[0].scheme, found[0].get_host()

    return ask


def test_a_stranger_is_not_believed(seen):
    assert seen("192.0.2.1", For="1.1.1.1", Proto="https", Host="evil") == ("192.0.2.1", "http", "inside")


def test_a_trusted_proxy_is(seen):
    assert seen("10.0.0.1", For="192.0.2.9", Proto="https", Host="costs.example.com") == ("192.0.2.9", "https", "costs.example.com")


def test_what_the_caller_wrote_before_the_proxy_does_not_count(seen):
    assert seen("10.0.0.1", For="1.1.1.1, 192.0.2.9", Proto="http, https", Host="evil, costs.example.com") == (
        "192.0.2.9",
        "https",
        "costs.example.com",
    )


def test_through_two_trusted_proxies_the_outer_one_counts(seen):
    """Each adds an entry: the caller forged the first, the outer proxy wrote the second, the inner the third."""
    assert seen("10.0.0.1", For="1.1.1.1, 192.0.2.9, 10.0.0.2", Proto="http, https, http") == ("192.0.2.9", "https", "inside")


def test_one_entry_for_two_proxies_is_the_one_that_is_there(seen):
    assert seen("10.0.0.1", For="192.0.2.9, 10.0.0.2", Proto="https")[:2] == ("192.0.2.9", "https")


def test_when_all_are_trusted_the_first_is_the_caller(seen):
    assert seen("10.0.0.1", For="10.0.0.3, 10.0.0.2")[0] == "10.0.0.3"


@pytest.mark.parametrize(
    ("written", "caller"),
    [("192.0.2.9:4711", "192.0.2.9"), ("[2001:db8::1]:4711", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("unknown", "10.0.0.1")],
)
def test_the_forms_proxies_write(seen, written, caller):
    assert seen("10.0.0.1", For=written)[0] == caller


def test_an_ipv4_peer_on_an_ipv6_socket_is_the_same_proxy(seen):
    assert seen("::ffff:10.0.0.1", For="192.0.2.9")[0] == "192.0.2.9"


def test_another_scheme_is_no_scheme(seen):
    assert seen("10.0.0.1", Proto="gopher")[1] == "http"


@pytest.mark.parametrize(("peer", "secure"), [("10.0.0.1", True), ("192.0.2.1", "")])
def test_over_tls_cookies_are_secure(settings, peer, secure):
    settings.TRUSTED_PROXIES = NETWORKS
    answer = HttpResponse()
    answer.set_cookie("csrftoken", "x")
    request = RequestFactory().get("/", REMOTE_ADDR=peer, headers={"X-Forwarded-Proto": "https"})
    assert TrustedProxies(SecureCookies(lambda _: answer))(request).cookies["csrftoken"]["secure"] == secure
