"""Where a page can be reached: this machine's addresses, and a certificate of its own for https."""

from __future__ import annotations

import datetime
from ipaddress import IPv4Address, ip_address, ip_network
from pathlib import Path

import ifaddr
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kdscan.files import folder_write_error, make_folder, replacing

HOME, PRIVATE = ip_network("192.168.0.0/16"), ip_network("172.16.0.0/12")
VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vEthernet")
"""How names of networks inside this machine begin; phones reach none of them."""

CERTIFICATE_DAYS = 397
"""Browsers refuse certificates that hold for longer."""


def reachable(host: str) -> list[str]:
    """The addresses under which other machines may reach a page that listens on a host.

    Those of home networks come first, those of networks inside this machine last. Empty if there
    is none but the loopback.
    """
    if host not in ("0.0.0.0", "::"):
        return [host]
    ranked: list[tuple[int, int, str]] = []
    for adapter in ifaddr.get_adapters():
        inside = adapter.nice_name.startswith(VIRTUAL)
        for ip in adapter.ips:
            if not ip.is_IPv4:
                continue
            address = IPv4Address(str(ip.ip))
            if not (address.is_loopback or address.is_link_local):
                private = 0 if address in HOME else 1 if address.is_private else 2
                ranked.append((inside, private + (address in PRIVATE), str(address)))
    return [address for _, _, address in sorted(ranked)]


def own_certificate(folder: Path, names: list[str]) -> tuple[Path, Path]:
    """A certificate that this machine signs itself, and its key: PEM files in a folder.

    names: host names and addresses for which it holds. It is kept as long as it holds for them, so
    that a browser that was told to trust it asks once. Raises `UsageError` for a folder that cannot
    be written.
    """
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    today = datetime.datetime.now(datetime.UTC)
    if certificate.is_file() and key.is_file():
        known = x509.load_pem_x509_certificate(certificate.read_bytes())
        holds = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if {str(name.value) for name in holds} >= set(names) and known.not_valid_after_utc > today:
            return certificate, key
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kdscan")])
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=CERTIFICATE_DAYS - 1))
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), False)
        .sign(private, hashes.SHA256())
    )
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    try:
        make_folder(folder)
        with replacing(key, 0o600) as file:
            file.write(private.private_bytes(pem, pkcs8, serialization.NoEncryption()))
        with replacing(certificate) as file:
            file.write(signed.public_bytes(pem))
    except OSError as error:
        raise folder_write_error(folder, error) from error
    return certificate, key


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
