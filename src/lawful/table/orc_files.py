"""ORC files on this machine as Arrow batches, with the types that Spark gives them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyarrow import orc, types

from lawful.table.pieces import PIECE_ROWS

_SPARK_TYPE = b"spark.sql.catalyst.type"


class BeyondArrowError(Exception):
    """Arrow cannot hold the values of a file."""


def orc_schema(path: str) -> pa.Schema:
    """The columns of a file as Spark understands them."""
    return pa.schema([_understood(field) for field in orc.ORCFile(path).schema])


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


def _understood(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _as_spark_has_it(field.type, (field.metadata or {}).get(_SPARK_TYPE)))


def _as_spark_has_it(kind: pa.DataType, noted: bytes | None) -> pa.DataType:
    """Microseconds; a timestamp is an instant unless Spark has noted another type."""
    if types.is_struct(kind):
        return pa.struct([_understood(field) for field in kind])
    if types.is_map(kind):
        return pa.map_(_understood(kind.key_field).type, _understood(kind.item_field).type)
    if types.is_nested(kind):
        return pa.list_(_understood(kind.value_field).type)
    if noted == b"timestamp_ntz":
        return pa.timestamp("us")
    return pa.timestamp("us", "UTC") if types.is_timestamp(kind) else kind
