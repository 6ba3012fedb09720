"""Probes: the pairs of rows that break laws after rows came, by indexes that live on with the table.

Value lists for `=`, chains for two order literals (`lawful.validate.chains`). The cost of a probe depends on the
candidates that its index fetches and on the logarithm of the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.costs import CANDIDATE_ROW, CHAIN_SEARCH
from lawful.laws.comparisons import Flags, Ints
from lawful.validate.chain_inserts import inserted
from lawful.validate.chains import CHAINS, NO_CHAINS, Chains, Ranks, chains_of
from lawful.validate.index_choice import ChoiceOptions, Floats, Of, Routes, choose_routes, spread_of
from lawful.validate.partition import RowNumbers
from lawful.validate.probe_groups import law_groups
from lawful.validate.probe_literals import NEVER_TRUE, Excluded, as_understood
from lawful.validate.probe_pairs import BY_SCAN, LawGroup, probe

MANY_CHAINS = 64  # a table of fewer rows for each chain is scanned in less time than its chains are searched
TRIED = 8  # rows that tell what a probe costs
ALL_PAIRS = np.iinfo(np.int64).max
DEFAULT_CHOICE = ChoiceOptions()


class ViolatingPairs(NamedTuple):
    """Pairs of rows (t, s), each with the number of a law that it breaks."""

    pairs: RowNumbers  # [pair, 2]
    laws: Ints  # [pair]


class Probes:
    """Indexes for some laws over the rows of a table that grows.

    `ranks` [column, row] are any numbers that keep the order of values, negative for a NULL that equals nothing.
    They may be renumbered, and have room for more rows than the `count` in use. Deleted rows stay in the
    indexes: `alive` [row] tells at each call.
    """

    def __init__(
        self, ranks: Ranks, count: int, ordered: Flags, options: ChoiceOptions = DEFAULT_CHOICE
    ) -> None:
        self.ordered, self.options = np.asarray(ordered, np.bool_), options
        self.excluded: Excluded = np.empty((0, len(self.ordered)), np.uint8)
        self.indexes: dict[Of, Chains] = {}
        self._too_many: set[Of] = set()
        self._routes, self._agreeing = Routes.of_laws(0), np.zeros(len(self.ordered))
        self._groups: list[tuple[Of, LawGroup]] = []
        self._work: Floats | None = None
        self._look_at(ranks, count)

    def serve(self, excluded: Excluded, alive: Flags | None = None) -> None:
        """Serve these laws from now on (`lawful.validate.probe_literals`): what still serves stays."""
        self.excluded = excluded
        rows = np.arange(self.count, dtype=np.int32)[self._alive(alive)]
        spread = spread_of(self.ranks, rows)
        understood, _ = self._possible()
        while True:
            routes = choose_routes(understood, spread, set(self.indexes), self._too_many, self.options)
            wanted = {tuple(of) for of in routes.of[routes.ways != BY_SCAN].tolist()}
            made = {of: chains_of(self.ranks, of, rows, self._room) for of in wanted - set(self.indexes)}
            steep = {
                of
                for of, chains in made.items()
                if MANY_CHAINS * chains.used[CHAINS] > len(rows) > MANY_CHAINS
            }
            if not steep:
                break
            self._too_many |= steep
        self.indexes = {of: made.get(of) or self.indexes[of] for of in wanted}
        self._routes, self._agreeing = routes, spread.agreeing
        self._regroup()

    def extend(self, ranks: Ranks, count: int) -> None:
        """Take in the rows that came: from the known ones up to `count`."""
        new_rows = np.arange(self.count, count, dtype=np.int32)
        self._look_at(ranks, count)
        for of, chains in self.indexes.items():
            self.indexes[of] = inserted(self.ranks, chains, new_rows)

    def violating_pairs(
        self, new_rows: RowNumbers, alive: Flags | None = None, most: int = ALL_PAIRS
    ) -> ViolatingPairs:
        """All pairs with a new row that break a law, or `most` of each law; (t, s) and (s, t) are two pairs."""
        is_new = np.zeros(self.count, np.bool_)
        is_new[new_rows] = True
        found, _ = self._probe(np.asarray(new_rows, np.int32), is_new, self._alive(alive), most)
        return ViolatingPairs(found[:, :2].astype(np.int32), found[:, 2].copy())

    def probe_seconds(self, new_rows: int) -> float:
        """About how many CPU seconds it takes to insert so many rows and to probe for them."""
        if self._work is None:
            tried = np.linspace(0, self.count - 1, min(TRIED, self.count)).astype(np.int32)
            nobody = np.zeros(self.count, np.bool_)
            _, work = self._probe(tried, nobody, self._alive(None), most=0)
            self._work = work / max(len(tried), 1)
        return float(new_rows * (self._work * (2 * CHAIN_SEARCH, CANDIDATE_ROW)).sum())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All of it but the ranks as plain arrays, by name."""
        found: dict[str, npt.NDArray[Any]] = {
            "ordered": self.ordered,
            "excluded": self.excluded,
            "ways": self._routes.ways,
            "of": self._routes.of,
            "agreeing": self._agreeing,
            "indexes": np.array(list(self.indexes), np.int64).reshape(-1, 3),
            "too_many": np.array(list(self._too_many), np.int64).reshape(-1, 3),
        }
        for place, chains in enumerate(self.indexes.values()):
            found |= {f"{name}_{place}": array for name, array in chains._asdict().items()}
        return found

    @classmethod
    def from_arrays(
        cls,
        ranks: Ranks,
        count: int,
        arrays: Mapping[str, npt.NDArray[Any]],
        options: ChoiceOptions = DEFAULT_CHOICE,
    ) -> Probes:
        """What `arrays` gave."""
        probes = cls(ranks, count, arrays["ordered"], options)
        probes.excluded, probes._agreeing = arrays["excluded"], arrays["agreeing"]
        probes._routes = Routes(arrays["ways"], arrays["of"])
        probes._too_many = set(map(tuple, arrays["too_many"].tolist()))
        for place, of in enumerate(map(tuple, arrays["indexes"].tolist())):
            probes.indexes[of] = Chains(*(arrays[f"{name}_{place}"] for name in Chains._fields))
        probes._regroup()
        return probes

    @property
    def _room(self) -> int:
        return self.count + self.count // 4

    def _look_at(self, ranks: Ranks, count: int) -> None:
        self.ranks, self.count = np.ascontiguousarray(ranks, np.int32).view(np.ndarray), count
        self.ranks.flags.writeable = False  # one type for the compiler, wherever the ranks come from

    def _alive(self, alive: Flags | None) -> Flags:
        return np.ones(self.count, np.bool_) if alive is None else np.ascontiguousarray(alive[: self.count])

    def _possible(self) -> tuple[Excluded, Ints]:
        """The laws that a pair can break at all, and their numbers."""
        understood = as_understood(self.excluded, self.ordered)
        numbers = np.flatnonzero(~(understood == NEVER_TRUE).any(axis=1))
        return understood[numbers], numbers

    def _regroup(self) -> None:
        self._groups = list(law_groups(*self._possible(), self._routes, self._agreeing))
        self._work = None

    def _probe(
        self, new_rows: RowNumbers, is_new: Flags, alive: Flags, most: int
    ) -> tuple[Ints, npt.NDArray[np.int64]]:
        work, found = np.zeros(2, np.int64), [np.empty((0, 3), np.int64)]
        for of, group in self._groups:
            chains = self.indexes.get(of, NO_CHAINS)
            near_each_other = new_rows[np.argsort(self.ranks[of[0], new_rows])]
            found.append(probe(self.ranks, chains, group, near_each_other, is_new, alive, most, work))
        return np.concatenate(found), work
