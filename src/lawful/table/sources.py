"""Every kind of source to a pile of pieces."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.arrows import ordered_categories
from lawful.table.columns import Mode
from lawful.table.csvs import parse_file
from lawful.table.dialect import Dialect, sniff, wrong_encoding
from lawful.table.files import Files, find_files
from lawful.table.frames import catalog_frame, file_frame, jdbc_frame, spark_failures
from lawful.table.json_files import json_runs
from lawful.table.pieces import PIECE_ROWS, Piece, Run, Trouble, encode_runs
from lawful.table.pile import Pile, Reading
from lawful.table.placing import Way, by_workers, is_read_here, needs_spark_to_read, on_demand
from lawful.table.records import read_sheet, table_of_records
from lawful.table.source_options import SourceOptions
from lawful.table.spans import csv_spans, parquet_spans, read_csv_span, read_parquet_span
from lawful.table.typed_files import BeyondArrowError, typed_columns, typed_runs
from lawful.table.unpacking import is_piped, piped_in, unpacked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def gather_csv(
    files: Files,
    options: SourceOptions,
    spark: Callable[[], SparkSession],
    way: Way,
    here: bool,
    path: Path,
    tabbed: bool,
) -> Reading:
    """Read CSV files, again as Latin-1 or file by file where that turns out to be needed."""
    sample, complete = files.beginning(spark)
    dialect = sniff(sample, options, complete, tabbed, files.given)
    by_file = options.multiline or here

    def by_spark() -> Iterator[Piece]:
        from lawful.table.sparks import csv_pieces, span_pieces

        if files.local:
            spans = csv_spans(files, dialect, by_file)
            return span_pieces(spark(), spans, partial(read_csv_span, dialect), path.parent)
        workers = by_workers(way, spark(), files.size)
        return csv_pieces(spark(), files, dialect, by_file, workers, path.parent)

    while True:
        pile = Pile(path)
        with spark_failures(files.given):
            pile.gather(_local_pieces(files, dialect) if here else by_spark())
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
    names = dialect.first if dialect.header else ("",) * dialect.width
    return Reading(
        names, "text", pile, encodings=_other_encodings(dialect.encoding, options.encoding is None)
    )


def _other_encodings(taken: str, guessed: bool) -> tuple[str, ...]:
    """Those that a text could have instead: UTF-8 was tried where the encoding was guessed."""
    if guessed:
        return ("cp1252",) if taken == "latin-1" else ()
    return tuple(other for other in ("utf-8", "cp1252") if codecs.lookup(other) != codecs.lookup(taken))


def _local_pieces(files: Files, dialect: Dialect) -> Iterator[Piece]:
    for path in files.paths:
        yield from parse_file(path, dialect, files.name_of(path))


def _of_comments(trouble: Trouble, dialect: Dialect) -> str:
    """What to do where a row has another width since it is a comment, or what is taken for names is one."""
    if dialect.header and dialect.first[0].startswith("sep="):
        return "; the first line is for Excel, --comment sep= passes over it"
    return "; if it is a comment, --comment '#' passes over it" if trouble.text.startswith("#") else ""


def _complaint(trouble: Trouble, source: str, before: int, dialect: Dialect, files: Files) -> LawfulError:
    if trouble.what == "ragged":
        found = "1 field" if trouble.fields == 1 else f"{trouble.fields} fields"
        return LawfulError(
            f"{source}: row {before + trouble.row} has {found} instead of {dialect.width} "
            f"({trouble.text!r}): mend it, or give the right delimiter, quote or escape"
            f"{_of_comments(trouble, dialect)}"
        )
    if trouble.what == "header":
        return LawfulError(
            f"{source} begins with {trouble.text[:80]!r}, not with the columns of "
            f"{files.name_of(files.paths[0])}: read files of one kind, or say that they have no header"
        )
    return LawfulError(
        f"{source}: a quote in row {before + trouble.row} is never closed: close it, or give the right quote "
        f"or escape (an empty quote if quotes mean nothing)"
    )


def gather(
    source: Any, options: SourceOptions, session: SparkSession | None, way: Way, path: Path
) -> Reading:
    """Read a source of any kind into a pile at `path`; Spark starts only where it is needed."""
    kind = type(source).__module__.partition(".")[0]
    if isinstance(source, (str, Path)):
        reading = _gather_named(str(source), options, session, way, path)
    elif kind == "pyspark":
        with on_demand(source.sparkSession) as spark:
            spark()
            reading = _gather_frame(source, by_workers(way, source.sparkSession), path, "typed", False)
    else:
        reading = _gather_table(_as_table(source, kind), "typed", path)
    if not reading.names:
        raise LawfulError("the source has no columns: give a table with at least one")
    return reading


def _gather_named(
    source: str, options: SourceOptions, session: SparkSession | None, way: Way, path: Path
) -> Reading:
    if re.match("(https?|ftps?)://", source):
        raise LawfulError(
            f"{source} lies on the web: download it first, or pipe it in, "
            f"as in `curl -sL {source} | lawful discover -`"
        )
    with on_demand(session) as spark, TemporaryDirectory(prefix="lawful-", dir=path.parent) as folder:
        if source.startswith("jdbc:"):
            frame = jdbc_frame(spark(), source, options)
            return _gather_frame(frame, by_workers(way, spark()), path, "typed", False, source)
        if source.startswith("table:"):
            frame = catalog_frame(spark(), source.removeprefix("table:"))
            return _gather_frame(frame, by_workers(way, spark()), path, "typed", False, source)
        with spark_failures(source):
            files = _files(source, spark, Path(folder))
        return _gather_files(files, options, session, spark, way, path)


def _files(source: str, spark: Callable[[], SparkSession], folder: Path) -> Files:
    if is_piped(source):
        return piped_in(source, folder)
    return unpacked(find_files(source, spark), folder)


def _gather_files(
    files: Files,
    options: SourceOptions,
    session: SparkSession | None,
    spark: Callable[[], SparkSession],
    way: Way,
    path: Path,
) -> Reading:
    kind = options.format or files.format()
    if options.table is not None and kind != "xlsx":
        raise LawfulError(
            f"--table names a sheet or a table of a database; {files.given} has none ({kind}): leave it out"
        )
    here = is_read_here(files, kind, options, session, way)
    if kind in ("csv", "tsv"):
        return gather_csv(files, options, spark, way, here, path, kind == "tsv")
    reading = _gather_here(files, kind, options, path) if here else None
    if reading is not None:
        return reading
    if kind == "xlsx":
        raise LawfulError(
            f"{files.given} is a spreadsheet that lies elsewhere: copy it to this machine first"
        )
    workers = by_workers(way, spark(), files.size)
    if workers and kind == "parquet" and not needs_spark_to_read(files, kind, options):
        names = typed_columns(files, kind)
        if names is not None:
            return _gather_spans(files, names, spark(), path)
    files.check_visible()
    frame = file_frame(spark(), files, kind, options)
    mode: Mode = "json" if kind == "json" else "typed"
    return _gather_frame(frame, workers, path, mode, True, files.given)


def _gather_here(files: Files, kind: str, options: SourceOptions, path: Path) -> Reading | None:
    """Read files on this machine without Spark; None where that is not enough."""
    if kind == "xlsx":
        (only, *more) = files.paths
        if more:
            raise LawfulError(f"{files.given} stands for several spreadsheets: name one")
        return _gather_table(read_sheet(only, options), "json", path, files.name_of(only))
    if kind == "json":
        names, runs = json_runs(files)
        return _gather_runs(names, runs, "json", path)
    columns = typed_columns(files, kind)
    try:
        return None if columns is None else _gather_runs(columns, typed_runs(files, kind), "typed", path)
    except BeyondArrowError:
        return None


def _gather_spans(files: Files, names: tuple[str, ...], spark: SparkSession, path: Path) -> Reading:
    """Read Parquet files of one schema, which Spark's workers open."""
    from lawful.table.sparks import span_pieces

    pile = Pile(path)
    with spark_failures(files.given):
        pile.gather(span_pieces(spark, parquet_spans(files), partial(read_parquet_span, names), path.parent))
    return Reading(names, "typed", pile)


def _gather_frame(
    frame: Any, workers: bool, path: Path, mode: Mode, from_files: bool, what: str = "the DataFrame"
) -> Reading:
    from lawful.table.sparks import frame_pieces, with_place

    pile = Pile(path)
    with spark_failures(what):
        placed = with_place(frame, from_files)
        pile.gather(frame_pieces(placed, workers, path.parent))
        if pile.is_empty:  # keep the types of a table without rows
            columns = [f"c{i}" for i in range(len(frame.columns))]
            return replace(
                _gather_table(placed.select(columns).limit(0).toArrow(), mode, path),
                names=tuple(frame.columns),
            )
    return Reading(tuple(frame.columns), mode, pile)


def _gather_table(table: pa.Table, mode: Mode, path: Path, source: str = "") -> Reading:
    batches = table.to_batches(max_chunksize=PIECE_ROWS) or [
        pa.record_batch([pa.array([], kind) for kind in table.schema.types], names=table.column_names)
    ]
    runs = (((source, 0), batch) for batch in batches)
    reading = _gather_runs(tuple(table.column_names), runs, mode, path)
    return replace(reading, categories=ordered_categories(table))


def _gather_runs(names: tuple[str, ...], runs: Iterable[Run], mode: Mode, path: Path) -> Reading:
    pile = Pile(path)
    pile.gather(encode_runs(runs, names))
    return Reading(names, mode, pile)


def _as_table(source: Any, kind: str) -> pa.Table:
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if kind == "pandas" and hasattr(source, "to_frame"):  # a column alone
        source = source.to_frame("" if source.name is None else source.name)
    if kind == "pandas" and hasattr(source, "columns"):
        return _from_pandas(source)
    if isinstance(source, (list, tuple)) and all(isinstance(record, Mapping) for record in source):
        return table_of_records(source)
    if hasattr(source, "__arrow_c_stream__"):
        try:
            return pa.table(source)
        except (pa.ArrowException, TypeError, ValueError):
            pass
    raise LawfulError(
        f"a {type(source).__name__} is no source: give a path, a Spark, pandas, polars or Arrow table, "
        "or a list of dicts"
    )


def _from_pandas(frame: Any) -> pa.Table:
    columns = []
    for position, name in enumerate(frame.columns):
        try:
            columns.append(pa.chunked_array(pa.Array.from_pandas(frame.iloc[:, position])))
        except (pa.ArrowException, TypeError):
            raise LawfulError(
                f"column {str(name)!r} mixes types that have no common order: convert it, as in .astype(str)"
            ) from None
    return pa.Table.from_arrays(columns, names=[str(name) for name in frame.columns])
