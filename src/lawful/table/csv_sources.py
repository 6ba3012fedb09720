"""CSV files of any place to a pile of pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lawful.errors import LawfulError
from lawful.table.csvs import parse_stream
from lawful.table.dialect import Dialect, sniff, wrong_encoding
from lawful.table.files import Files, open_local
from lawful.table.frames import spark_failures
from lawful.table.pieces import Piece, Trouble
from lawful.table.pile import Pile, Reading
from lawful.table.placing import Way, by_workers
from lawful.table.source_options import SourceOptions

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
    if not here:
        files.check_visible()
    sample, complete = files.beginning(spark)
    dialect = sniff(sample, options, complete, tabbed, files.given)
    by_file = options.multiline or here
    while True:
        pile = Pile(path)
        with spark_failures(files.given):
            pile.gather(
                _local_pieces(files, dialect)
                if here
                else _spark_pieces(files, dialect, by_file, spark, way, path.parent)
            )
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
    return Reading(names, "text", pile, guessed="" if options.encoding else dialect.encoding)


def _spark_pieces(
    files: Files,
    dialect: Dialect,
    by_file: bool,
    spark: Callable[[], SparkSession],
    way: Way,
    folder: Path,
) -> Iterator[Piece]:
    from lawful.table.sparks import csv_pieces

    session = spark()
    return csv_pieces(session, files, dialect, by_file, by_workers(way, session, files.size), folder)


def _local_pieces(files: Files, dialect: Dialect) -> Iterator[Piece]:
    for path in files.paths:
        with open_local(path) as stream:
            yield from parse_stream(stream, dialect, files.name_of(path))


def _complaint(trouble: Trouble, source: str, before: int, dialect: Dialect, files: Files) -> LawfulError:
    if trouble.what == "ragged":
        comment = "; if it is a comment, --comment '#' passes over it" if trouble.text.startswith("#") else ""
        return LawfulError(
            f"{source}: row {before + trouble.row} has {trouble.fields} fields instead of {dialect.width} "
            f"({trouble.text!r}): mend it, or give the right delimiter, quote or escape{comment}"
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
