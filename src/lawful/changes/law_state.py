"""A table and its laws in a folder, kept true while rows come and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lawful.changes.breaking_pairs import AUTO, WAYS
from lawful.changes.choosing_rows import Ids, rows_like, rows_where
from lawful.changes.kept_family import FamilyChange
from lawful.changes.kept_laws import Enforced, KeptLaws
from lawful.changes.law_change import LawChange, Refused
from lawful.changes.quarantine import write_quarantine
from lawful.changes.state_folder import StateFolder
from lawful.discovery import Options, Progress, Search
from lawful.discovery.findings import Scores
from lawful.errors import LawfulError, UnfitRowsError
from lawful.evidence.agree_sets import AgreeSets
from lawful.laws.codec import Codec, LawArrays
from lawful.shown import Shown
from lawful.table import Relation, SourceOptions, read
from lawful.table.column_names import require_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOLD = 100  # laws that the history names for each change


@dataclass(frozen=True)
class Incoming:
    """How rows come in, as `LawState.insert` says."""

    options: SourceOptions | None = None
    session: SparkSession | None = None
    way: str = AUTO
    batch: str | None = None
    quarantine: Path | None = None
    min_bits: float = 0.0  # of laws that are enforced
    bits: bool = False

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise LawfulError(f"unknown way {self.way!r}: choose among {', '.join(WAYS)}")
        if self.min_bits and self.quarantine is None:
            raise LawfulError("laws of so many bits are enforced only with a quarantine: name its folder")


class LawState(Shown):
    """A table and all its minimal laws of some kinds, in a folder that survives the process.

    Whatever changes is written aside and counts from one moment on: a process that is killed leaves the state
    as it was before or as it is afterwards.
    """

    def __init__(self, path: str | Path, durable: bool = True) -> None:
        """Open the state that a folder holds; `durable` if its changes shall survive a power failure."""
        self._folder = StateFolder(Path(path), durable)
        self._load()

    def _load(self) -> None:
        frozen = self._folder.frozen()
        self._saved = self._folder.now()
        self.relation = Relation.open(self._folder.relation, self._saved.relation, self._folder.durable)
        self._kept = KeptLaws(self.relation, frozen, self._folder.arrays(self._saved))
        self._batches, self._known = set[str](), 0  # the names of batches in so many bytes of the history

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def version(self) -> int:
        """How many changes there were."""
        return self._saved.version

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.relation.n_rows

    @property
    def options(self) -> Options:
        """What was asked for."""
        return self._kept.options

    @property
    def codec(self) -> Codec:
        """Between arrays and law objects."""
        return self._kept.codec

    @property
    def law_arrays(self) -> LawArrays:
        """The minimal laws of the kinds that were asked for."""
        return self._kept.laws

    @property
    def counts(self) -> dict[str, int]:
        """How many laws of each kind there are."""
        return self._kept.counts

    @property
    def batches(self) -> Set[str]:
        """The names of the batches that are in the state."""
        entries = self._folder.history(self._saved, self._known)
        self._batches |= {entry["batch"] for entry in entries if entry["batch"] is not None}
        self._known = self._saved.end
        return self._batches

    def search(self, progress: Progress) -> Search:
        """A search of the table as it is now, which came so far."""
        return self._kept.search(progress)

    def history(self) -> list[dict[str, Any]]:
        """What happened, the oldest first: when, what, how many rows and laws, which laws broke."""
        return self._folder.history(self._saved)

    def agree_sets(self) -> pa.Table:
        """How many pairs of rows agree on exactly which columns; the state must keep these counts."""
        return self._counted().as_table(self.relation.names)

    def pairs(self, agreeing: Sequence[str], differing: str | None = None) -> int:
        """How many pairs of rows agree on some columns and, if one is named, differ on another.

        So many break the key of these columns, or the FD to the other one.
        """
        names = self.relation.names
        require_columns([*agreeing, *([] if differing is None else [differing])], names, "pairs")
        target = None if differing is None else names.index(differing)
        return self._counted().pairs([names.index(name) for name in agreeing], target)

    def _counted(self) -> AgreeSets:
        if self._kept.agree_sets is None:
            raise LawfulError("this state keeps no counts of agree-sets: make it with counts=True (--counts)")
        return self._kept.agree_sets

    def insert(
        self,
        rows: Any,
        *,
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: str = "auto",
        batch: str | None = None,
        quarantine: str | Path | None = None,
        min_bits: float = 0.0,
        bits: bool = False,
    ) -> LawChange:
        """Add rows, from whatever `lawful.read` takes, and keep the laws true.

        Args:
            rows: a source with the same columns, whose values fit their types.
            options: how to read it; by default as the first source.
            session: the Spark session to use, where one is needed.
            way: how to find the pairs of rows that break laws: "auto", the one that is likely to take least
                time; "tiles", new rows with all others; "probes", by indexes that live on; "anew", by a
                search from the evidence so far.
            batch: a name for these rows: a batch that the state has already is not added again.
            quarantine: a folder. The laws are enforced: rows that would break one are not added but written
                there, with the reason.
            min_bits: enforce only facts and laws of at least so many bits; others are learned.
            bits: tell also how surely each law that is new or gone is no mere chance; that can take longer
                than the change.
        """
        _require_rows(rows)
        refused_to = None if quarantine is None else Path(quarantine)
        reading = Incoming(options, session, way, batch, refused_to, min_bits, bits)
        return self._change("insert", rows, lambda: (), reading)

    def delete(
        self,
        ids: Iterable[int] | None = None,
        *,
        rows: Any = None,
        where: str | None = None,
        bits: bool = False,
    ) -> LawChange:
        """Remove rows and keep the laws true.

        Args:
            ids: which rows: their ids.
            rows: a source with rows of the table, each of which goes once.
            where: a condition, as in "city = 'Oslo' and year < 2020".
            bits: as for `insert`.
        """
        given = [choice for choice in (ids, rows, where) if choice is not None]
        if len(given) != 1:
            raise LawfulError("say which rows to delete, in one way: by --ids, --rows or --where")
        return self._change("delete", None, lambda: self._chosen(ids, rows, where), Incoming(bits=bits))

    def update(
        self,
        rows: Any,
        *,
        ids: Iterable[int] | None = None,
        on: Collection[str] | str | None = None,
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        bits: bool = False,
    ) -> LawChange:
        """Put rows in the place of others, as one change: of those with these ids, or with equal values of
        the columns `on`. Rows, options, session and bits are as for `insert`."""
        _require_rows(rows)
        if (ids is None) == (on is None):
            raise LawfulError(
                "say which rows to replace: those with some ids (--ids), or equal on some columns (--on)"
            )
        incoming = Incoming(options, session, bits=bits)
        if ids is not None:
            chosen = list(ids)
            return self._change("update", rows, lambda: chosen, incoming)
        wanted = read(rows, options or self.relation.options, session)
        columns = [on] if isinstance(on, str) else list(on or ())
        return self._change("update", rows, lambda: rows_like(self.relation, wanted, columns), incoming)

    def _chosen(self, ids: Iterable[int] | None, rows: Any, where: str | None) -> Iterable[int]:
        if ids is not None:
            return ids
        if where is not None:
            found = rows_where(self.relation, where)
            if not len(found):
                raise LawfulError(f"there is no row with {where}: nothing was changed")
            return found
        return rows_like(self.relation, read(rows, self.relation.options))

    def _change(
        self,
        what: str,
        rows: Any,
        gone: Callable[[], Iterable[int]],
        reading: Incoming,
    ) -> LawChange:
        """Write a version without some rows and with others, then switch to it."""
        with self._folder.locked():
            if self._folder.now(self._saved) != self._saved:  # another process was here
                self._load()
            if reading.batch is not None and reading.batch in self.batches:
                return self._nothing(what)
            try:
                change = self._changed(what, rows, np.array(list(gone()), np.int64), reading)
            except BaseException:
                self._load()  # as it was
                raise
            self.relation.clean()
            return change

    def _changed(self, what: str, source: Any, gone: Ids, incoming: Incoming) -> LawChange:
        started = time.perf_counter()
        enforced = None if incoming.quarantine is None else self._kept.enforced(incoming.min_bits)
        new = self._take_in(source, gone, incoming)
        refused = [] if enforced is None else self._refuse(new, enforced, incoming)
        new = new[self._kept.rows.alive[new]]
        read_at = time.perf_counter()
        laws, way = self._kept.follow(new, gone, incoming.way, self.version + 1)
        seconds = {"read": read_at - started, "laws": time.perf_counter() - read_at}
        bits = self._bits(laws, new, gone, incoming.bits)
        if incoming.bits:
            seconds["bits"] = time.perf_counter() - read_at - seconds["laws"]
        about = what, self.version + 1, new, gone, self.n_rows, self.counts, way, seconds
        change = LawChange(*about, self.codec, *laws, *bits, refused)
        self._save(change, incoming.batch)
        return change

    def _bits(self, laws: FamilyChange, new: Ids, gone: Ids, asked: bool) -> tuple[Scores, Scores]:
        """What the laws that are new are worth, and what those were that are gone, as the rows were then."""
        added, removed = (np.full(len(some.kinds), np.nan) for some in (laws.added, laws.removed))
        if asked and len(added):
            added = self._kept.bits(laws.added)
        if asked and len(removed):
            before = self._kept.rows.alive.copy()
            before[new], before[gone] = False, True
            removed = self._kept.bits(laws.removed, np.flatnonzero(before))
        return added, removed

    def _take_in(self, source: Any, gone: Ids, incoming: Incoming) -> Ids:
        """Turn to a version of the table without some rows and with others: the ids of these."""
        try:
            prepared = self.relation.prepare(source, gone, incoming.options, incoming.session, frozen=True)
        except LawfulError as error:
            raise UnfitRowsError(*error.args) from error
        self.relation.turn_to(prepared)
        self._kept.rows.follow()
        return prepared.appended

    def _refuse(self, new: Ids, enforced: Enforced, incoming: Incoming) -> list[Refused]:
        """Take those of some rows out again that break a law together with others, and write them down."""
        refused = [*self._refused(new, enforced)]
        if refused:
            name = incoming.batch or f"version-{self.version + 1}"
            write_quarantine([one for _, one in refused], incoming.quarantine or Path(), name)
            self.relation.turn_to(self.relation.prepare(None, [row for row, _ in refused]))
            self._kept.rows.follow()
        return [one for _, one in refused]

    def _refused(self, new: Ids, enforced: Enforced) -> Iterator[tuple[int, Refused]]:
        """In their order those that break a law together with a row before them that is not refused.

        Most break none, which many rows at once may tell: fewer where some do, more again where none does.
        """
        first, size = 0, len(new)
        while first < len(new):
            some = new[first : first + size]
            broken = self._kept.broken_by(some, enforced)
            if broken is None:
                first, size = first + len(some), 2 * size
            elif len(some) > 1:
                size = len(some) // 2
            else:
                (row,), (law, pair) = some.tolist(), broken
                self._kept.rows.alive[row] = False
                yield row, Refused(self.relation.rows([row]).to_pylist()[0], law, sum(pair) - row)
                first += 1

    def _nothing(self, what: str) -> LawChange:
        """A change that was made before."""
        nobody = np.empty(0, np.int64)
        laws, _ = self._kept.follow(nobody, nobody, AUTO, self.version)
        about = what, self.version, nobody, nobody, self.n_rows, self.counts, "", dict[str, float]()
        return LawChange(*about, self.codec, *laws, *self._bits(laws, nobody, nobody, False))

    def _save(self, change: LawChange, batch: str | None) -> None:
        entry = change.entry(datetime.now(UTC).isoformat(timespec="seconds"), batch, TOLD)
        unsaved = self._kept.unsaved(bool(len(change.inserted) or len(change.deleted)))
        self._saved = self._folder.switch(self._saved, self.relation.version, entry, unsaved)
        self._kept.saved()


def _require_rows(rows: Any) -> None:
    if rows is None:
        raise LawfulError("None is no source of rows: give a path, a table or a list of dicts")
