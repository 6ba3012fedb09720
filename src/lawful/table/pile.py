"""A pile of pieces: what was read, before it becomes a relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.arrows import give_back
from lawful.table.columns import Mode, concat
from lawful.table.distinct_values import distinct_values
from lawful.table.pieces import TELLING, Piece, Trouble, batch_in, write_batch

_ALIGNMENT = 64
_IN_MEMORY = 1 << 26  # bytes that are held there


@dataclass(frozen=True)
class Block:
    """Consecutive rows of one source: the first of them is row `first` there, counted from 1."""

    source: str
    first: int
    rows: int


class Pile:
    """Pieces as they come, to be read column by column in the order of the source.

    The first are held in memory, and what would take too much of it is written to a file.
    """

    def __init__(self, path: Path) -> None:
        """Start an empty pile, which may need a file."""
        self._path = path
        self._pieces: list[Piece] = []

    def gather(self, pieces: Iterable[Piece]) -> None:
        """Take all pieces."""
        room, more = _IN_MEMORY, iter(pieces)
        for piece in more:
            room -= 0 if piece.mapped else piece.batch.nbytes
            if room < 0:
                self._pieces += self._filed(chain([piece], more))
                give_back()
                break
            self._pieces.append(piece)
        self._pieces.sort(key=lambda piece: (piece.source, piece.start, piece.part))

    def _filed(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Write pieces to the file: they lie there then."""
        with self._path.open("wb") as file:
            written = [(replace(piece, batch=None), *_write(piece.batch, file)) for piece in pieces]
        whole = pa.memory_map(str(self._path)).read_buffer()
        return [replace(one, batch=batch_in(whole.slice(*place))) for one, *place in written]

    @property
    def batches(self) -> list[pa.RecordBatch]:
        """What the pieces hold, in the order of the source."""
        return [piece.batch for piece in self._pieces]

    @property
    def is_empty(self) -> bool:
        """Whether no piece has come."""
        return not self._pieces

    @property
    def n_rows(self) -> int:
        """How many rows were read."""
        return sum(batch.num_rows for batch in self.batches)

    def trouble(self) -> tuple[Trouble, str, int] | None:
        """The first trouble in the order of the source, its source, and how many rows come before it."""
        for index, piece in enumerate(self._pieces):
            if piece.trouble is not None:
                before = (one for one in self._pieces[:index] if one.source == piece.source)
                return piece.trouble, piece.source, sum(one.batch.num_rows for one in before)
        return None

    def any_trouble(self, what: str) -> bool:
        """Whether a piece has this trouble."""
        return any(piece.trouble is not None and piece.trouble.what == what for piece in self._pieces)

    def blocks(self) -> Iterator[Block]:
        """The sources and how many rows each brings, in order."""
        for source, pieces in groupby(self._pieces, key=lambda piece: piece.source):
            first = 1
            for rows in (piece.batch.num_rows for piece in pieces):
                if rows:
                    yield Block(source, first, rows)
                first += rows

    def distinct(self, column: int) -> tuple[pa.Array, npt.NDArray[np.int32]]:
        """The distinct source values of a column, and which of them each dictionary entry is."""
        dictionaries = [batch.column(column).dictionary for batch in self.batches]
        if not dictionaries:
            return pa.nulls(0), np.empty(0, dtype=np.int32)
        if len(dictionaries) == 1 and len(dictionaries[0]) <= TELLING:
            return dictionaries[0], np.arange(len(dictionaries[0]), dtype=np.int32)
        return distinct_values(concat(dictionaries))

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
        encodings: those that its texts could have instead of the one they were read with.
    """

    names: tuple[str, ...]
    mode: Mode
    pile: Pile
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    encodings: tuple[str, ...] = ()


def _write(batch: pa.RecordBatch, file: BinaryIO) -> tuple[int, int]:
    """Write a batch to the end of a file: where it begins there, and its size."""
    file.write(b"\0" * (-file.tell() % _ALIGNMENT))
    start = file.tell()
    write_batch(batch, file)
    return start, file.tell() - start
