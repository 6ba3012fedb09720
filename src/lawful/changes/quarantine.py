"""Rows that were not taken in, in a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lawful.replacing import replaced_file


def write_quarantine(rows: Sequence[Mapping[str, Any]], folder: Path, batch: str) -> None:
    """Write the rows of a batch with their reasons; a batch that comes again is written anew."""
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in batch)
    with replaced_file(folder / f"{name}.jsonl") as path:
        lines = [json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows]
        path.write_text("".join(lines), "utf-8")
