from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batteries.web.networks import IPV4, IPV6
from tether.batteries.web.addresses import is_public

# Resolvers and sites that everybody knows, as their operators publish them.
WELL_KNOWN = (
    *("1.1.1.1", "8.8.8.8", "9.9.9.9", "93.184.216.34", "151.101.1.69", "2606:4700:4700::1111"),
    *("2001:4860:4860::8888", "2620:fe::fe", "2a00:1450:4001:81b::200e"),
)

ipv4 = st.integers(0, 2**32 - 1).map(IPv4Address)


def wrapped(address: IPv4Address) -> list[IPv6Address]:
    """Return the forms that RFC 4291, RFC 6052 and RFC 3056 give an IPv4 address inside IPv6."""
    number = int(address)
    return [
        IPv6Address((0xFFFF << 32) + number),
        IPv6Address((0x64_FF9B << 96) + number),
        IPv6Address((0x2002 << 112) + (number << 80)),
    ]


@pytest.mark.parametrize("network", [*IPV4, *IPV6])
def test_no_address_of_a_special_network_is_public(network: str) -> None:
    first, last = ip_network(network)[0], ip_network(network)[-1]
    middle = ip_address(int(first) + (int(last) - int(first)) // 2)
    for address in (first, middle, last):
        assert not is_public(address)
        assert not is_public(str(address))


@pytest.mark.parametrize("address", WELL_KNOWN)
def test_addresses_that_everybody_reaches_are_public(address: str) -> None:
    assert is_public(address)


# The first and last address beside each network, by arithmetic on the table above.
@pytest.mark.parametrize(
    "address",
    ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
     "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
     "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0",
     "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
     "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::", "2001:200::",
     "2001:db7:ffff::", "2001:db9::", "2001:ffff::", "2003::", "3fff:1000::"],
)  # fmt: skip
def test_the_table_denies_nothing_beside_its_networks(address: str) -> None:
    assert is_public(address)


# RFC 4291, section 4: global unicast addresses come from 2000::/3 alone.
@pytest.mark.parametrize(
    "address", ["1::1", "200::1", "64:ff9b:2::1", "1fff::1", "4000::1", "8000::1", "e000::1"]
)
def test_space_that_was_never_given_out_is_not_public(address: str) -> None:
    assert not is_public(address)


@given(ipv4)
def test_a_wrapped_address_is_what_is_inside(address: IPv4Address) -> None:
    for form in wrapped(address):
        assert is_public(form) == is_public(address)


@given(ipv4)
def test_forms_that_hide_an_address_are_never_public(address: IPv4Address) -> None:
    number = int(address)
    teredo = (0x2001 << 112) + (number << 64) + (number ^ 0xFFFF_FFFF)  # RFC 4380
    compatible = number  # RFC 4291
    translated = (0xFFFF << 48) + number  # RFC 2765
    own_nat64 = (0x64_FF9B_0001 << 80) + number  # RFC 8215
    for form in (teredo, compatible, translated, own_nat64):
        assert not is_public(IPv6Address(form))


@given(st.one_of(ipv4, st.integers(0, 2**128 - 1).map(IPv6Address)))
def test_nothing_is_public_that_the_standard_library_calls_private(
    address: IPv4Address | IPv6Address,
) -> None:
    carries_ipv4 = isinstance(address, IPv6Address) and (address.ipv4_mapped or address.sixtofour)
    if is_public(address) and not carries_ipv4:
        assert address.is_global
        assert not address.is_multicast


# F12: what `ipaddress` gets wrong in Python 3.11.7.
@pytest.mark.parametrize(
    "address",
    ["100.64.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1", "192.0.0.8", "192.88.99.1"],
)
def test_the_gaps_of_the_standard_library_are_closed(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "text",
    ["", "example.org", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "8.8.8.8 ", "8.8.8.8/32",
     "fe80::1%eth0", "2606:4700:4700::1111%1", "[::1]", "\uff18.8.8.8", "1.1.1.1.", "\ud800"],
)  # fmt: skip
def test_what_is_not_an_address_in_its_usual_form_is_not_public(text: str) -> None:
    assert not is_public(text)


def test_an_address_with_a_scope_is_not_public() -> None:
    assert not is_public(IPv6Address("2606:4700:4700::1111%eth0"))
