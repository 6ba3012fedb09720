"""Parquet files on this machine as Arrow batches, with the types that Spark gives them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from lawful.table.pieces import PIECE_ROWS

_OLD_TIMESTAMP = "INT96"
_DICTIONARY_BYTES = 1 << 20  # where writers leave it
_CODE_BYTES = 3  # of such a dictionary at most; a text of its own has four and more


def parquet_schema(path: str) -> pa.Schema:
    """The columns of a file as Spark understands them."""
    with pq.ParquetFile(path) as file:
        return _understood(file)


def parquet_batches(path: str) -> Iterator[pa.RecordBatch]:
    """The rows of a file, at least one batch. Texts that the file has encoded stay so: it is sooner read."""
    with pq.ParquetFile(path) as file:
        schema, encoded = _understood(file), _encoded_texts(file)
    fields = [f.with_type(pa.dictionary(pa.int32(), f.type)) if f.name in encoded else f for f in schema]
    schema = pa.schema(fields)
    with pq.ParquetFile(path, read_dictionary=encoded, coerce_int96_timestamp_unit="us") as file:
        if file.metadata.num_rows == 0:
            yield pa.RecordBatch.from_pylist([], schema)
        for batch in file.iter_batches(batch_size=PIECE_ROWS):
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
