"""Suspect cells on a terminal and in files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.checking.suspect_cells import BETWEEN_LAWS, SCHEMA
from lawful.laws.text import visible, visible_json
from lawful.replacing import replaced_file
from lawful.report.output_files import by_ending, check_output
from lawful.report.plain_tables import plain_table
from lawful.report.sentences import number

_CSV_START = (",".join(f'"{name}"' for name in SCHEMA.names) + "\n").encode()


def check_suspects_file(path: Path, source: Any, force: bool) -> None:
    """Raise now if suspects could not be written to a path."""
    by_ending(path, _WRITERS)
    check_output(path, source, force, _is_ours)


def save_suspects(found: pa.Table, path: Path) -> None:
    """Write suspects to a file of the format that its ending names."""
    with replaced_file(path) as temporary:
        by_ending(path, _WRITERS)(found, temporary)


def suspects_json(found: pa.Table) -> str:
    """Suspects as JSON, each with its laws as a list."""
    lines = [{**line, "laws": line["laws"].split(BETWEEN_LAWS)} for line in found.to_pylist()]
    return visible_json(lines, indent=2) + "\n"


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(len(_CSV_START))
    if path.suffix.lower() == ".parquet" and start:
        try:
            return bool(parquet.read_schema(path).names == SCHEMA.names)
        except pa.ArrowException:
            return False
    return start in (b"", b"[]\n", _CSV_START) or start.startswith(b'[\n  {\n    "row": ')


def _write_json(found: pa.Table, path: Path) -> None:
    path.write_text(suspects_json(found), "utf-8")


_WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    ".csv": csv.write_csv,
    ".json": _write_json,
    ".parquet": parquet.write_table,
}


def print_suspects(found: pa.Table, console: Console, top: int) -> None:
    """Print the first suspects."""
    if found.num_rows == 0:
        console.print(Text("no suspect cells: nothing contradicts what most rows say"))
        return
    if top:
        console.print(_table(found.slice(0, top)))
    more = f", the first {top:,} shown: --out FILE gets all" if 0 < top < found.num_rows else ""
    console.print(Text(f"{number(found.num_rows, 'suspect cell')}{more}"))
    if found.num_rows > top:
        console.print(Text(f"by column: {_by_column(found)}"), soft_wrap=True)


def _by_column(found: pa.Table) -> str:
    """How many cells of each column are suspect, the most first."""
    counts = Counter(found["column"].to_pylist()).most_common()
    return ", ".join(f"{_shown(name)} {count:,}" for name, count in counts)


def _table(found: pa.Table) -> Table:
    headings = ("row", "column", "value", "expected", "bits", "laws against")
    table = plain_table(*headings, right=("row", "bits", "laws against"))
    for line in found.to_pylist():
        cells = [Text(_shown(line[name])) for name in ("column", "value", "expected")]
        laws = str(len(line["laws"].split(BETWEEN_LAWS)))
        table.add_row(f"{line['row']:,}", *cells, f"{math.floor(line['bits']):,}", laws)
    return table


def _shown(value: str | None) -> str:
    return "NULL" if value is None else visible(value)
