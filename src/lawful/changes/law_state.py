"""A table and its laws in a folder, kept true while rows come and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lawful.changes.breaking_pairs import WAYS, breaking_pairs
from lawful.changes.choosing_rows import Ids, rows_like, rows_where
from lawful.changes.deleting import delete
from lawful.changes.frozen_space import space_from_json, space_to_json
from lawful.changes.kept_columns import KeptColumnLaws
from lawful.changes.kept_family import WITNESSES, FamilyChange, KeptFamily
from lawful.changes.kept_predicates import KeptPredicateLaws
from lawful.changes.law_change import LawChange
from lawful.changes.state_folder import Saved, StateFolder
from lawful.discovery import MAX_SIZE, Options, PredicateSpace, Progress, Search, space_of
from lawful.discovery.findings import Pairs
from lawful.engine import Engine, Threads
from lawful.errors import LawfulError
from lawful.evidence.batches import Rows
from lawful.laws.base import KINDS
from lawful.laws.codec import DC_KIND, FD_KIND, KEY, OD_KIND, POD_KIND, Codec, LawArrays, joined, padded
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked
from lawful.table.spaced import SpacedRanks
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAMILIES = ((KEY, FD_KIND, OD_KIND), (POD_KIND,), (DC_KIND,))
TOLD = 100  # laws that the history names for each change


class LawState:
    """A table and all its minimal laws of some kinds, in a folder that survives the process.

    Whatever changes is written aside and counts from one moment on: a process that is killed leaves the state
    as it was before or as it is afterwards.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the state that a folder holds."""
        self._folder = StateFolder(Path(path))
        self._load(self._folder.load())

    def _load(self, saved: Saved) -> None:
        self._saved = saved
        self.options = Options(**{**saved.options, "kinds": tuple(saved.options["kinds"])})
        self.relation = Relation.open(self._folder.relation, version=saved.relation)
        self.space = space_from_json(saved.space, self.relation)
        self._rows = SpacedRanks(self.relation, _groups(self.space))
        self._families = _families(self._rows, self.space, self.options, self._folder.arrays(saved))

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

    def history(self) -> list[dict[str, Any]]:
        """What happened, the oldest first: when, what, how many rows and laws, which laws broke."""
        return self._folder.history(self._saved)

    def insert(
        self,
        rows: Any,
        *,
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: str = "auto",
        batch: tuple[str, int] | None = None,
    ) -> LawChange:
        """Add rows, from whatever `lawful.read` takes, and keep the laws true.

        Args:
            rows: a source with the same columns, whose values fit their types.
            options: how to read it; by default as the first source.
            session: the Spark session to use, where one is needed.
            way: how to find the pairs of rows that break laws: "auto", the one that is likely to take least
                time; "tiles", new rows with all others; "values", with those that share a value; "probes".
            batch: the name of a stream and the number of this batch in it: one that the state has already is
                not added again.
        """
        return self._change("insert", rows, lambda: (), options, session, way, batch)

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
            raise LawfulError("say which rows to replace: those with some ids, or those equal on some columns")
        if ids is not None:
            chosen = list(ids)
            return self._change("update", rows, lambda: chosen, None, session)
        with read(rows, self.relation.options, session) as wanted:
            columns = [on] if isinstance(on, str) else list(on or ())
            return self._change("update", rows, lambda: rows_like(self.relation, wanted, columns), None, session)

    def _chosen(self, ids: Iterable[int] | None, rows: Any, where: str | None) -> Iterable[int]:
        if ids is not None:
            return ids
        if where is not None:
            found = rows_where(self.relation, where)
            if not len(found):
                raise LawfulError(f"there is no row with {where}: nothing was changed")
            return found
        with read(rows, self.relation.options) as wanted:
            return rows_like(self.relation, wanted)

    def _change(
        self,
        what: str,
        rows: Any,
        gone: Callable[[], Iterable[int]],
        options: SourceOptions | None = None,
        session: SparkSession | None = None,
        way: str = "auto",
        batch: tuple[str, int] | None = None,
    ) -> LawChange:
        """Write a version without some rows and with others, then switch to it."""
        if way not in WAYS:
            raise LawfulError(f"unknown way {way!r}: choose among {', '.join(WAYS)}")
        with self._folder.locked():
            now = self._folder.load()
            if now.version != self.version:  # another process was here
                self._load(now)
            if batch is not None and self._saved.batches.get(batch[0], -1) >= batch[1]:
                return self._nothing(what)
            return self._changed(what, rows, np.array(list(gone()), np.int64), options, session, way, batch)

    def _changed(
        self,
        what: str,
        source: Any,
        gone: Ids,
        options: SourceOptions | None,
        session: SparkSession | None,
        way: str,
        batch: tuple[str, int] | None,
    ) -> LawChange:
        started = time.perf_counter()
        prepared = self.relation.prepare(source, gone, options, session, frozen=True)
        try:
            self.relation.turn_to(prepared)
            self._rows.follow()
            read_at = time.perf_counter()
            changes, way = self._keep_true(prepared.appended, way)
            kept_at = time.perf_counter()
            seconds = {"read": read_at - started, "laws": kept_at - read_at}
            change = self._told(what, changes, prepared.appended, gone, way, seconds)
            batches = dict(self._saved.batches) | ({} if batch is None else {batch[0]: batch[1]})
            self._save(replace(self._saved, version=self.version + 1, batches=batches), change)
        except BaseException:
            self._load(self._folder.load())  # as it was
            raise
        self.relation.clean()
        return change

    def _keep_true(self, new: Ids, way: str) -> tuple[list[FamilyChange], str]:
        rows, version, taken = Rows(self._rows.ranks, self._rows.alive), self.version + 1, set()
        changes, engine = [], _once(lambda: Threads(Workspace(ranked(self.relation))))
        for family in self._families:
            before, broken_by = list(family.sets), family.unbroken()
            if len(new):
                pairs, own_way = breaking_pairs(family, rows, new, way)
                taken.add(own_way)
                broken_by = family.insert(pairs)
            delete(family, rows.alive, lambda family=family: self._seen(family, engine()))  # type: ignore[misc]
            changes.append(family.changed(before, broken_by, version))
        return changes, ", ".join(sorted(taken))

    def _seen(self, family: KeptFamily, engine: Engine) -> Engine:
        return family.seen(engine, space_from_json(self._saved.space, self.relation))

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

    def _save(self, saved: Saved, change: LawChange) -> None:
        at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        history = self._folder.write_history(self._saved, change.entry(at, TOLD))
        saved = replace(saved, relation=self.relation.version, history=history)
        self._folder.switch(saved, _arrays(self._families))
        self._saved = saved

    def _is_asked(self, laws: LawArrays) -> npt.NDArray[np.bool_]:
        return np.isin(laws.kinds, [KINDS.index(kind) for kind in self.options.kinds])

    def _asked(self, laws: LawArrays) -> LawArrays:
        """Those of the kinds that were asked for: ODs need FDs."""
        return laws.chosen(self._is_asked(laws))

    def _padded(self, laws: LawArrays) -> LawArrays:
        return laws._replace(sets=padded(laws.sets, self.codec.words))


def make_state(
    path: Path,
    source: Any,
    options: Options,
    reading: SourceOptions,
    session: SparkSession | None = None,
    on_read: Callable[[Relation], None] = lambda relation: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> None:
    """Find all minimal laws of a table, and keep them and it in a new folder."""
    folder = StateFolder(path)
    folder.create()
    relation = read(source, reading, session, folder.relation)
    on_read(relation)
    space, rows = space_of(relation, options), ranked(relation)
    needed = replace(options, kinds=tuple({*options.kinds} | ({"fd"} if "od" in options.kinds else set())))
    search = Search(Threads(Workspace(rows)), space, needed, on_progress, witnesses=WITNESSES)
    laws = joined(search.laws(), space.codec.words)
    if search.progress.reason not in (None, MAX_SIZE):
        raise LawfulError(
            f"the search did not find all laws ({search.progress.reason}), and a state keeps all: "
            "bound them with --max-size, or choose --columns or --kinds"
        )
    arrays: dict[str, npt.NDArray[Any]] = {}
    for kinds, pairs in search.witnesses().items():
        number = FAMILIES.index(kinds)
        own = laws.chosen(np.isin(laws.kinds, kinds))
        arrays |= _named(number, own, np.zeros(len(own.kinds), np.int64))
        arrays[f"pairs-{number}"] = np.unique(rows.row_ids(pairs).astype(np.int32), axis=0).reshape(-1, 2)
    asked = {**asdict(options), "kinds": list(options.kinds)}
    folder.switch(Saved(0, relation.version, asked, space_to_json(space)), arrays)


def _families(
    rows: SpacedRanks, space: PredicateSpace, options: Options, arrays: Mapping[str, npt.NDArray[Any]]
) -> list[KeptFamily]:
    """The families that a state keeps."""
    families: list[KeptFamily] = []
    for number, kinds in enumerate(FAMILIES):
        if f"pairs-{number}" in arrays:
            laws = LawArrays(*(arrays[f"{part}-{number}"] for part in LawArrays._fields))
            pairs: Pairs = arrays[f"pairs-{number}"]
            family: KeptFamily
            if KEY in kinds:
                family = KeptColumnLaws(rows, space, options, laws, pairs)
            else:
                family = KeptPredicateLaws(rows, space, options, laws, pairs, kinds[0])
            family.remember_since(laws, arrays[f"since-{number}"])
            families.append(family)
    return families


def _arrays(families: Iterable[KeptFamily]) -> dict[str, npt.NDArray[Any]]:
    """What is saved of the families."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for family in families:
        number = next(place for place, kinds in enumerate(FAMILIES) if family.kinds[0] in kinds)
        arrays |= _named(number, family.laws, np.concatenate(family.since))
        arrays[f"pairs-{number}"] = family.evidence.witness_pairs
    return arrays


def _named(number: int, laws: LawArrays, since: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
    named = {f"{part}-{number}": array for part, array in laws._asdict().items()}
    return {**named, f"since-{number}": since}


def _groups(space: PredicateSpace) -> list[set[int]]:
    """The columns that are compared with each other."""
    groups: list[set[int]] = []
    for left, right in zip(space.predicates.left.tolist(), space.predicates.right.tolist(), strict=True):
        touched = [group for group in groups if left in group or right in group]
        groups = [group for group in groups if group not in touched] + [{left, right}.union(*touched)]
    return [group for group in groups if len(group) > 1]


def _once(make: Callable[[], Engine]) -> Callable[[], Engine]:
    """What is made when it is first asked for."""
    made: list[Engine] = []

    def get() -> Engine:
        if not made:
            made.append(make())
        return made[0]

    return get
