"""A pile of pieces on disk: what was read, before it becomes a relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import chain, islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.arrows import give_back
from lawful.table.columns import Mode, concat
from lawful.table.pieces import Piece, Trouble, unpack_trouble

Row = tuple[str, int, int, bytes | pa.Buffer, str | None]
_ALIGNMENT, _SHORT = 64, 1 << 20  # bytes


@dataclass(frozen=True)
class Block:
    """Consecutive rows of one source: the first of them is row `first` there, counted from 1."""

    source: str
    first: int
    rows: int


@dataclass(frozen=True)
class _Entry:
    source: str
    start: int
    part: int
    offset: int
    length: int
    trouble: Trouble | None

    @property
    def key(self) -> tuple[str, int, int]:
        return self.source, self.start, self.part


class Pile:
    """Pieces written to one file as they come, and read back column by column in the order of the source."""

    def __init__(self, path: Path) -> None:
        """Start an empty pile in a file."""
        self._path = path
        self._content: pa.Buffer | None = None
        self._entries: list[_Entry] = []

    def gather(self, rows: Iterable[Row]) -> None:
        """Write down packed pieces; a small one that is alone stays in memory."""
        more = iter(rows)
        first = list(islice(more, 2))
        in_memory = len(first) == 1 and len(first[0][3]) < _SHORT
        with BytesIO() if in_memory else self._path.open("wb") as file:
            for source, start, part, payload, trouble in chain(first, more):
                file.write(b"\0" * (-file.tell() % _ALIGNMENT))
                offset = file.tell()
                file.write(payload)
                entry = _Entry(source, start, part, offset, len(payload), unpack_trouble(trouble))
                self._entries.append(entry)
                del payload
                if not in_memory:
                    give_back()
            if isinstance(file, BytesIO):
                self._content = pa.py_buffer(file.getvalue())
        self._entries.sort(key=lambda entry: entry.key)

    @cached_property
    def batches(self) -> list[pa.RecordBatch]:
        """The pieces, memory-mapped, in the order of the source."""
        if not self._entries:
            return []
        buffer = self._content or pa.memory_map(str(self._path)).read_buffer()
        streams = (pa.BufferReader(buffer.slice(entry.offset, entry.length)) for entry in self._entries)
        return [pa.ipc.open_stream(stream).read_next_batch() for stream in streams]

    @property
    def is_empty(self) -> bool:
        """Whether no piece has come."""
        return not self._entries

    @property
    def n_rows(self) -> int:
        """How many rows were read."""
        return sum(batch.num_rows for batch in self.batches)

    def trouble(self) -> tuple[Trouble, str, int] | None:
        """The first trouble in the order of the source, its source, and how many rows come before it."""
        for index, entry in enumerate(self._entries):
            if entry.trouble is not None:
                before = sum(
                    batch.num_rows
                    for other, batch in zip(self._entries[:index], self.batches, strict=False)
                    if other.source == entry.source
                )
                return entry.trouble, entry.source, before
        return None

    def any_trouble(self, what: str) -> bool:
        """Whether a piece has this trouble."""
        return any(entry.trouble is not None and entry.trouble.what == what for entry in self._entries)

    def blocks(self) -> Iterator[Block]:
        """The sources and how many rows each brings, in order."""
        first = 1
        for index, (entry, batch) in enumerate(zip(self._entries, self.batches, strict=True)):
            if index and self._entries[index - 1].source != entry.source:
                first = 1
            if batch.num_rows:
                yield Block(entry.source, first, batch.num_rows)
            first += batch.num_rows

    def distinct(self, column: int) -> tuple[pa.Array, npt.NDArray[np.int32]]:
        """The distinct source values of a column, and which of them each dictionary entry is."""
        dictionaries = [batch.column(column).dictionary for batch in self.batches]
        if not dictionaries:
            return pa.nulls(0), np.empty(0, dtype=np.int32)
        if len(dictionaries) == 1:
            return dictionaries[0], np.arange(len(dictionaries[0]), dtype=np.int32)
        merged = concat(dictionaries).dictionary_encode(null_encoding="encode")
        return merged.dictionary, merged.indices.to_numpy()

    def first_with(self, column: int, place: int) -> tuple[str, int, object]:
        """Where the first row with a distinct value stands: its source, its number there, and the value."""
        values, entries = self.distinct(column)
        codes = np.empty(self.n_rows, np.int32)
        self.write_codes(column, entries, codes)
        row = int(np.flatnonzero(codes == place)[0])
        for block in self.blocks():
            if row < block.rows:
                return block.source, block.first + row, values[place].as_py()
            row -= block.rows
        raise AssertionError("each row is in a block")

    def write_codes(
        self, column: int, code_of_entry: npt.NDArray[np.int32], out: npt.NDArray[np.int32]
    ) -> None:
        """Write the codes of a column, given the code of each dictionary entry."""
        row = entry = 0
        for batch in self.batches:
            encoded = batch.column(column)
            codes = encoded.indices.to_numpy()
            table = code_of_entry[entry : entry + len(encoded.dictionary)]
            np.take(table, codes, out=out[row : row + len(codes)], mode="clip")
            row += len(codes)
            entry += len(encoded.dictionary)


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


def pack_all(pieces: Iterable[Piece]) -> Iterator[Row]:
    """Pieces made in this process, packed like those of workers."""
    return (piece.pack() for piece in pieces)
