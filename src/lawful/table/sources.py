"""Every kind of source to a pile of pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.arrows import ordered_categories
from lawful.table.columns import Mode
from lawful.table.csvs import parse_stream
from lawful.table.dialect import Dialect, sniff, wrong_encoding
from lawful.table.files import Files, find_files, open_local
from lawful.table.frames import catalog_frame, file_frame, jdbc_frame, spark_failures
from lawful.table.pieces import PIECE_ROWS, Piece, Trouble, encode
from lawful.table.pile import Pile, Row, pack_all
from lawful.table.source_options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way = Literal["auto", "driver", "workers"]
SMALL_BYTES = 1 << 26


@dataclass(frozen=True)
class Reading:
    """A source that was read.

    Attributes:
        names: of the columns, as they stand there.
        mode: how to understand its values.
        pile: its pieces.
        categories: of columns that are ordered categoricals: all their values, as texts, in their order.
    """

    names: tuple[str, ...]
    mode: Mode
    pile: Pile
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def gather(
    source: Any, options: SourceOptions, session: SparkSession | None, way: Way, path: Path
) -> Reading:
    """Read a source of any kind into a pile at `path`; Spark starts only where it is needed."""
    kind = type(source).__module__.partition(".")[0]
    with _on_demand(source.sparkSession if kind == "pyspark" else session) as spark:
        if isinstance(source, (str, Path)):
            reading = _gather_named(str(source), options, spark, way, path)
        elif kind == "pyarrow":
            reading = _gather_arrow(source, path)
        elif kind == "pandas":
            reading = _gather_arrow(_from_pandas(source), path)
        elif kind == "pyspark":
            spark()
            reading = _gather_frame(source, way, path, "typed", False, "the DataFrame")
        else:
            raise LawfulError(
                f"a {type(source).__name__} is no source: give a path, a Spark, pandas or Arrow table"
            )
    if not reading.names:
        raise LawfulError("the source has no columns: give a table with at least one")
    return reading


@contextmanager
def _on_demand(given: SparkSession | None) -> Iterator[Callable[[], SparkSession]]:
    with ExitStack() as stack:

        def start() -> SparkSession:
            from lawful.spark import session

            return stack.enter_context(session(existing=given))

        yield start


def _gather_named(
    source: str, options: SourceOptions, spark: Callable[[], SparkSession], way: Way, path: Path
) -> Reading:
    if source.startswith("jdbc:"):
        return _gather_frame(jdbc_frame(spark(), source, options), way, path, "typed", False, source)
    if source.startswith("table:"):
        name = source.removeprefix("table:")
        return _gather_frame(catalog_frame(spark(), name), way, path, "typed", False, source)
    with spark_failures(source):
        files = find_files(source, spark)
    kind = options.format or files.format()
    on_driver = way == "driver" or (way == "auto" and files.size <= SMALL_BYTES)
    textual = kind in ("csv", "tsv")
    if not (textual and on_driver and files.local):
        files.check_visible()
    if textual:
        return _gather_csv(files, options, spark, on_driver and files.local, path, kind == "tsv")
    frame = file_frame(spark(), files, kind, options)
    mode: Mode = "json" if kind == "json" else "typed"
    return _gather_frame(frame, "driver" if on_driver else "workers", path, mode, True, source)


def _gather_frame(frame: Any, way: Way, path: Path, mode: Mode, from_files: bool, what: str) -> Reading:
    from lawful.table.sparks import frame_rows, with_place

    pile = Pile(path)
    with spark_failures(what):
        placed = with_place(frame, from_files)
        pile.gather(frame_rows(placed, way == "driver"))
        if pile.is_empty:  # keep the types of a table without rows
            columns = [f"c{i}" for i in range(len(frame.columns))]
            pile.gather(pack_all(_arrow_pieces(placed.select(columns).limit(0).toArrow(), tuple(columns))))
    return Reading(tuple(frame.columns), mode, pile)


def _gather_arrow(table: pa.Table | pa.RecordBatch, path: Path) -> Reading:
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise LawfulError(f"a {type(table).__name__} is no table: give a pyarrow.Table")
    names = tuple(table.column_names)
    pile = Pile(path)
    pile.gather(pack_all(_arrow_pieces(table.rename_columns([f"c{i}" for i in range(len(names))]), names)))
    return Reading(names, "typed", pile, ordered_categories(table))


def _arrow_pieces(table: pa.Table, names: tuple[str, ...]) -> Iterator[Piece]:
    batches = table.to_batches(max_chunksize=PIECE_ROWS) or [
        pa.record_batch([pa.array([], kind) for kind in table.schema.types], names=table.column_names)
    ]
    for part, batch in enumerate(batches):
        columns = [encode(column, name) for column, name in zip(batch.columns, names, strict=True)]
        yield Piece("", 0, part, pa.record_batch(columns, names=table.column_names))


def _from_pandas(frame: Any) -> pa.Table:
    columns = []
    for position, name in enumerate(frame.columns):
        try:
            columns.append(pa.chunked_array(pa.Array.from_pandas(frame.iloc[:, position])))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            raise LawfulError(
                f"column {str(name)!r} mixes types that have no common order: convert it, as in .astype(str)"
            ) from None
    return pa.Table.from_arrays(columns, names=[str(name) for name in frame.columns])


def _gather_csv(
    files: Files,
    options: SourceOptions,
    spark: Callable[[], SparkSession],
    on_driver: bool,
    path: Path,
    tabbed: bool,
) -> Reading:
    """Read CSV files, again as Latin-1 or file by file where that turns out to be needed."""
    sample, complete = files.beginning(spark)
    dialect = sniff(sample, options, complete, tabbed, files.given)
    by_file = options.multiline or on_driver
    while True:
        pile = Pile(path)
        with spark_failures(files.given):
            pile.gather(_csv_rows(files, dialect, by_file, spark, on_driver))
        if pile.any_trouble("encoding"):
            if options.encoding is not None or dialect.encoding == "latin-1":
                raise wrong_encoding(files.given, dialect.encoding)
            dialect = sniff(sample, replace(options, encoding="latin-1"), complete, tabbed, files.given)
        elif (found := pile.trouble()) is not None and found[0].what == "open" and not by_file:
            by_file = True
        else:
            break
    if found is not None:
        raise _complaint(*found, dialect, files)
    return Reading(dialect.first if dialect.header else ("",) * dialect.width, "text", pile)


def _csv_rows(
    files: Files, dialect: Dialect, by_file: bool, spark: Callable[[], SparkSession], on_driver: bool
) -> Iterator[Row]:
    if on_driver:
        return pack_all(_local_pieces(files, dialect))
    from lawful.table.sparks import csv_rows

    return csv_rows(spark(), files, dialect, by_file)


def _local_pieces(files: Files, dialect: Dialect) -> Iterator[Piece]:
    for path in files.paths:
        with open_local(path) as stream:
            yield from parse_stream(stream, dialect, path)


def _complaint(trouble: Trouble, source: str, before: int, dialect: Dialect, files: Files) -> LawfulError:
    if trouble.what == "ragged":
        comment = "; if it is a comment, --comment '#' passes over it" if trouble.text.startswith("#") else ""
        return LawfulError(
            f"{source}: row {before + trouble.row} has {trouble.fields} fields instead of {dialect.width} "
            f"({trouble.text!r}): mend it, or give the right delimiter, quote or escape{comment}"
        )
    if trouble.what == "header":
        return LawfulError(
            f"{source} begins with {trouble.text[:80]!r}, not with the columns of {files.paths[0]}: "
            f"read files of one kind, or say that they have no header"
        )
    return LawfulError(
        f"{source}: a quote in row {before + trouble.row} is never closed: close it, or give the right quote "
        f"or escape (an empty quote if quotes mean nothing)"
    )
