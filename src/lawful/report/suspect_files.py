"""Suspect cells on a terminal and in files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet
from rich.console import Console
from rich.text import Text

from lawful.laws.text import visible, visible_json
from lawful.replacing import replaced_file
from lawful.report.output_files import by_ending, check_output
from lawful.report.plain_tables import plain_table
from lawful.report.sentences import number


def check_suspects_file(path: Path, source: Any, force: bool) -> None:
    """Raise now if suspects could not be written to a path."""
    by_ending(path, _WRITERS)
    check_output(path, source, force, is_ours=lambda path: False)


def save_suspects(found: pa.Table, path: Path) -> None:
    """Write suspects to a file of the format that its ending names."""
    with replaced_file(path) as temporary:
        by_ending(path, _WRITERS)(found, temporary)


def _write_json(found: pa.Table, path: Path) -> None:
    path.write_text(visible_json(found.to_pylist(), indent=2) + "\n", "utf-8")


_WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    ".csv": csv.write_csv,
    ".json": _write_json,
    ".parquet": parquet.write_table,
}


def print_suspects(found: pa.Table, console: Console, top: int) -> None:
    """Print the first suspects."""
    headings = ("row", "column", "value", "expected", "bits", "laws against")
    table = plain_table(*headings, right=("row", "bits", "laws against"))
    for line in found.slice(0, top).to_pylist():
        cells = [Text(_shown(line[name])) for name in ("column", "value", "expected")]
        laws = str(len(line["laws"].split("; ")))
        table.add_row(f"{line['row']:,}", *cells, f"{math.floor(line['bits']):,}", laws)
    console.print(table)
    more = f", the first {top:,} shown: --out FILE gets all" if found.num_rows > top else ""
    console.print(Text(f"{number(found.num_rows, 'suspect cell')}{more}"))


def _shown(value: str | None) -> str:
    return "NULL" if value is None else visible(value)
