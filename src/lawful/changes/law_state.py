"""A table and its laws in a folder, kept true while rows come and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.changes.agree_counts import agree_sets_from, arrays_of
from lawful.changes.breaking_pairs import ANEW, AUTO, WAYS, BreakingPairs
from lawful.changes.choosing_rows import Ids, rows_like, rows_where
from lawful.changes.deleting import delete, loses_much
from lawful.changes.family_arrays import arrays_of_families, families_from, kinds_of
from lawful.changes.frozen_space import space_from_json
from lawful.changes.kept_family import FamilyChange, KeptFamily
from lawful.changes.law_change import LawChange, Refused
from lawful.changes.quarantine import write_quarantine
from lawful.changes.searching import search_all
from lawful.changes.state_folder import Saved, StateFolder
from lawful.discovery import Options, PredicateSpace
from lawful.discovery.findings import Pairs
from lawful.discovery.predicate_space import groups_of
from lawful.engine import Engine, Threads
from lawful.errors import LawfulError
from lawful.evidence.agree_sets import AgreeSets
from lawful.evidence.batches import Rows
from lawful.laws.base import KINDS
from lawful.laws.codec import Codec, LawArrays, joined, padded
from lawful.notebooks import ShownInNotebooks
from lawful.table import Relation, SourceOptions, read
from lawful.table.column_names import require_columns
from lawful.table.ranked import ranked
from lawful.table.spaced import SpacedRanks
from lawful.table.workspace import Workspace

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

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise LawfulError(f"unknown way {self.way!r}: choose among {', '.join(WAYS)}")


class LawState(ShownInNotebooks):
    """A table and all its minimal laws of some kinds, in a folder that survives the process.

    Whatever changes is written aside and counts from one moment on: a process that is killed leaves the state
    as it was before or as it is afterwards.
    """

    def __init__(self, path: str | Path, durable: bool = True) -> None:
        """Open the state that a folder holds; `durable` if its changes shall survive a power failure."""
        self._folder = StateFolder(Path(path), durable)
        self._load(self._folder.load())

    def _load(self, saved: Saved) -> None:
        self._saved = saved
        self.options = Options(**{**saved.options, "kinds": tuple(saved.options["kinds"])})
        self.relation = Relation.open(self._folder.relation, saved.relation, self._folder.durable)
        self.space = space_from_json(saved.space, self.relation)
        self._rows = SpacedRanks(self.relation, groups_of(saved.space["crossings"]))
        arrays = self._folder.arrays(saved)
        self._families = families_from(self._rows, self.space, self.options, arrays)
        self._agree_sets = agree_sets_from(arrays)
        self._finders = [BreakingPairs(family) for family in self._families]

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

    @cached_property
    def codec(self) -> Codec:
        """Between arrays and law objects."""
        return self.space.codec

    @property
    def law_arrays(self) -> LawArrays:
        """The minimal laws of the kinds that were asked for."""
        return self._asked(joined((self._padded(family.laws) for family in self._families), self.codec.words))

    @property
    def counts(self) -> dict[str, int]:
        """How many laws of each kind there are."""
        found = np.bincount(self.law_arrays.kinds, minlength=len(KINDS)).tolist()
        return {kind: count for kind, count in zip(KINDS, found, strict=True) if kind in self.options.kinds}

    @property
    def batches(self) -> set[str]:
        """The names of the batches that are in the state."""
        return {entry["batch"] for entry in self.history() if entry["batch"] is not None}

    def space_now(self) -> PredicateSpace:
        """What laws may speak of, on the values that there are now."""
        return space_from_json(self._saved.space, self.relation)

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
        if self._agree_sets is None:
            raise LawfulError("this state keeps no counts of agree-sets: make it with counts=True (--counts)")
        return self._agree_sets

    def insert(
        self,
        rows: Any,
        *,
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: str = "auto",
        batch: str | None = None,
        quarantine: str | Path | None = None,
    ) -> LawChange:
        """Add rows, from whatever `lawful.read` takes, and keep the laws true.

        Args:
            rows: a source with the same columns, whose values fit their types.
            options: how to read it; by default as the first source.
            session: the Spark session to use, where one is needed.
            way: how to find the pairs of rows that break laws: "auto", the one that is likely to take least
                time; "tiles", new rows with all others; "restricted", only with rows that share the value of
                a new one; "probes", by indexes that live on; "anew", by a search from the evidence so far.
            batch: a name for these rows: a batch that the state has already is not added again.
            quarantine: a folder. The laws are enforced: rows that would break one are not added but written
                there, with the reason.
        """
        reading = Incoming(options, session, way, batch, None if quarantine is None else Path(quarantine))
        return self._change("insert", rows, lambda: (), reading)

    def delete(
        self, ids: Iterable[int] | None = None, *, rows: Any = None, where: str | None = None
    ) -> LawChange:
        """Remove rows and keep the laws true.

        Args:
            ids: which rows: their ids.
            rows: a source with rows of the table, each of which goes once.
            where: a condition, as in "city = 'Oslo' and year < 2020".
        """
        given = [choice for choice in (ids, rows, where) if choice is not None]
        if len(given) != 1:
            raise LawfulError("say which rows to delete: by ids, rows or where, one of them")
        return self._change("delete", None, lambda: self._chosen(ids, rows, where))

    def update(
        self,
        rows: Any,
        *,
        ids: Iterable[int] | None = None,
        on: Collection[str] | str | None = None,
        session: SparkSession | None = None,
    ) -> LawChange:
        """Put rows in the place of others, as one change: of those with these ids, or with equal values of
        the columns `on`."""
        if (ids is None) == (on is None):
            raise LawfulError(
                "say which rows to replace: those with some ids, or those equal on some columns"
            )
        if ids is not None:
            chosen = list(ids)
            return self._change("update", rows, lambda: chosen, Incoming(session=session))
        wanted = read(rows, self.relation.options, session)
        columns = [on] if isinstance(on, str) else list(on or ())
        return self._change(
            "update", rows, lambda: rows_like(self.relation, wanted, columns), Incoming(session=session)
        )

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
        reading: Incoming | None = None,
    ) -> LawChange:
        """Write a version without some rows and with others, then switch to it."""
        reading = Incoming() if reading is None else reading
        with self._folder.locked():
            now = self._folder.load()
            if now.version != self.version:  # another process was here
                self._load(now)
            if reading.batch is not None and reading.batch in self.batches:
                return self._nothing(what)
            try:
                change = self._changed(what, rows, np.array(list(gone()), np.int64), reading)
            except BaseException:
                self._load(self._folder.load())  # as it was
                raise
            self.relation.clean()
            return change

    def _changed(self, what: str, source: Any, gone: Ids, incoming: Incoming) -> LawChange:
        started = time.perf_counter()
        new = self._take_in(source, gone, incoming)
        refused = [] if incoming.quarantine is None else self._refuse(new, incoming)
        new = new[self._rows.alive[new]]
        read_at = time.perf_counter()
        changes, way = self._keep_true(new, gone, incoming.way)
        self._count(new, gone)
        seconds = {"read": read_at - started, "laws": time.perf_counter() - read_at}
        change = replace(self._told(what, changes, new, gone, way, seconds), refused=refused)
        self._save(change, incoming.batch)
        return change

    def _take_in(self, source: Any, gone: Ids, incoming: Incoming) -> Ids:
        """Turn to a version of the table without some rows and with others: the ids of these."""
        prepared = self.relation.prepare(source, gone, incoming.options, incoming.session, frozen=True)
        self.relation.turn_to(prepared)
        self._rows.follow()
        return prepared.appended

    def _refuse(self, new: Ids, incoming: Incoming) -> list[Refused]:
        """Take those of some rows out again that break a law together with others, and write them down."""
        refused = [one for row in new.tolist() if (one := self._refused(row)) is not None]
        gone = [row for row in new.tolist() if not self._rows.alive[row]]
        if gone:
            told = [{**one.row, "law": str(one.law), "other_row": one.other} for one in refused]
            write_quarantine(
                told, incoming.quarantine or Path(), incoming.batch or f"version-{self.version + 1}"
            )
            self.relation.turn_to(self.relation.prepare(None, gone))
            self._rows.follow()
        return refused

    def _refused(self, row: int) -> Refused | None:
        """Why a row cannot stay, if so; it is not alive then."""
        rows = Rows(self._rows.ranks, self._rows.alive)
        for family, finder in zip(self._families, self._finders, strict=True):
            broken = finder.broken(rows, np.array([row]))
            if len(broken.lines):
                first = family.first_broken(broken.lines[:1])[0]
                number = next(number for number, places in enumerate(first) if (places >= 0).any())
                law = family.law_of(number, int(np.flatnonzero(first[number] >= 0)[0]))
                values = self.relation.rows([row]).to_pylist()[0]
                self._rows.alive[row] = False
                other = int(broken.pairs[0].sum()) - row
                return Refused(values, next(self.codec.decode(self._padded(law))), other)
        return None

    def _keep_true(self, new: Ids, gone: Ids, way: str) -> tuple[list[FamilyChange], str]:
        version, changes, taken = self.version + 1, [], set()
        engine = _once(lambda: Threads(Workspace(ranked(self.relation))))
        for family, finder in zip(self._families, self._finders, strict=True):
            before = list(family.sets)
            broken_by, own_way = self._follow(family, finder, new, gone, way, engine)
            changes.append(family.changed(before, broken_by, version))
            taken.add(own_way)
        return changes, ", ".join(sorted(taken - {""}))

    def _follow(
        self,
        family: KeptFamily,
        finder: BreakingPairs,
        new: Ids,
        gone: Ids,
        way: str,
        engine: Callable[[], Engine],
    ) -> tuple[list[Pairs], str]:
        """Keep a family's laws true: the pair that breaks each set of each target, and the way taken."""
        rows = Rows(self._rows.ranks, self._rows.alive)
        if way == AUTO and len(gone) and loses_much(family, rows.alive):
            way = ANEW
        elif len(new):
            way = finder.chosen(rows, new, way)
        if way == ANEW:
            return self._searched(family, engine()), way
        broken_by = finder.insert(rows, new, way) if len(new) else family.unbroken()
        if len(gone):
            delete(family, rows.alive, lambda: self._seen(family, engine()))
        return broken_by, way if len(new) else ""

    def _searched(self, family: KeptFamily, engine: Engine) -> list[Pairs]:
        """Search for all laws of a family, from the evidence that is left.

        Returns for each set of each target as it was the pair that breaks it.
        """
        kinds, pairs = kinds_of(family), family.evidence.witness_pairs
        known = pairs[self._rows.alive[pairs].all(axis=1)]
        asked = tuple(kind for kind in self.options.kinds if KINDS.index(kind) in kinds)
        options = replace(self.options, kinds=asked, time_limit=None, memory_limit=None)
        found = search_all(engine, self.space_now(), options, known={kinds: known})[kinds]
        family.seconds_a_row = found.seconds / max(self.n_rows, 1)
        return family.renew(found.laws, found.pairs)

    def _count(self, new: Ids, gone: Ids) -> None:
        """Keep the counts of agree-sets, where they are kept: deletes first."""
        if self._agree_sets is not None:
            ranks, alive = self._rows.ranks, self._rows.alive
            if len(gone):
                self._agree_sets.delete(ranks, alive, gone)
            if len(new):
                self._agree_sets.insert(ranks, alive, new)

    def _seen(self, family: KeptFamily, engine: Engine) -> Engine:
        return family.seen(engine, self.space_now())

    def _told(
        self,
        what: str,
        changes: Collection[FamilyChange],
        new: Ids,
        gone: Ids,
        way: str,
        seconds: Mapping[str, float],
    ) -> LawChange:
        added = joined((self._padded(change.added) for change in changes), self.codec.words)
        removed = joined((self._padded(change.removed) for change in changes), self.codec.words)
        broken_by = np.concatenate([np.empty((0, 2), np.int32), *(change.broken_by for change in changes)])
        since = np.concatenate([np.empty(0, np.int64), *(change.since for change in changes)])
        asked = self._is_asked(removed)
        return LawChange(
            what,
            self.version + 1,
            new,
            gone,
            self.n_rows,
            self.counts,
            way,
            seconds,
            self.codec,
            self._asked(added),
            removed.chosen(asked),
            broken_by[asked],
            since[asked],
        )

    def _nothing(self, what: str) -> LawChange:
        """A change that was made before."""
        nobody = np.empty(0, np.int64)
        return replace(self._told(what, [], nobody, nobody, "", {}), version=self.version)

    def _save(self, change: LawChange, batch: str | None) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        history = self._folder.write_history(self._saved, change.entry(at, batch, TOLD))
        saved = replace(self._saved, version=change.version, relation=self.relation.version, history=history)
        self._folder.switch(saved, {**arrays_of_families(self._families), **arrays_of(self._agree_sets)})
        self._saved = saved

    def _is_asked(self, laws: LawArrays) -> npt.NDArray[np.bool_]:
        return np.isin(laws.kinds, [KINDS.index(kind) for kind in self.options.kinds])

    def _asked(self, laws: LawArrays) -> LawArrays:
        """Those of the kinds that were asked for: ODs need FDs."""
        return laws.chosen(self._is_asked(laws))

    def _padded(self, laws: LawArrays) -> LawArrays:
        return laws._replace(sets=padded(laws.sets, self.codec.words))


def _once(make: Callable[[], Engine]) -> Callable[[], Engine]:
    """What is made when it is first asked for."""
    made: list[Engine] = []

    def get() -> Engine:
        if not made:
            made.append(make())
        return made[0]

    return get
