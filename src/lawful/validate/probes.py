"""Probes: the pairs of rows that break laws after rows came, by indexes that live on with the table.

There are value lists for `=` and chains for two order literals (`lawful.validate.chains`). What a probe costs
depends on the candidates that they fetch, and on the logarithm of the number of rows.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from lawful.costs import probe_seconds
from lawful.laws.comparisons import Flags, Ints
from lawful.machine import usable_cores
from lawful.table.ranked import Ranks
from lawful.validate.chain_inserts import inserted
from lawful.validate.chains import CHAINS, CONTEXT, NO_CHAINS, Chains, chains_of
from lawful.validate.index_choice import (
    ChoiceOptions,
    Floats,
    Of,
    Routes,
    choose_routes,
    law_groups,
    no_spread,
    spread_of,
)
from lawful.validate.partition import RowNumbers
from lawful.validate.probe_literals import Excluded, possible
from lawful.validate.probe_pairs import LawGroup, probe

ROWS_OF_A_CHAIN = 64  # that are scanned in the time of a search in one chain
GROWN = 1.1  # by which a table may grow or shrink before its columns are looked at again where laws change
DOUBLED = 2  # and where they do not
SHORT_PROBES = 3e-3  # seconds of probes for which no threads are started
ROWS_TRIED = 8  # rows that tell what a probe costs
ALL_PAIRS = np.iinfo(np.int64).max
DEFAULT_CHOICE = ChoiceOptions()


class ViolatingPairs(NamedTuple):
    """Pairs of rows (t, s), each with the number of a law that it breaks."""

    pairs: RowNumbers  # [pair, 2]
    laws: Ints  # [pair]


class Probes:
    """Indexes for some laws over the rows of a table that grows.

    `ranks` [column, row] are any numbers in the order of the values, negative for a NULL that equals nothing.
    They may be renumbered, and have room for more rows than the `count` in use. Deleted rows stay in the
    indexes: `alive` [row] tells at each call.
    """

    def __init__(
        self, ranks: Ranks, count: int, ordered: Flags, options: ChoiceOptions = DEFAULT_CHOICE
    ) -> None:
        self.ordered, self.options = np.asarray(ordered, np.bool_), options
        self.excluded: Excluded = np.empty((0, len(self.ordered)), np.uint8)
        self.indexes: dict[Of, Chains] = {}
        self._held = 0  # rows in the indexes, about
        self._too_many: set[Of] = set()
        self.routes, self._spread = Routes.of_laws(0), no_spread(len(self.ordered))
        self._groups: list[tuple[Of, LawGroup]] = []
        self._work: Floats | None = None
        self._look_at(ranks, count)

    def serve(self, excluded: Excluded, alive: Flags | None = None) -> None:
        """Serve these laws from now on (`lawful.validate.probe_literals`): indexes that still serve stay."""
        if not np.array_equal(excluded, self.excluded):
            self.excluded = excluded
            self._choose(self._alive(alive))

    def extend(self, ranks: Ranks, count: int, alive: Flags | None = None) -> None:
        """Take in the rows that came: from the known ones up to `count`."""
        new_rows = np.arange(self.count, count, dtype=np.int32)
        self._look_at(ranks, count)
        for of, chains in self.indexes.items():
            self.indexes[of] = inserted(self.ranks, chains, new_rows)
        self._held += len(new_rows)
        there = self._alive(alive)
        rows = np.count_nonzero(there)
        are_mostly_gone = self._held > DOUBLED * rows
        if are_mostly_gone:
            self.indexes, self._held = {}, 0
        if are_mostly_gone or rows > DOUBLED * self._spread.rows:
            self._choose(there)

    def violating_pairs(
        self,
        new_rows: RowNumbers,
        alive: Flags | None = None,
        most: int = ALL_PAIRS,
        wanted: Flags | None = None,
    ) -> ViolatingPairs:
        """All pairs with a new row that break a law, or `most` for each law; (t, s) is not (s, t).

        Where some laws are wanted, others need not be probed for.
        """
        is_new = np.zeros(self.count, np.bool_)
        is_new[new_rows] = True
        found, _ = self._probe(np.asarray(new_rows, np.int32), is_new, self._alive(alive), most, wanted)
        return ViolatingPairs(found[:, :2].astype(np.int32), found[:, 2].copy())

    def probe_seconds(self, new_rows: int) -> float:
        """About how many CPU seconds it takes to insert so many rows and to probe for them."""
        if self._work is None:
            tried = np.linspace(0, self.count - 1, min(ROWS_TRIED, self.count)).astype(np.int32)
            work = self._work_for(tried[:1])
            if (
                probe_seconds(len(self._groups), *work.tolist()) < SHORT_PROBES
            ):  # else one of them tells enough
                work = (work + self._work_for(tried[1:])) / max(len(tried), 1)
            self._work = work
        return new_rows * probe_seconds(len(self._groups), *self._work.tolist())

    def _work_for(self, rows: RowNumbers) -> Floats:
        """What it takes to probe for some rows, as if they were new."""
        is_new, alive = np.zeros(self.count, np.bool_), self._alive(None)
        return self._probe(rows, is_new, alive, most=0)[1].astype(np.float64)

    def _choose(self, alive: Flags) -> None:
        """Choose indexes and make those that are missing."""
        rows = np.arange(self.count, dtype=np.int32)[alive]
        self._held = max(self._held, len(rows))
        if not self._spread.rows <= GROWN * len(rows) <= GROWN**2 * self._spread.rows:
            self._spread = spread_of(self.ranks, rows)
            self._too_many = set()
        while not self._index(rows):
            pass  # some chains were too many, and their laws go other ways
        self._regroup()

    def _index(self, rows: RowNumbers) -> bool:
        """Find routes for the laws and make the indexes they need; False if some have too many chains."""
        excluded, _ = self._possible()
        known, room = set(self.indexes), self.count + self.count // 4
        self.routes = choose_routes(excluded, self._spread, known, self._too_many, self.options)
        needed = self.routes.indexes
        made = {of: chains_of(self.ranks, of, rows, room) for of in needed if of not in known}
        steep = {of for of, chains in made.items() if len(rows) < ROWS_OF_A_CHAIN * (chains.used[CHAINS] - 1)}
        self._too_many |= steep
        self.indexes = {of: made.get(of) or self.indexes[of] for of in needed if of not in steep}
        return not steep

    def _look_at(self, ranks: Ranks, count: int) -> None:
        self.ranks, self.count = np.ascontiguousarray(ranks, np.int32).view(np.ndarray), count
        self.ranks.flags.writeable = False  # one type for the compiler, wherever the ranks come from

    def _alive(self, alive: Flags | None) -> Flags:
        return np.ones(self.count, np.bool_) if alive is None else np.ascontiguousarray(alive[: self.count])

    def _possible(self) -> tuple[Excluded, Ints]:
        """The laws that a pair can break at all, and their numbers."""
        return possible(self.excluded, self.ordered)

    def _regroup(self) -> None:
        self._groups = list(law_groups(*self._possible(), self.routes, self._spread.agreeing))
        self._work = None

    def _probe(
        self,
        new_rows: RowNumbers,
        is_new: Flags,
        alive: Flags,
        most: int,
        wanted: Flags | None = None,
    ) -> tuple[Ints, Ints]:
        """What is found, and the work that it took: searches of chains, and looks at candidates."""
        groups = [one for one in self._groups if wanted is None or wanted[one[1].numbers].any()]
        work = np.zeros((len(groups), 2), np.int64)

        def of_group(place: int) -> Ints:
            of, group = groups[place]
            chains = self.indexes.get(of, NO_CHAINS)
            in_order = np.argsort(self.ranks[of[CONTEXT] if of[CONTEXT:] else of[0], new_rows]) if of else ...
            rows = new_rows[in_order]
            found: Ints = probe(self.ranks, chains, group, rows, is_new, alive, most, work[place])
            return found

        if self._work is None or self.probe_seconds(len(new_rows)) < SHORT_PROBES:
            found = list(map(of_group, range(len(groups))))
        else:
            with ThreadPoolExecutor(usable_cores()) as pool:
                found = list(pool.map(of_group, range(len(groups))))
        return np.concatenate([np.empty((0, 3), np.int64), *found]), work.sum(axis=0)
