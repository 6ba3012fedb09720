"""Files of typed columns on this machine, read by Arrow: Java need not start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.files import Files
from lawful.table.orc_files import orc_batches, orc_schema
from lawful.table.parquet_files import parquet_batches, parquet_schema
from lawful.table.pieces import Run


def typed_columns(files: Files, kind: str) -> tuple[str, ...] | None:
    """The column names of Parquet or ORC files; None where files have columns of their own."""
    schemas = []
    for path in files.paths:
        with _readable(path, kind):
            schemas.append(parquet_schema(path) if kind == "parquet" else orc_schema(path))
    same = all(schema.equals(schemas[0]) for schema in schemas)
    return tuple(schemas[0].names) if same else None


def typed_runs(files: Files, kind: str) -> Iterator[Run]:
    """The rows of Parquet or ORC files."""
    for path in files.paths:
        with _readable(path, kind):
            for batch in parquet_batches(path) if kind == "parquet" else orc_batches(path):
                yield (files.name_of(path), 0), batch


@contextmanager
def _readable(path: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as problem:
        why = " ".join(str(problem).split()).rstrip(".")[:300]
        raise LawfulError(
            f"{path} cannot be read as {kind} ({why}): check that it is whole, or give its format"
        ) from problem
