"""Spans: parts of files that Spark's workers open by themselves and read as the driver does, without Java."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lawful.errors import LawfulError
from lawful.table.csvs import parse_file, parse_lines_between
from lawful.table.dialect import Dialect
from lawful.table.files import Files, is_compressed
from lawful.table.pieces import Piece, encode_runs
from lawful.table.typed_files import group_sizes, parquet_runs

SPAN_BYTES = 1 << 25


@dataclass(frozen=True)
class Span:
    """From `start` to before `end`: bytes of a text, row groups of a Parquet file. No end: the whole file."""

    path: str
    start: int = 0
    end: int | None = None


def csv_spans(files: Files, dialect: Dialect, by_file: bool) -> list[Span]:
    """Spans of CSV files, each of some megabytes; whole files with `by_file`, and where they cannot be cut."""
    spans = []
    for path in files.paths:
        whole = by_file or not dialect.splittable or is_compressed(path)
        spans += [Span(path)] if whole else _spans(path, _even_bounds(os.path.getsize(path)))
    return spans


def read_csv_span(dialect: Dialect, span: Span) -> Iterator[Piece]:
    """The pieces of the lines that begin in a span."""
    _check_seen(span.path)
    if span.end is None:
        return parse_file(span.path, dialect, span.path)
    return parse_lines_between(span.path, dialect, span.start, span.end)


def parquet_spans(files: Files) -> list[Span]:
    """Spans of Parquet files: as many row groups as make some megabytes, at least one."""
    return [span for path in files.paths for span in _spans(path, _group_bounds(group_sizes(path)))]


def read_parquet_span(names: Sequence[str], span: Span) -> Iterator[Piece]:
    """The pieces of the row groups of a span."""
    _check_seen(span.path)
    return encode_runs(parquet_runs(span.path, span.start, span.end), names)


def _spans(path: str, bounds: Iterable[int]) -> list[Span]:
    return [Span(path, *ends) for ends in pairwise(bounds)]


def _even_bounds(size: int) -> list[int]:
    count = -(-size // SPAN_BYTES)
    return [size * index // max(count, 1) for index in range(count + 1)]


def _group_bounds(sizes: Sequence[int]) -> list[int]:
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // SPAN_BYTES)) + 1
    return [0, *cuts.tolist(), len(sizes)]


def _check_seen(path: str) -> None:
    """A worker may run on another machine."""
    if not os.access(path, os.R_OK):
        raise LawfulError(f"Spark's workers cannot open {path}: put it where all of them see it")
