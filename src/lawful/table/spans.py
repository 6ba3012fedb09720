"""Spans: parts of files that Spark's workers open by themselves and read as the driver does, without Java."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
_PACKED = 10  # times that a compressed text may become longer


@dataclass(frozen=True)
class Span:
    """From `start` to before `end`: bytes of a text, row groups of a Parquet file. No end: a whole text.

    `size` is about that of its pieces, in bytes, or more.
    """

    path: str
    size: int
    start: int = 0
    end: int | None = None


def csv_spans(files: Files, dialect: Dialect, by_file: bool) -> list[Span]:
    """Spans of CSV files, each of some megabytes; whole files with `by_file` or where they cannot be cut."""
    spans = []
    for path in files.paths:
        size, packed = os.path.getsize(path), is_compressed(path)
        if by_file or packed or not dialect.splittable:
            spans.append(Span(path, size * _PACKED if packed else size))
        else:
            count = -(-size // SPAN_BYTES)  # all about as long, for workers that end together
            bounds = [size * place // count for place in range(count + 1)] if count else []
            spans += [Span(path, end - start, start, end) for start, end in pairwise(bounds)]
    return spans


def read_csv_span(dialect: Dialect, span: Span) -> Iterator[Piece]:
    """The pieces of the lines that begin in a span."""
    _check_seen(span.path)
    if span.end is None:
        return parse_file(span.path, dialect, span.path)
    return parse_lines_between(span.path, dialect, span.start, span.end)


def parquet_spans(files: Files) -> list[Span]:
    """Spans of Parquet files: as many row groups as make some megabytes, at least one if there is one."""
    spans = []
    for path in files.paths:
        sizes = group_sizes(path)
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // SPAN_BYTES)) + 1
        bounds = pairwise([0, *cuts.tolist(), len(sizes)])
        spans += [Span(path, sum(sizes[start:end]), start, end) for start, end in bounds]
    return spans


def read_parquet_span(names: Sequence[str], span: Span) -> Iterator[Piece]:
    """The pieces of the row groups of a span."""
    _check_seen(span.path)
    return encode_runs(parquet_runs(span.path, span.start, span.end), names)


def _check_seen(path: str) -> None:
    """A worker may run on another machine."""
    if not os.access(path, os.R_OK):
        raise LawfulError(f"Spark's workers cannot open {path}: put it where all of them see it")
