"""A table as ranks on disk, with the way back to its values and its source."""

from __future__ import annotations

import shutil
import weakref
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from lawful.errors import LawfulError
from lawful.shown import Shown
from lawful.table.changing import Change, Prepared
from lawful.table.column_names import unknown_column
from lawful.table.columns import Column
from lawful.table.manifests import load_manifest, options_from_json, point_to
from lawful.table.parts import Ids
from lawful.table.placing import Way
from lawful.table.rank_files import RankFiles
from lawful.table.source_options import SourceOptions
from lawful.table.sources import gather
from lawful.table.store import Codes, load_codes
from lawful.table.table_notes import table_notes
from lawful.table.versions import Version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAMED = 8  # columns that one note lists


class Place(NamedTuple):
    """Where a row stands in its source: the file ("" for a table without one), and its number from 1."""

    source: str
    row: int


class Relation(Shown):
    """A table whose columns are ranks.

    Rows have ids that never change and are never used again: 0, 1, ... in the order of the source,
    appended rows after them. The folder holds everything, so that a worker can `open` it.
    """

    def __init__(
        self,
        folder: Path,
        options: SourceOptions | None = None,
        temporary: bool = False,
        version: int | None = None,
        durable: bool = True,
    ) -> None:
        """Map the relation that a folder holds; use `read` or `open` instead."""
        manifest = load_manifest(folder, version)
        self._now = Version(folder, manifest)
        self._options = options or options_from_json(manifest.options)
        self._durable = durable and not temporary
        if temporary:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @classmethod
    def open(cls, folder: str | Path, version: int | None = None, durable: bool = True) -> Relation:
        """The relation that a folder holds, or another version that lies there: no Spark, no copying.

        Its changes survive a power failure, unless they need not be `durable`.
        """
        return cls(Path(folder), version=version, durable=durable)

    def __repr__(self) -> str:
        """A short description."""
        return f"Relation({self.n_rows} rows, columns {', '.join(self.names)})"

    @property
    def folder(self) -> Path:
        """Where the relation lies; what a worker needs to open it."""
        return self._now.folder

    @property
    def now(self) -> Version:
        """The present version, for what follows its changes."""
        return self._now

    @property
    def version(self) -> int:
        """The number of the present version."""
        return self._now.manifest.version

    @property
    def options(self) -> SourceOptions:
        """How its source was read."""
        return self._options

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, which differ from each other."""
        return tuple(column.rule.name for column in self._now.manifest.columns)

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""
        return self._now.total - self._now.n_deleted

    @property
    def columns(self) -> tuple[Column, ...]:
        """What there is to say about each column now."""
        return self._now.columns

    @property
    def nulls_are_equal(self) -> bool:
        """Whether NULL equals NULL and sorts first; else it equals nothing."""
        return all(column.rule.nulls == "equal" for column in self._now.manifest.columns)

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
        for names, note in table_notes(self):
            about.setdefault(note, []).extend(names)
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
        return load_codes(RankFiles(self._now).ranks())

    def arranged_file(self) -> Path:
        """A file with the same ranks, the rows perhaps in another order, which is good to search in."""
        return RankFiles(self._now).arranged()

    def arranged_ids(self) -> Ids | None:
        """The id of each row in the order of that file; None where the rows have the ids 0, 1, ..."""
        return RankFiles(self._now).arranged_ids()

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
        columns = [self._now.values_of(index, wanted) for index in map(self.names.index, chosen)]
        return pa.Table.from_arrays(columns, names=list(chosen))

    def locate(self, ids: Iterable[int]) -> list[Place]:
        """Where rows stand in their sources."""
        blocks, starts = self._now.blocks, self._now.block_starts
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

        A value that was not there before gets the next free code; the codes of older rows stay. A column
        whose inferred type does not fit the new rows gets a more general one.
        """
        prepared = self.prepare(source, options=options, session=session, way=way)
        self._turn_for_good(prepared)
        return prepared.appended

    def delete(self, ids: Iterable[int]) -> None:
        """Remove rows. The ids of the others stay as they are, and so do the types of the columns."""
        self._turn_for_good(self.prepare(delete=ids))

    def prepare(
        self,
        append: Any = None,
        delete: Iterable[int] = (),
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: Way = "auto",
        frozen: bool = False,
    ) -> Prepared:
        """Write a version without some rows and with those of a source; `turn_to` makes it the present one.

        Args:
            append: a source as `read` takes it, with the same columns.
            delete: ids of rows.
            options: how to read the source; by default as the first one.
            session: the Spark session to use, where one is needed.
            way: where the source is encoded.
            frozen: whether the columns keep their types.

        Raises:
            LawfulError: there is no such row, the columns differ, or a value does not fit a frozen type.
                Nothing is left behind.
        """
        gone = np.unique(self._checked(delete))
        with Change(self._now, frozen, self._durable) as change:
            if append is None:
                return change.prepare(gone, None)
            return change.prepare(gone, gather(append, options or self._options, session, way, change.heap))

    def turn_to(self, prepared: Prepared) -> None:
        """Make a prepared version the present one; for whoever opens the folder `publish` does.

        The files of the old one stay.
        """
        if prepared.base != self.version:
            raise LawfulError(
                f"the change was prepared for version {prepared.base}, "
                f"and the present one is {self.version}: prepare it again"
            )
        self._now = Version(self.folder, prepared.manifest, self._now, prepared.made)

    def publish(self) -> None:
        """Make the present version the one that counts for whoever opens the folder, in one step."""
        point_to(self.folder, self.version, self._durable)

    def clean(self) -> None:
        """Remove all files that the present version does not need."""
        needed = self._now.manifest.files()
        for path in self.folder.glob("*-*"):
            if path.is_dir():
                shutil.rmtree(path)  # what a source was unpacked into when the process died
            elif path.name not in needed:
                path.unlink()

    def _turn_for_good(self, prepared: Prepared) -> None:
        self.turn_to(prepared)
        self.publish()
        self.clean()

    def _checked(self, ids: Iterable[int]) -> Ids:
        wanted = np.asarray(ids if isinstance(ids, np.ndarray) else list(ids), dtype=np.int64)
        known = (wanted >= 0) & (wanted < self._now.total)
        if self._now.n_deleted and len(wanted):
            known[known] = ~self._now.deleted[wanted[known]]
        if not known.all():
            last = self._now.total - 1
            raise LawfulError(
                f"there is no row {wanted[~known][0]}: ids are 0 to {last}, without those of deleted rows"
            )
        return wanted


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
