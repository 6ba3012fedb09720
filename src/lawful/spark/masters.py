"""Spark's master URLs: what they look like, and whether somebody answers there."""

import re
import socket

from lawful.errors import LawfulError
from lawful.machine import usable_cores

LOCAL = "local[*]"

_FORMS = re.compile(
    r"local(\[(\d+|\*)(\s*,\s*\d+)?\])?"
    r"|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
    r"|spark://[^\s/,]+:\d+(,[^\s/,]+:\d+)*"
    r"|sc://[^\s/;]+(/\S*)?"
    r"|yarn|k8s://\S+"
)

_CONNECT_PORT = 15002
_PATIENCE_SECONDS = 10.0


def check_master(master: str) -> None:
    """Refuses a URL that no Spark knows, and one where nobody listens, before Java starts."""
    if not _FORMS.fullmatch(master):
        raise LawfulError(
            f"{master!r} is not a Spark master: use local[4], local[*], spark://host:7077, "
            "sc://host:15002, yarn or k8s://https://host:port"
        )
    addresses = _addresses(master)
    if addresses and not any(_answers(host, port) for host, port in addresses):
        places = " or ".join(f"{host}:{port}" for host, port in addresses)
        raise LawfulError(
            f"no Spark master answers at {places} ({master}): check the address and that it runs, "
            "or leave out the master to work on this machine"
        )


def is_connect(master: str) -> bool:
    """Whether this is the address of a Spark Connect server."""
    return master.startswith("sc://")


def runs_here(master: str) -> bool:
    """Whether the workers run on this machine, with this Python environment."""
    return master.startswith("local")


def local_cores(master: str) -> int:
    """How many tasks a local master runs at a time."""
    counts = re.match(r"local(?:-cluster)?\[\s*(\d+|\*)(?:\s*,\s*(\d+))?", master)
    if counts is None:
        return 1
    if counts[1] == "*":
        return usable_cores()
    each = int(counts[2]) if master.startswith("local-cluster") else 1
    return int(counts[1]) * each


def _addresses(master: str) -> list[tuple[str, int]]:
    scheme, _, rest = master.partition("://")
    if scheme not in ("spark", "sc"):
        return []
    return [_address(place) for place in rest.split("/")[0].split(",")]


def _address(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    if host and port.isdigit():
        return host.strip("[]"), int(port)
    return place.strip("[]"), _CONNECT_PORT


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_PATIENCE_SECONDS).close()
    except (OSError, OverflowError, UnicodeError):
        return False
    return True
