"""CSV text to pieces: one parser, whether the bytes come from a file here or from Spark's lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from lawful.table.arrows import ahead
from lawful.table.dialect import Dialect
from lawful.table.files import open_local
from lawful.table.pieces import PIECE_BYTES, Piece, Trouble, run_bounds

_END = "\x1e"  # the field of the record behind the last one, see `_parse`
_BOM = codecs.BOM_UTF8
_CHUNK_BYTES = 1 << 20
_FIRST_BYTES = 1 << 20  # of the first piece


def parse_chunks(chunks: Iterable[bytes], dialect: Dialect, source: str, start: int) -> Iterator[Piece]:
    """The pieces of consecutive UTF-8 chunks, each of which ends with a line (not always with a record)."""
    held, enough, part = list[bytes](), 0, 0

    def parsed(number: int, data: bytes) -> tuple[pa.RecordBatch, Trouble | None]:
        return _parse(data, dialect, start == 0 and number == 0)

    def attempt(numbered: tuple[int, bytes]) -> tuple[bytes, pa.RecordBatch, Trouble | None]:
        return numbered[1], *parsed(*numbered)

    for data, batch, trouble in ahead(attempt, enumerate(_joined(chunks))):
        held.append(data)
        if len(held) > 1:  # a record goes on: what was made of its end alone means nothing
            if sum(map(len, held)) < enough:
                continue
            held = [b"".join(held)]
            batch, trouble = parsed(part, held[0])
        if trouble is not None and trouble.what == "open":
            enough = 2 * len(held[0])
            continue
        yield Piece(source, start, part, batch, trouble)
        held, part = [], part + 1
    if held:
        yield Piece(source, start, part, *parsed(part, b"".join(held)))


def _joined(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The text of pieces: short ones first, so that all cores have something to do soon."""
    held, size, enough = list[bytes](), 0, _FIRST_BYTES
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= enough:
            yield b"".join(held)
            held, size, enough = [], 0, min(2 * enough, PIECE_BYTES)
    if held:
        yield b"".join(held)


def read_chunks(stream: Any, encoding: str) -> Iterator[bytes]:
    """The UTF-8 text of an open file in chunks of whole lines; UnicodeDecodeError where it is none."""
    decoder = None if _is_utf8(encoding) else codecs.getincrementaldecoder(encoding)()
    rest = b""
    while raw := stream.read(_CHUNK_BYTES):
        data = raw if decoder is None else decoder.decode(raw).encode()
        end = data.rfind(b"\n") + 1
        if end:
            yield rest + memoryview(data)[:end]
            rest = b""
        rest += data[end:]
    if decoder is not None:
        rest += decoder.decode(b"", final=True).encode()
    if rest:
        yield rest


def parse_lines(dialect: Dialect, by_file: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
    """The pieces of Spark's lines (columns line, source, start).

    With `by_file` the lines of a file come together and in order, whatever block they are from.
    """
    runs = _line_runs(batches, by_file)
    run = next(runs, None)
    while run is not None:
        key = run[0]

        def same_key() -> Iterator[bytes]:
            nonlocal run
            while run is not None and run[0] == key:  # noqa: B023 - used up before key changes
                yield run[1]
                run = next(runs, None)

        yield from _recoded(same_key(), dialect, *key)


def parse_files(dialect: Dialect, batches: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
    """The pieces of whole files (columns content, source), for encodings that cannot be cut."""
    for batch in batches:
        for content, source in zip(batch.column("content"), batch.column("source"), strict=True):
            stream = pa.BufferReader(content.as_buffer())
            yield from parse_stream(stream, dialect, source.as_py())


def parse_file(path: str, dialect: Dialect, source: str) -> Iterator[Piece]:
    """The pieces of a file on this machine, which may be compressed."""
    with open_local(path) as stream:
        yield from parse_stream(stream, dialect, source)


def parse_lines_between(path: str, dialect: Dialect, start: int, end: int) -> Iterator[Piece]:
    """The pieces of the lines of a file on this machine that begin in these bytes."""
    return _recoded(_lines_between(path, start, end), dialect, path, start)


def _lines_between(path: str, start: int, end: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        if start:
            file.seek(start - 1)
            file.readline()  # it began before
        while (place := file.tell()) < end and (chunk := file.read(min(end - place, _CHUNK_BYTES))):
            yield chunk if chunk.endswith(b"\n") else chunk + file.readline()


def parse_stream(stream: Any, dialect: Dialect, source: str) -> Iterator[Piece]:
    """The pieces of one open file."""
    try:
        yield from parse_chunks(read_chunks(stream, dialect.encoding), dialect, source, 0)
    except UnicodeDecodeError:
        yield Piece(source, 0, 0, _empty(dialect), Trouble("encoding"))


def _recoded(chunks: Iterator[bytes], dialect: Dialect, source: str, start: int) -> Iterator[Piece]:
    recoded = chunks
    if not _is_utf8(dialect.encoding):
        recoded = (chunk.decode(dialect.encoding).encode() for chunk in chunks)
    try:
        yield from parse_chunks(recoded, dialect, source, start)
    except UnicodeDecodeError:
        yield Piece(source, start, 0, _empty(dialect), Trouble("encoding"))
        for _ in chunks:
            pass


def _line_runs(batches: Iterable[pa.RecordBatch], by_file: bool) -> Iterator[tuple[tuple[str, int], bytes]]:
    for batch in batches:
        if batch.num_rows == 0:
            continue
        lines, source, start = (batch.column(name) for name in ("line", "source", "start"))
        if by_file:
            start = pa.array(np.zeros(batch.num_rows, np.int64))
        bounds = run_bounds(source, start)
        for low, high in pairwise(bounds):
            group = pa.LargeListArray.from_arrays(
                [0, high - low], lines.slice(low, high - low).cast(pa.large_binary())
            )
            joined = pc.binary_join(group, pa.scalar(b"\n", pa.large_binary()))[0].as_py()
            yield (source[low].as_py(), start[low].as_py()), joined + b"\n"


def _parse(data: bytes, dialect: Dialect, first: bool) -> tuple[pa.RecordBatch, Trouble | None]:
    """Parse whole lines of UTF-8, perhaps the first of a source.

    A record of our own is added at the end. Where the parser does not find it, the last quote is still
    open: so this is known for certain, by the parser's own rules, in one pass.
    """
    if first:
        data = data.removeprefix(_BOM)
    if dialect.comment:
        data = dialect.without_comments(data)
    if re.search(rb"[^\r\n]", data) is None:
        return _empty(dialect), None
    head = int(first and dialect.header)
    if head:
        data = data.lstrip(b"\r\n")  # Arrow would pass over an empty line instead of the names
    if head and (names := _first_record(data, dialect)) != list(dialect.first):
        return _empty(dialect), Trouble("header", 0, len(names), dialect.delimiter.join(names))
    end = dialect.delimiter.join([_END] * dialect.width).encode() + b"\n"
    closed = data if data.endswith((b"\n", b"\r")) else data + b"\n"
    bad: list[csv.InvalidRow] = []
    try:
        table = _read(closed + end, dialect, head, bad)
    except pa.ArrowInvalid as problem:
        if "UTF8" not in str(problem):
            raise
        return _empty(dialect), Trouble("encoding")
    ended = table.num_rows > 0 and all(column[-1].as_py() == _END for column in table.columns)
    if not ended:
        return _empty(dialect), Trouble("open", table.num_rows)
    if bad:
        (row,) = bad
        return _empty(dialect), Trouble("ragged", row.number - head, row.actual_columns, row.text[:80])
    return _without_last(table), None


def _read(data: bytes, dialect: Dialect, head: int, bad: list[csv.InvalidRow]) -> pa.Table:
    """The rows as Arrow reads them, and the first bad one, whose number it knows in one thread."""

    def note(row: csv.InvalidRow) -> str:
        if len(bad) == 0:
            bad.append(row)
        return "skip"

    names = [f"c{i}" for i in range(dialect.width)]
    text = pa.dictionary(pa.int32(), pa.string())
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(
            column_names=names, use_threads=False, block_size=len(data) + 1, skip_rows_after_names=head
        ),
        parse_options=csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote or False,
            double_quote=bool(dialect.quote),
            escape_char=dialect.escape if dialect.escape not in ("", dialect.quote) else False,
            newlines_in_values=True,
            invalid_row_handler=note,
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, text), null_values=[], strings_can_be_null=False
        ),
    )


def _without_last(table: pa.Table) -> pa.RecordBatch:
    """All but the last row, and no dictionary entry that only the last row uses (it comes last)."""
    columns = []
    for column in table.columns:
        (chunk,) = column.chunks
        codes, values = chunk.indices.slice(0, len(chunk) - 1), chunk.dictionary
        used = pc.max(codes).as_py()
        kept = values.slice(0, 0 if used is None else used + 1)
        columns.append(pa.DictionaryArray.from_arrays(codes, kept))
    return pa.record_batch(columns, names=table.column_names)


def _first_record(data: bytes, dialect: Dialect) -> list[str]:
    text = data[: 1 << 20].decode(errors="replace")
    return next(dialect.records(text), [])


def _empty(dialect: Dialect) -> pa.RecordBatch:
    column = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    return pa.record_batch([column] * dialect.width, names=[f"c{i}" for i in range(dialect.width)])


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
