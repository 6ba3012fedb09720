"""Texts that lawful writes for other programs: checks, schemas, queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lawful.replacing import replaced_file
from lawful.report.output_files import check_output

# By which lawful knows its own.
_MARKS = (b"written by lawful", b'"written_by": "lawful"', b"as when the laws were found.")
_STARTS = (b"-- third normal form, ", b"-- Boyce-Codd normal form, ", b'{\n  "form": "')
_HEAD = 2000  # bytes of a file among which they stand


def check_text_file(path: Path, source: Any, force: bool) -> None:
    """Raise now, not after a long search, if a text could not be written to a path."""
    check_output(path, source, force, _is_ours)


def write_text(text: str, path: Path) -> None:
    """Write a text to a file, which appears in one step."""
    with replaced_file(path) as new:
        new.write_text(text, "utf-8")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not head or head.startswith(_STARTS) or any(mark in head for mark in _MARKS)
