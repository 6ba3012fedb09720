"""Files that lawful may write over: its own, never what it reads, and others only by force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lawful.errors import LawfulError
from lawful.replacing import replaced_file
from lawful.table.files import belongs_to


def require_replaceable(
    path: Path, source: Any, force: bool, is_ours: Callable[[Path], bool], option: str = "--out"
) -> None:
    """Raise now, not after long work, if a file could not or should not be written."""
    if path.is_file() and belongs_to(path, source):
        raise LawfulError(f"{str(path)!r} is what is read: choose another {option}")
    if path.is_file() and not force and not is_ours(path):
        raise LawfulError(
            f"{str(path)!r} exists, and lawful did not write it: choose another {option}, or --force"
        )
    with replaced_file(path, keep=False):
        pass
