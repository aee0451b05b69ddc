"""Addresses of machines, as they are written in URLs and headers."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

Address = IPv4Address | IPv6Address


def parse_address(text: str) -> Address | None:
    """The IP address that the text is, one of IPv4 also where it is dressed as IPv6; None for none."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback_name(name: str) -> bool:
    """Whether a host name or address is this machine's to itself."""
    if name == "localhost":
        return True
    address = parse_address(name)
    return address is not None and address.is_loopback
