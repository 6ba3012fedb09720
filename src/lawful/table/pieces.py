"""Pieces: parts of a table whose columns are dictionary encoded, made in the driver or in workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.table.arrows import ahead, in_threads, plain
from lawful.table.kinds import clean_floats

PIECE_BYTES = 1 << 24
PIECE_ROWS = 1 << 17
TELLING = 1 << 12  # values that tell whether they repeat; a dictionary of no more has none twice
SHORT_PIECE, MANY = 1 << 18, 16  # bytes that one thread encodes; threads at most for others
Run = tuple[tuple[str, int], pa.RecordBatch]
_Held = tuple[str, int, int, list[pa.RecordBatch]]


@dataclass(frozen=True)
class Trouble:
    """What keeps a piece from being part of a table.

    Attributes:
        what: "ragged", "open" (a quote without end), "encoding" or "header".
        row: the number of the bad row in its piece, from 1.
        fields: how many fields the row has.
        text: the beginning of the row.
    """

    what: str
    row: int = 0
    fields: int = 0
    text: str = ""


@dataclass(frozen=True)
class Piece:
    """Consecutive rows of one source: `batch` has one dictionary encoded column for each column.

    One that is `mapped` from a file takes no memory.
    """

    source: str
    start: int
    part: int
    batch: pa.RecordBatch = field(repr=False)
    trouble: Trouble | None = None
    mapped: bool = False


def write_batch(batch: pa.RecordBatch, sink: Any, compression: str | None = None) -> None:
    """Write a batch as bytes."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)


def batch_in(data: Any) -> pa.RecordBatch:
    """The batch that bytes hold, which stay where they are unless they are compressed."""
    return pa.ipc.open_stream(data).read_next_batch()


def encode(column: pa.Array, name: str = "") -> pa.DictionaryArray:
    """A column as codes and the dictionary of its values, NULL being one of them; few come there twice."""
    if pa.types.is_dictionary(column.type):
        return _encode_again(column, name)
    values = plain(column, name)
    if pa.types.is_floating(values.type):
        values = clean_floats(values)
    if _hardly_repeats(values):
        return pa.DictionaryArray.from_arrays(np.arange(len(values), dtype=np.int32), values)
    return values.dictionary_encode(null_encoding="encode")


def _hardly_repeats(values: pa.Array) -> bool:
    """Whether nearly all values are distinct, as far as the first tell: then to hash them is no use."""
    some = values.slice(0, TELLING)
    return len(values) > TELLING and len(some.unique()) > 0.95 * TELLING


def _encode_again(column: pa.DictionaryArray, name: str) -> pa.DictionaryArray:
    """By its dictionary, which may have values that no row has, or some that mean the same here."""
    entries = pa.concat_arrays([column.dictionary, pa.nulls(1, column.dictionary.type)])
    places = column.indices.cast(pa.int64()).fill_null(len(entries) - 1).to_numpy()
    used = np.zeros(len(entries), np.bool_)
    used[places] = True
    distinct = encode(entries.filter(pa.array(used)), name)
    codes = np.zeros(len(entries), np.int32)
    codes[used] = distinct.indices.to_numpy()
    return pa.DictionaryArray.from_arrays(codes[places], distinct.dictionary)


def encode_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
    """Pieces of the batches of one partition, whose last two columns are `source` and `start`."""
    return encode_runs(_runs(batches))


def encode_runs(runs: Iterable[Run], names: Sequence[str] = ()) -> Iterator[Piece]:
    """Pieces of batches that know their (source, start); many small ones become one piece.

    Batches of one (source, start) are consecutive. `names` of the columns are for messages.
    """
    return ahead(partial(_encode_held, names), _held_together(runs))


def _held_together(runs: Iterable[Run]) -> Iterator[_Held]:
    held: list[pa.RecordBatch] = []
    key, part = ("", -1), 0
    for run_key, run in runs:
        too_big = sum(b.num_rows for b in held) >= PIECE_ROWS or sum(b.nbytes for b in held) >= PIECE_BYTES
        if held and (run_key != key or too_big):
            yield *key, part, held
            held, part = [], part + 1
        if run_key != key:
            key, part = run_key, 0
        held.append(run)
    if held:
        yield *key, part, held


def _encode_held(names: Sequence[str], batches: _Held) -> Piece:
    source, start, part, held = batches
    table = pa.Table.from_batches(held)
    told = names or table.column_names
    threads = 1 if table.nbytes < SHORT_PIECE else MANY
    columns = in_threads(encode, map(_one_chunk, table.columns), told, most=threads)
    batch = pa.record_batch(columns, names=[f"c{i}" for i in range(len(columns))])
    return Piece(source, start, part, batch)


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _runs(batches: Iterable[pa.RecordBatch]) -> Iterator[Run]:
    """The batches cut where (source, start) changes, without these two columns."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        bounds = run_bounds(batch.column("source"), batch.column("start"))
        for low, high in pairwise(bounds):
            key = batch.column("source")[low].as_py(), batch.column("start")[low].as_py()
            yield key, batch.slice(low, high - low).select(list(range(batch.num_columns - 2)))


def run_bounds(source: pa.Array, start: pa.Array) -> list[int]:
    """Where runs of equal (source, start) begin, and the end of the last."""
    numbers = pc.dictionary_encode(source)
    sources: npt.NDArray[np.int32] = numbers.indices.to_numpy(zero_copy_only=False)
    starts: npt.NDArray[np.int64] = start.to_numpy(zero_copy_only=False)
    changes = np.flatnonzero((np.diff(sources) != 0) | (np.diff(starts) != 0)) + 1
    return [0, *changes.tolist(), len(starts)]
