"""Spark's part: tables to pieces, encoded by its workers or, where Spark runs on this machine, here.

There no worker of Python takes part: Java writes the rows to files, and Arrow reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.errors import AnalysisException
from pyspark.sql import functions as f
from pyspark.sql import types as t

from lawful.spark import is_cluster, prepare_workers
from lawful.table.csvs import parse_files, parse_lines
from lawful.table.dialect import Dialect
from lawful.table.files import Files, source_name
from lawful.table.handover import SCHEMA, Handover, handover
from lawful.table.pieces import Piece, encode_batches
from lawful.table.spans import Span
from lawful.table.typed_files import parquet_batches

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

_ATOMS = (
    t.BinaryType,
    t.BooleanType,
    t.DateType,
    t.IntegralType,
    t.FractionalType,
    t.StringType,
    t.TimestampNTZType,
    t.TimestampType,
)
_NESTED = (t.ArrayType, t.MapType, t.StructType, t.VariantType)
_TIMESTAMPS = "spark.sql.parquet.outputTimestampType"
# Of files between Java and us: to make them small would cost more. Both sides hold row groups in memory.
_PLAIN_FILES = {
    "compression": "uncompressed",
    "parquet.enable.dictionary": "false",
    "parquet.enable.dictionary#source": "true",
    "parquet.block.size": str(1 << 25),
}

_AT_ONCE = 1 << 29  # bytes of pieces that Java may hold; a half and less when they are compressed

Encoder = Callable[[Iterator["pa.RecordBatch"]], Iterator[Piece]]


def csv_pieces(
    spark: SparkSession, files: Files, dialect: Dialect, by_file: bool, workers: bool, folder: Path
) -> Iterator[Piece]:
    """The pieces of CSV files, cut into Spark's blocks, or file by file with `by_file`."""
    source = f.col("_metadata.file_path").alias("source")
    if not dialect.splittable:
        contents = spark.read.format("binaryFile").load(files.spark_paths()).select("content", source)
        return _encoded(contents, partial(parse_files, dialect), workers, folder)
    start = f.col("_metadata.file_block_start").alias("start")
    text = spark.read.option("lineSep", "\n").text(files.spark_paths())
    lines = text.select(f.col("value").cast("binary").alias("line"), source, start)
    if by_file:
        numbered = lines.withColumn("number", f.monotonically_increasing_id())
        lines = numbered.repartition("source").sortWithinPartitions("source", "start", "number")
    return _encoded(lines, partial(parse_lines, dialect, by_file), workers, folder)


def span_pieces(
    spark: SparkSession, spans: Sequence[Span], reader: Callable[[Span], Iterator[Piece]], folder: Path
) -> Iterator[Piece]:
    """The pieces of spans, each of them read by a task."""
    prepare_workers(spark)
    tasks = spark.range(0, len(spans), 1, len(spans))
    fetch = _fetched_at_once if sum(span.size for span in spans) <= _AT_ONCE else _streamed
    with handover(folder) as place:
        encoded = tasks.mapInArrow(partial(_packed_spans, spans, reader, place), SCHEMA)
        yield from map(place.unpacked, fetch(encoded))


def _packed_spans(
    spans: Sequence[Span],
    reader: Callable[[Span], Iterator[Piece]],
    place: Handover,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column("id").to_pylist():
            yield from place.packed(reader(spans[number]))


def frame_pieces(frame: DataFrame, workers: bool, folder: Path) -> Iterator[Piece]:
    """The pieces of a frame from `with_place`."""
    return _encoded(frame, encode_batches, workers, folder)


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
    return column if _is_known(kind) else atomic(column, kind)


def atomic(column: Column, kind: t.DataType) -> Column:
    """The values without structure, of types that Arrow and Parquet know: others as texts."""
    if isinstance(kind, _ATOMS):
        return column
    return f.to_json(column) if isinstance(kind, _NESTED) else column.cast("string")


def _is_known(kind: t.DataType) -> bool:
    """Whether Arrow and Parquet know this type."""
    if isinstance(kind, t.StructType):
        return bool(kind.fields) and all(_is_known(field.dataType) for field in kind.fields)
    if isinstance(kind, t.ArrayType):
        return _is_known(kind.elementType)
    if isinstance(kind, t.MapType):
        return _is_known(kind.keyType) and _is_known(kind.valueType)
    return isinstance(kind, _ATOMS)


def _encoded(frame: DataFrame, encoder: Encoder, workers: bool, folder: Path) -> Iterator[Piece]:
    """What the encoder makes of a frame, in Spark's workers or here."""
    if workers:
        return _named(_encoded_there(frame, encoder, folder))
    return _named(encoder(_fetched(frame, folder)))


def _encoded_there(frame: DataFrame, encoder: Encoder, folder: Path) -> Iterator[Piece]:
    prepare_workers(frame.sparkSession)
    with handover(folder) as place:
        yield from map(
            place.unpacked, _streamed(frame.mapInArrow(partial(_packed_by, encoder, place), SCHEMA))
        )


def _packed_by(
    encoder: Encoder, place: Handover, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    return place.packed(encoder(batches))


def _fetched(frame: DataFrame, folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a frame in the order of its partitions, without Python workers.

    They come through files in a folder, which a Java on this machine sees: made in parallel, whatever size.
    """
    spark = frame.sparkSession
    if is_cluster(spark) or spark.conf.get(_TIMESTAMPS) == "TIMESTAMP_MILLIS":  # files would lose digits
        yield from frame.toArrow().to_batches()
        return
    with TemporaryDirectory(prefix="fetched-", dir=folder, ignore_cleanup_errors=True) as place:
        target = Path(place, "rows")
        frame.write.options(**_PLAIN_FILES).parquet(target.absolute().as_uri())
        for part in sorted(target.glob("part-*")):
            yield from parquet_batches(str(part))


def _streamed(encoded: DataFrame) -> Iterator[Any]:
    """The rows, one partition at a time.

    Kept on the workers' disks first: so they are made in parallel and once. Serverless sessions keep nothing.
    """
    try:
        kept = encoded.persist(StorageLevel.DISK_ONLY)
    except AnalysisException:
        yield from _fetched_at_once(encoded)
        return
    try:
        kept.count()
        yield from kept.toLocalIterator()
    finally:
        kept.unpersist()


def _fetched_at_once(encoded: DataFrame) -> Iterator[Any]:
    """The rows, which Java holds meanwhile: one job is enough."""
    return zip(*encoded.toArrow().to_pydict().values(), strict=True)


def _named(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return (replace(piece, source=source_name(piece.source)) for piece in pieces)
