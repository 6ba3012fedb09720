"""Rows that were not taken in, in a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import count
from pathlib import Path

from lawful.changes.law_change import Refused
from lawful.errors import LawfulError
from lawful.replacing import replaced_file


def write_quarantine(refused: Sequence[Refused], folder: Path, batch: str) -> None:
    """Write the rows of a batch with their reasons, each time to a file of its own: another state, or one
    that was made anew, may have had a batch of this name. One that comes again after a crash has its file."""
    text = "".join(json.dumps(_line(one), ensure_ascii=False, default=str) + "\n" for one in refused)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in batch)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            file = folder / f"{name}{f'-{number}' * (number > 1)}.jsonl"
            if not file.exists():
                with replaced_file(file) as path:
                    path.write_text(text, "utf-8")
                return
            if file.read_text("utf-8") == text:
                return
    except OSError as error:
        why = f"rows cannot be written to {str(folder)!r} ({error.strerror or error})"
        raise LawfulError(f"{why}: choose another folder for the quarantine") from None


def _line(refused: Refused) -> dict[str, object]:
    law, other = (_free(name, refused.row) for name in ("law", "other_row"))
    return {**refused.row, law: str(refused.law), other: refused.other}


def _free(name: str, taken: Collection[str]) -> str:
    """A name that no column has."""
    return _free(f"_{name}", taken) if name in taken else name
