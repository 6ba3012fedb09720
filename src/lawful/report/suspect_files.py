"""Suspect cells on a terminal and in files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.errors import LawfulError
from lawful.laws.text import visible, visible_json
from lawful.replacing import replaced_file
from lawful.report.overwriting import require_replaceable
from lawful.report.sentences import number

_ENDINGS = (".csv", ".json", ".parquet")


def check_suspects_file(path: Path, source: Any, force: bool) -> None:
    """Raise now if suspects could not be written to a path."""
    if path.suffix.lower() not in _ENDINGS:
        endings = ", ".join(_ENDINGS)
        raise LawfulError(f"cannot tell the format of {str(path)!r}: let its name end in one of {endings}")
    require_replaceable(path, source, force, is_ours=lambda _: False)  # they have no mark of lawful's


def save_suspects(found: pa.Table, path: Path) -> None:
    """Write suspects to a file of the format that its ending names."""
    with replaced_file(path) as temporary:
        match path.suffix.lower():
            case ".csv":
                csv.write_csv(found, temporary)
            case ".parquet":
                parquet.write_table(found, temporary)
            case _:
                temporary.write_text(visible_json(found.to_pylist(), indent=2) + "\n", "utf-8")


def print_suspects(found: pa.Table, console: Console, top: int) -> None:
    """Print the first suspects."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("row", justify="right", no_wrap=True)
    for heading in ("column", "value", "expected"):
        table.add_column(heading, overflow="fold")
    table.add_column("bits", justify="right", no_wrap=True)
    table.add_column("laws against", justify="right", no_wrap=True)
    for line in found.slice(0, top).to_pylist():
        cells = [Text(_shown(line[name])) for name in ("column", "value", "expected")]
        laws = str(len(line["laws"].split("; ")))
        table.add_row(f"{line['row']:,}", *cells, f"{math.floor(line['bits']):,}", laws)
    console.print(table)
    more = f", the first {top:,} shown: --out FILE gets all" if found.num_rows > top else ""
    console.print(Text(f"{number(found.num_rows, 'suspect cell')}{more}"))


def _shown(value: str | None) -> str:
    return "NULL" if value is None else visible(value)
