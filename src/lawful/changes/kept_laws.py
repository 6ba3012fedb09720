"""The laws of all families over the rows of a relation that changes, and the counts of its agree-sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from lawful.changes.breaking_pairs import ANEW, BreakingPairs
from lawful.changes.choosing_rows import Ids
from lawful.changes.deleting import delete, lost_share
from lawful.changes.family_arrays import FAMILIES, arrays_of_family, family_from
from lawful.changes.frozen_space import space_from_json
from lawful.changes.kept_family import FamilyChange, KeptFamily
from lawful.changes.searching import search_all
from lawful.changes.state_folder import Arrays, Frozen
from lawful.discovery import Options, Progress, Search
from lawful.discovery.findings import Pairs, Scores
from lawful.discovery.predicate_space import groups_of
from lawful.engine import Engine, Threads
from lawful.evidence.agree_sets import AgreeSets
from lawful.evidence.batches import Rows
from lawful.laws.base import KINDS, Law
from lawful.laws.codec import LawArrays, joined
from lawful.table import Relation
from lawful.table.rank_files import LONG, arrangement
from lawful.table.ranked import RankedRows
from lawful.table.spaced import SpacedRanks
from lawful.table.workspace import Workspace

AGREE_SETS = "agree-sets"  # the name of their counts among the files of a state


Enforced = dict[str, npt.NDArray[np.bool_]]  # for each family, which of its laws


class KeptLaws:
    """What a state knows of its relation, in memory."""

    def __init__(self, relation: Relation, frozen: Frozen, arrays: Mapping[str, Arrays]) -> None:
        self.relation = relation
        self.options = Options(**{**frozen.options, "kinds": tuple(frozen.options["kinds"])})
        self.rows = SpacedRanks(relation, groups_of(frozen.space["crossings"]))
        self._space = space_from_json(frozen.space, relation.names)
        self.codec = self._space.codec
        self.families = {
            name: family_from(arrays[name], kinds, self.rows, self._space, self.options)
            for name, kinds in FAMILIES.items()
            if name in arrays
        }
        self.finders = {name: BreakingPairs(family) for name, family in self.families.items()}
        self.agree_sets = AgreeSets.from_arrays(arrays[AGREE_SETS]) if AGREE_SETS in arrays else None

    def search(self, progress: Progress) -> Search:
        """A search of the rows as they are now, which came so far."""
        return Search(self._engine(), self._space, self.options, progress=progress)

    def bits(self, laws: LawArrays, ids: Ids | None = None) -> Scores:
        """How many bits laws are worth that hold for the rows as they are now, or for some, given by ids."""
        search = Search(self._engine(ids), self._space, self.options)
        return search.bits(laws, search.scores(laws))

    @property
    def laws(self) -> LawArrays:
        """The minimal laws of the kinds that were asked for."""
        every = joined((family.laws for family in self.families.values()), self.codec.words)
        return every.chosen(self._are_asked(every))

    @property
    def counts(self) -> dict[str, int]:
        """How many laws of each kind there are."""
        found = np.zeros(len(KINDS), np.int64)
        for family in self.families.values():
            np.add.at(found, family.kinds, [len(sets) for sets in family.sets])
        return {kind: int(found[number]) for number, kind in enumerate(KINDS) if kind in self.options.kinds}

    def follow(self, new: Ids, gone: Ids, way: str, version: int) -> tuple[FamilyChange, str]:
        """Keep laws and counts true after rows came and went: what became of the laws, and the way taken."""
        changes, ways = [], set()
        engine = cache(self._engine)
        for name, family in self.families.items():
            before = list(family.sets)
            broken_by, own_way = self._keep_true(name, new, gone, way, engine)
            changes.append(family.changed(before, broken_by, version))
            ways.add(own_way)
        if self.agree_sets is not None:
            self._count(self.agree_sets, new, gone)
        return self._told(changes), ", ".join(sorted(ways - {""}))

    def _keep_true(
        self, name: str, new: Ids, gone: Ids, way: str, engine: Callable[[], Engine]
    ) -> tuple[list[Pairs], str]:
        """Keep a family's laws true: the pair that breaks each set of each target, and the way taken."""
        family, finder = self.families[name], self.finders[name]
        rows = Rows(self.rows.ranks, self.rows.alive)
        way = finder.chosen(rows, new, way, lost_share(family, rows.alive) if len(gone) else 0.0)
        if way == ANEW:
            return self._searched(family, FAMILIES[name], engine()), way
        broken_by = finder.insert(rows, new, way) if len(new) else family.unbroken()
        if len(gone):
            delete(family, rows.alive, engine)
        return broken_by, way if len(new) else ""

    def _searched(self, family: KeptFamily, kinds: tuple[int, ...], engine: Engine) -> list[Pairs]:
        """Search for all laws of a family, from the evidence that is left.

        Returns for each set of each target as it was the pair that breaks it.
        """
        pairs = family.evidence.witness_pairs
        known = pairs[self.rows.alive[pairs].all(axis=1)]
        asked = tuple(kind for kind in self.options.kinds if KINDS.index(kind) in kinds)
        options = replace(self.options, kinds=asked, time_limit=None, memory_limit=None)
        found = search_all(engine, self._space, options, known={kinds: known})[kinds]
        family.seconds_a_row = found.seconds / max(self.relation.n_rows, 1)
        return family.renew(found.laws, found.pairs)

    def _engine(self, ids: Ids | None = None) -> Engine:
        """Threads on the rows that are there, or on others; columns that laws compare with each other are on
        one scale."""
        ids = self.relation.row_ids if ids is None else ids
        ranks = self.rows.dense(ids)
        order = arrangement(ranks) if len(ids) >= LONG else None
        if order is not None:
            ranks, ids = ranks[:, order], ids[order]
        return Threads(Workspace(RankedRows(ranks, self._space.signs.ordered, ids=ids)))

    def _count(self, counted: AgreeSets, new: Ids, gone: Ids) -> None:
        """Keep the counts of agree-sets: deletes first."""
        if len(gone):
            counted.delete(self.rows.ranks, gone)
        if len(new):
            counted.insert(self.rows.ranks, new)

    def _told(self, changes: Collection[FamilyChange]) -> FamilyChange:
        """What became of the laws of all families that were asked for."""
        added = joined((change.added for change in changes), self.codec.words)
        removed = joined((change.removed for change in changes), self.codec.words)
        asked = self._are_asked(removed)
        return FamilyChange(
            added.chosen(self._are_asked(added)),
            removed.chosen(asked),
            np.concatenate([change.broken_by for change in changes])[asked],
            np.concatenate([change.since for change in changes])[asked],
        )

    def _are_asked(self, laws: LawArrays) -> npt.NDArray[np.bool_]:
        """Which laws are of the kinds that were asked for: ODs need FDs."""
        return np.isin(laws.kinds, [KINDS.index(kind) for kind in self.options.kinds])

    def enforced(self, min_bits: float) -> Enforced:
        """Which laws of each family are to be enforced: facts, and those of at least so many bits."""
        found = Enforced()
        for name, family in self.families.items():
            laws = joined([family.laws], self.codec.words)
            found[name] = self._are_asked(laws)
            if min_bits > 0:
                found[name] &= self.codec.facts(laws) | (self.bits(laws) >= min_bits)
        return found

    def broken_by(self, some: Ids, enforced: Enforced) -> tuple[Law, tuple[int, int]] | None:
        """A law that one of some rows breaks together with any other, and the two."""
        rows = Rows(self.rows.ranks, self.rows.alive)
        for name, family in self.families.items():
            broken = self.finders[name].broken(rows, some)
            found = family.some_broken(broken.lines, enforced[name])
            if found is not None:
                law, line = next(self.codec.decode(joined(found[:1], self.codec.words))), found[1]
                t, s = broken.pairs[line].tolist()
                return law, (t, s)
        return None

    def unsaved(self, changed: bool) -> dict[str, Arrays]:
        """What the files of the state do not have, by names, after the table has changed or not."""
        found: dict[str, Arrays] = {
            name: arrays_of_family(family) for name, family in self.families.items() if not family.is_saved
        }
        if self.agree_sets is not None and changed:
            found[AGREE_SETS] = self.agree_sets.arrays()
        return found

    def saved(self) -> None:
        """Take note that the files of the state have all of it."""
        for family in self.families.values():
            family.is_saved = True
