"""A table as ranks on disk, with the way back to its values and its source."""

from __future__ import annotations

import shutil
import weakref
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.column_names import unique_names, unknown_column
from lawful.table.columns import Column
from lawful.table.pile import Reading
from lawful.table.placing import Way
from lawful.table.source_options import SourceOptions
from lawful.table.sources import gather
from lawful.table.store import (
    Codes,
    State,
    load_codes,
    load_state,
    new_codes,
    options_from_json,
    save_dictionary,
    save_state,
)
from lawful.table.versions import Ids, Version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAMED = 8  # columns that one note lists


class Place(NamedTuple):
    """Where a row stands in its source: the file ("" for a table without one), and its number from 1."""

    source: str
    row: int


class Relation:
    """A table whose columns are ranks.

    Rows have ids that never change and are never used again: 0, 1, ... in the order of the source,
    appended rows after them. The folder holds everything, so that a worker can `open` it.
    """

    def __init__(self, folder: Path, options: SourceOptions | None = None, temporary: bool = False) -> None:
        """Map the relation that a folder holds; use `read` or `open` instead."""
        state = load_state(folder)
        self._now = Version(folder, state)
        self._options = options or options_from_json(state.options)
        if temporary:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @classmethod
    def open(cls, folder: str | Path) -> Relation:
        """The relation that a folder holds: no Spark, no copying."""
        return cls(Path(folder))

    def __repr__(self) -> str:
        """A short description."""
        return f"Relation({self.n_rows} rows, columns {', '.join(self.names)})"

    @property
    def folder(self) -> Path:
        """Where the relation lies; what a worker needs to open it."""
        return self._now.folder

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, which differ from each other."""
        return tuple(column.rule.name for column in self._now.state.columns)

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""
        return len(self._now.row_ids)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What there is to say about each column now."""
        return self._now.columns

    @property
    def nulls_are_equal(self) -> bool:
        """Whether NULL equals NULL and sorts first; else it equals nothing."""
        return all(column.rule.nulls == "equal" for column in self._now.state.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could be misread in the columns: one sentence each, with the option that decides."""
        return self.misreadings(order=True)

    def misreadings(self, order: bool) -> tuple[str, ...]:
        """The same; without `order` for whoever does not care for the order of texts."""
        about: dict[str, list[str]] = {}
        for column in self.columns:
            for note in column.notes:
                about.setdefault(note, []).append(column.name)
        notes = [f"{_listed(names)}: {note}" for note, names in about.items()]
        texts = [
            one.name for one in self.columns if one.type == "string" and one.ordered and one.distinct > 1
        ]
        if texts and order:
            notes.append(f"texts are ordered by code point (Z before a, 10 before 9): {_listed(texts)}")
        return tuple(notes)

    @property
    def row_ids(self) -> Ids:
        """The id of each row, in the order of `ranks`."""
        return self._now.row_ids

    def ranks(self) -> Codes:
        """Dense ranks, one line of the array for each column; read-only, mapped from a file.

        NULL has rank 0 where NULL equals NULL, else -1.
        """
        return load_codes(self._now.ranks_file())

    def arranged_file(self) -> Path:
        """A file with the same ranks, the rows perhaps in another order, which is good to search in."""
        return self._now.arranged_file()

    def arranged_ids(self) -> Ids | None:
        """The id of each row in the order of that file; None where the rows have the ids 0, 1, ..."""
        return self._now.arranged_ids()

    def dictionary(self, column: str) -> pa.Array:
        """The distinct values of a column, by rank; NULL is the first where NULL equals NULL."""
        if column not in self.names:
            raise LawfulError(unknown_column(column, self.names))
        index = self.names.index(column)
        dictionary, codes = self._now.dictionary(index), self._now.live_codes(index)
        ranks, first = np.unique(dictionary.order[codes], return_index=True)
        return dictionary.values.take(pa.array(codes[first[ranks >= 0]]))

    def rows(self, ids: Iterable[int], names: Sequence[str] | None = None) -> pa.Table:
        """The typed values of rows, in all columns or in some."""
        wanted, chosen = self._checked(ids), self.names if names is None else tuple(names)
        columns = [
            self._now.dictionary(index).values.take(pa.array(self._now.codes_of(index, wanted)))
            for index in map(self.names.index, chosen)
        ]
        return pa.Table.from_arrays(columns, names=list(chosen))

    def locate(self, ids: Iterable[int]) -> list[Place]:
        """Where rows stand in their sources."""
        blocks, starts = self._now.state.blocks, self._now.block_starts
        places = []
        for row in self._checked(ids).tolist():
            number = bisect_right(starts, row) - 1
            places.append(Place(blocks[number].source, blocks[number].first + row - starts[number]))
        return places

    def append(
        self,
        source: Any,
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: Way = "auto",
    ) -> Ids:
        """Add the rows of a source with the same columns; the ids of the new rows.

        A value that was not there before gets the next free code; only the order of the distinct values
        is made anew, the codes of older rows stay. A column whose inferred type does not fit the new
        rows gets a more general one.
        """
        before = self._now.total
        with self._change() as (version, heap):
            state = self._appended(gather(source, options or self._options, session, way, heap), version)
            self._turn_to(state)
        return np.arange(before, self._now.total)

    def delete(self, ids: Iterable[int]) -> None:
        """Remove rows. The ids of the others stay as they are, and so do the types of the columns."""
        gone = self._now.deleted.copy()
        gone[self._checked(ids)] = True
        with self._change() as (version, _):
            name = f"deleted-{version}.npy"
            np.save(self.folder / name, gone)
            self._turn_to(replace(self._now.state, version=version, deleted=name))

    @contextmanager
    def _change(self) -> Iterator[tuple[int, Path]]:
        """The next version's number and a path for a pile of pieces; files that no version needs go."""
        version = self._now.state.version + 1
        try:
            yield version, self.folder / f"pile-{version}"
        finally:
            needed = self._now.state.files()
            for path in self.folder.glob("*-*"):
                if path.name not in needed:
                    path.unlink()

    def _turn_to(self, state: State) -> None:
        save_state(self.folder, state)
        self._now = Version(self.folder, state)

    def _appended(self, reading: Reading, version: int) -> State:
        """Write the codes and dictionaries of a version with further rows."""
        state, pile = self._now.state, reading.pile
        there = self._positions(unique_names(reading.names))
        segment, deleted = f"codes-{version}.npy", ""
        out = new_codes(self.folder / segment, (len(there), pile.n_rows))
        columns = list(state.columns)
        for index, position in enumerate(there):
            old = self._now.dictionary(index)
            values, entries = pile.distinct(position)
            new, codes = old.extend(values, reading.mode)
            pile.write_codes(position, codes[entries], out[index])
            if new is not old:
                name = f"column-{index}-{version}.arrow"
                columns[index] = save_dictionary(self.folder, name, new, columns[index].unordered)
        if state.deleted:
            deleted = f"deleted-{version}.npy"
            np.save(
                self.folder / deleted, np.append(self._now.deleted, np.zeros(pile.n_rows, dtype=np.bool_))
            )
        return replace(
            state,
            version=version,
            columns=tuple(columns),
            segments=(*state.segments, segment),
            blocks=(*state.blocks, *pile.blocks()),
            deleted=deleted,
        )

    def _positions(self, names: tuple[str, ...]) -> list[int]:
        """For each of our columns its position among the names of appended rows."""
        if set(names) != set(self.names):
            odd = sorted(set(names) ^ set(self.names))[0]
            raise LawfulError(
                f"the new rows differ in column {odd!r}: append a table with the columns "
                f"{', '.join(self.names)}"
            )
        return [names.index(name) for name in self.names]

    def _checked(self, ids: Iterable[int]) -> Ids:
        wanted = np.asarray(ids if isinstance(ids, np.ndarray) else list(ids), dtype=np.int64)
        known = (wanted >= 0) & (wanted < self._now.total)
        known[known] = ~self._now.deleted[wanted[known]]
        if not known.all():
            raise LawfulError(f"there is no row {wanted[~known][0]}: use ids from row_ids")
        return wanted


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
