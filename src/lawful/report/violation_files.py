"""Violations and suspect cells in files, which appear whole: Parquet, CSV, JSON (lines, of violations)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from lawful.checking.checked_laws import CheckedLaws
from lawful.checking.suspect_cells import BETWEEN_LAWS, SUSPECTS_SCHEMA
from lawful.checking.violation_tables import columns_of_violations, violation_tables
from lawful.laws.text import visible_json
from lawful.replacing import replaced_file
from lawful.report.output_files import by_ending, check_output, parquet_schema
from lawful.report.sentences import number

_MARK = b"lawful violations"
_CSV_START = (",".join(f'"{name}"' for name in SUSPECTS_SCHEMA.names) + "\n").encode()  # of suspects


def check_violations_file(path: Path, source: Any, force: bool) -> None:
    """Raise now, not after a long check, if violations could not be written to a path."""
    by_ending(path, _WRITERS)
    check_output(path, source, force, _is_ours, "--violations")


def save_violations(verdicts: CheckedLaws, path: Path, show: Sequence[str] = ()) -> str:
    """Write all rows that break laws to a file; what to tell of it."""
    names, lines = columns_of_violations(verdicts, verdicts.relation, show), 0

    def counted() -> Iterator[pa.Table]:
        nonlocal lines
        for table in violation_tables(verdicts, names):
            lines += table.num_rows
            yield table

    with replaced_file(path) as temporary:
        by_ending(path, _WRITERS)(counted(), temporary)
    return f"wrote {number(lines, 'line')} on {number(len(verdicts.failing), 'law')} to {path}"


def _is_ours(path: Path) -> bool:
    start = path.open("rb").read(100)
    if path.suffix.lower() == ".parquet" and start:
        return _MARK in (parquet_schema(path).metadata or {})
    return not start or start.startswith((b'"_law",', b'{"_law": '))


def _write_parquet(tables: Iterable[pa.Table], path: Path) -> None:
    _write(tables, lambda schema: parquet.ParquetWriter(path, schema.with_metadata({_MARK: b"1"})))


def _write_csv(tables: Iterable[pa.Table], path: Path) -> None:
    _write(tables, lambda schema: csv.CSVWriter(path, schema))


def _write(tables: Iterable[pa.Table], opened: Callable[[pa.Schema], Any]) -> None:
    """Write tables of one schema, of which there is at least one."""
    rest = iter(tables)
    first = next(rest)
    with opened(first.schema) as writer:
        writer.write_table(first)
        for table in rest:
            writer.write_table(table.cast(first.schema))


def _write_json_lines(tables: Iterable[pa.Table], path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        for table in tables:
            out.writelines(visible_json(line) + "\n" for line in table.to_pylist())


_WRITERS: dict[str, Callable[[Iterable[pa.Table], Path], None]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
}


def check_suspects_file(path: Path, source: Any, force: bool) -> None:
    """Raise now if suspects could not be written to a path."""
    by_ending(path, _SUSPECT_WRITERS)
    check_output(path, source, force, _are_suspects)


def save_suspects(found: pa.Table, path: Path) -> None:
    """Write suspects to a file of the format that its ending names."""
    with replaced_file(path) as temporary:
        by_ending(path, _SUSPECT_WRITERS)(found, temporary)


def suspects_json(found: pa.Table) -> str:
    """Suspects as JSON, each with its laws as a list."""
    lines = [{**line, "laws": line["laws"].split(BETWEEN_LAWS)} for line in found.to_pylist()]
    return visible_json(lines, indent=2) + "\n"


def _are_suspects(path: Path) -> bool:
    """Whether a file is empty, or holds suspects that lawful wrote."""
    with path.open("rb") as file:
        start = file.read(len(_CSV_START))
    if path.suffix.lower() == ".parquet" and start:
        return bool(parquet_schema(path).names == SUSPECTS_SCHEMA.names)
    return start in (b"", b"[]\n", _CSV_START) or start.startswith(b'[\n  {\n    "row": ')


def _write_suspects(found: pa.Table, path: Path) -> None:
    path.write_text(suspects_json(found), "utf-8")


_SUSPECT_WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    ".csv": csv.write_csv,
    ".json": _write_suspects,
    ".parquet": parquet.write_table,
}
