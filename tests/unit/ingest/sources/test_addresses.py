"""Addresses a source may have, and those that lead to a cloud's credentials."""

import pytest

from ingest.sources.addresses import Forbidden, refuse, refuse_host


@pytest.mark.parametrize("address", ["169.254.169.254", "169.254.0.1", "fe80::1%eth0", "::ffff:169.254.169.254", "2002:a9fe:a9fe::", "0.0.0.0", "::",
                                     "224.0.0.1", "ff02::1", "fd00:ec2::254", "fd20:ce::254", "64:ff9b::a9fe:a9fe", "100.100.100.200", "192.0.0.192"])  # fmt: skip
def test_metadata_and_nowhere_are_refused(address: str) -> None:
    with pytest.raises(Forbidden, match="the address leads to .*; name the server itself"):
        refuse(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.2", "192.168.1.9", "172.16.0.1", "fd12::1", "8.8.8.8", "100.64.0.1"])
def test_where_servers_live_is_allowed(address: str) -> None:
    refuse(address)


@pytest.mark.parametrize("host", ["2852039166", "0251.0376.0251.0376", "0xa9fea9fe", "[::ffff:169.254.169.254]", "169.254.169.254"])
def test_other_spellings_of_the_same_address_are_refused(host: str) -> None:
    with pytest.raises(Forbidden, match="169.254.169.254"):
        refuse_host(host, 80)


def test_a_name_that_does_not_resolve_is_left_to_the_connection() -> None:
    refuse_host("no-such-host.invalid", 80)
