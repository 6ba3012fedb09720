"""Parquet and ORC files on this machine, read by Arrow with the types that Spark gives them: without Java."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc, types

from lawful.errors import LawfulError
from lawful.table.files import Files
from lawful.table.pieces import PIECE_ROWS, Run

_SPARK_TYPE = b"spark.sql.catalyst.type"
_OLD_TIMESTAMP = "INT96"
_DICTIONARY_BYTES = 1 << 20  # where writers leave it
_CODE_BYTES = 3  # of such a dictionary at most; a text of its own has four and more


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


def group_sizes(path: str) -> list[int]:
    """The bytes of the row groups of a Parquet file and of codes for their cells."""
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(group) for group in range(file.num_row_groups)]
    return [group.total_byte_size + 4 * group.num_rows * group.num_columns for group in groups]


def parquet_runs(path: str, first: int, end: int | None) -> Iterator[Run]:
    """The rows of some row groups of a Parquet file."""
    with _readable(path, "parquet"):
        for batch in parquet_batches(path, slice(first, end)):
            yield (path, first), batch


@contextmanager
def _readable(path: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as problem:
        why = " ".join(str(problem).split()).rstrip(".")[:300]
        raise LawfulError(
            f"{path} cannot be read as {kind} ({why}): check that it is whole, or give its format"
        ) from problem


class BeyondArrowError(Exception):
    """Arrow cannot hold the values of a file."""


def orc_schema(path: str) -> pa.Schema:
    """The columns of a file as Spark understands them."""
    return pa.schema([_orc_field(field) for field in orc.ORCFile(path).schema])


def orc_batches(path: str) -> Iterator[pa.RecordBatch]:
    """The rows of a file, at least one batch."""
    file, schema = orc.ORCFile(path), orc_schema(path)
    if file.nstripes == 0:
        yield pa.RecordBatch.from_pylist([], schema)
    for stripe in range(file.nstripes):
        batch = _read_stripe(file, stripe).cast(schema)
        for start in range(0, max(batch.num_rows, 1), PIECE_ROWS):
            yield batch.slice(start, PIECE_ROWS)


def _read_stripe(file: orc.ORCFile, stripe: int) -> pa.RecordBatch:
    try:
        return file.read_stripe(stripe)
    except pa.ArrowInvalid as problem:
        if "out of range" in str(problem):  # for nanoseconds: a year such as 9999
            raise BeyondArrowError from problem
        raise


def _orc_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _as_spark_has_it(field.type, (field.metadata or {}).get(_SPARK_TYPE)))


def _as_spark_has_it(kind: pa.DataType, noted: bytes | None) -> pa.DataType:
    """Microseconds; a timestamp is an instant unless Spark has noted another type."""
    if types.is_struct(kind):
        return pa.struct([_orc_field(field) for field in kind])
    if types.is_map(kind):
        return pa.map_(_orc_field(kind.key_field).type, _orc_field(kind.item_field).type)
    if types.is_nested(kind):
        return pa.list_(_orc_field(kind.value_field).type)
    if noted == b"timestamp_ntz":
        return pa.timestamp("us")
    return pa.timestamp("us", "UTC") if types.is_timestamp(kind) else kind


def parquet_schema(path: str) -> pa.Schema:
    """The columns of a file as Spark understands them."""
    with pq.ParquetFile(path) as file:
        return _understood(file)


def parquet_batches(path: str, groups: slice = slice(None)) -> Iterator[pa.RecordBatch]:
    """The rows of a file or some of its row groups; at least one batch of a file without rows.

    Texts that the file has encoded stay so: it is sooner read.
    """
    with pq.ParquetFile(path) as file:
        schema, encoded = _understood(file), _encoded_texts(file)
    fields = [f.with_type(pa.dictionary(pa.int32(), f.type)) if f.name in encoded else f for f in schema]
    schema = pa.schema(fields)
    with pq.ParquetFile(path, read_dictionary=encoded, coerce_int96_timestamp_unit="us") as file:
        if file.metadata.num_rows == 0:
            yield pa.RecordBatch.from_pylist([], schema)
        chosen = range(file.num_row_groups)[groups]
        for batch in file.iter_batches(batch_size=PIECE_ROWS, row_groups=chosen):
            yield batch if batch.schema.equals(schema) else batch.cast(schema)


def _encoded_texts(file: pq.ParquetFile) -> list[str]:
    """The columns of texts that have a dictionary throughout: writers leave one that gets too long."""
    about, schema = file.metadata, file.schema_arrow
    texts = {
        field.name for field in schema if types.is_string(field.type) and schema.names.count(field.name) == 1
    }
    long = set()
    for group, place in product(range(about.num_row_groups), range(about.num_columns)):
        part = about.row_group(group).column(place)
        if part.total_uncompressed_size > part.num_values * _CODE_BYTES + _DICTIONARY_BYTES:
            long.add(part.path_in_schema)
    return sorted(texts - long)


def _understood(file: pq.ParquetFile) -> pa.Schema:
    """The schema, with instants for the timestamps of old that say nothing about zones."""
    leaves = iter([file.schema.column(place).physical_type for place in range(len(file.schema))])
    return pa.schema([field.with_type(_with_instants(field.type, leaves)) for field in file.schema_arrow])


def _with_instants(kind: pa.DataType, leaves: Iterator[str]) -> pa.DataType:
    if types.is_struct(kind):
        return pa.struct([field.with_type(_with_instants(field.type, leaves)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_with_instants(kind.key_type, leaves), _with_instants(kind.item_type, leaves))
    if types.is_nested(kind):
        value = _with_instants(kind.value_type, leaves)
        return kind if value.equals(kind.value_type) else pa.list_(value)
    return pa.timestamp("us", "UTC") if next(leaves) == _OLD_TIMESTAMP else kind
