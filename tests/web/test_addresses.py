from __future__ import annotations

import ssl
from pathlib import Path
from types import SimpleNamespace

import ifaddr
import pytest

from kdscan.web.addresses import own_certificate, reachable


def adapter(name: str, *addresses: str) -> SimpleNamespace:
    ips = [SimpleNamespace(ip=address, is_IPv4=":" not in address) for address in addresses]
    return SimpleNamespace(nice_name=name, ips=ips)


def test_addresses_of_home_networks_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = [
        adapter("lo", "127.0.0.1"),
        adapter("docker0", "172.17.0.1"),
        adapter("tun0", "10.8.0.2"),
        adapter("wlan0", "fe80::1", "169.254.3.4", "192.168.50.1"),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    assert reachable("0.0.0.0") == ["192.168.50.1", "10.8.0.2", "172.17.0.1"]
    assert reachable("192.168.1.5") == ["192.168.1.5"]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters[:1])
    assert reachable("0.0.0.0") == []


def test_a_certificate_is_kept_as_long_as_it_names_every_address(tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path, ["localhost", "192.168.50.1"])
    first = certificate.read_bytes()
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    own_certificate(tmp_path, ["192.168.50.1"])
    assert certificate.read_bytes() == first
    own_certificate(tmp_path, ["192.168.50.1", "10.8.0.2"])
    assert certificate.read_bytes() != first
    assert key.stat().st_mode & 0o077 == 0
