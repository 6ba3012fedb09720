"""Parquet files on this machine as Arrow batches, with the types that Spark gives them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from lawful.table.pieces import PIECE_ROWS

_OLD_TIMESTAMP = "INT96"


def parquet_schema(path: str) -> pa.Schema:
    """The columns of a file as Spark understands them."""
    with pq.ParquetFile(path) as file:
        return _understood(file)


def parquet_batches(path: str) -> Iterator[pa.RecordBatch]:
    """The rows of a file, at least one batch."""
    with pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
        schema = _understood(file)
        if file.metadata.num_rows == 0:
            yield pa.RecordBatch.from_pylist([], schema)
        for batch in file.iter_batches(batch_size=PIECE_ROWS):
            yield batch if batch.schema.equals(schema) else batch.cast(schema)


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
