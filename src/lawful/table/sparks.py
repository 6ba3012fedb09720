"""Spark's part: tables to packed pieces, encoded by the workers in one pass, streamed to the driver."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import functions as f
from pyspark.sql import types as t

from lawful.table.csvs import parse_files, parse_lines
from lawful.table.dialect import Dialect
from lawful.table.files import Files, source_name
from lawful.table.pieces import SCHEMA, encode_batches, packed
from lawful.table.pile import Row, pack_all

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

_KEPT = (
    t.BooleanType,
    t.DateType,
    t.IntegralType,
    t.FractionalType,
    t.StringType,
    t.TimestampNTZType,
    t.TimestampType,
)


def csv_rows(spark: SparkSession, files: Files, dialect: Dialect, by_file: bool) -> Iterator[Row]:
    """The packed pieces of CSV files, cut into Spark's blocks, or file by file with `by_file`."""
    source = f.col("_metadata.file_path").alias("source")
    if not dialect.splittable:
        contents = spark.read.format("binaryFile").load(files.spark_paths()).select("content", source)
        return _streamed(contents.mapInArrow(partial(parse_files, dialect), SCHEMA))
    start = f.col("_metadata.file_block_start").alias("start")
    text = spark.read.option("lineSep", "\n").text(files.spark_paths())
    lines = text.select(f.col("value").cast("binary").alias("line"), source, start)
    if by_file:
        numbered = lines.withColumn("number", f.monotonically_increasing_id())
        lines = numbered.repartition("source").sortWithinPartitions("source", "start", "number")
    return _streamed(lines.mapInArrow(partial(parse_lines, dialect, by_file), SCHEMA))


def frame_rows(frame: DataFrame, on_driver: bool) -> Iterator[Row]:
    """The packed pieces of a frame from `with_place`."""
    if on_driver:
        return _named(pack_all(encode_batches(frame.toArrow().to_batches())))
    return _streamed(frame.mapInArrow(_encode_packed, SCHEMA))


def with_place(frame: DataFrame, from_files: bool) -> DataFrame:
    """The frame with columns c0, c1, ... of types that Arrow keeps, and where its rows come from."""
    if from_files:
        origin = frame.metadataColumn("_metadata")
        place = [origin.getField("file_path"), origin.getField("file_block_start")]
    else:
        place = [f.lit(""), f.spark_partition_id().cast("long")]
    fields = frame.schema.fields
    names = [f"c{i}" for i in range(len(fields))]
    placed = frame.select("*", *place).toDF(*names, "source", "start")
    kept = [_kept(f.col(name), field.dataType).alias(name) for name, field in zip(names, fields, strict=True)]
    return placed.select(*kept, "source", "start")


def _kept(column: Column, kind: t.DataType) -> Column:
    if isinstance(kind, _KEPT):
        return column
    if isinstance(kind, t.BinaryType):
        return f.lower(f.hex(column))
    if isinstance(kind, (t.ArrayType, t.MapType, t.StructType, t.VariantType)):
        return f.to_json(column)
    return column.cast("string")


def _encode_packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return packed(encode_batches(batches))


def _streamed(encoded: DataFrame) -> Iterator[Row]:
    """The rows, one partition at a time.

    Kept on the workers' disks first: so they are made in parallel and once.
    """
    encoded = encoded.persist(StorageLevel.DISK_ONLY)
    try:
        encoded.count()
        yield from _named(encoded.toLocalIterator())
    finally:
        encoded.unpersist()


def _named(rows: Any) -> Iterator[Row]:
    for source, start, part, payload, trouble in rows:
        yield source_name(source), start, part, bytes(payload), trouble
