"""The pairs of rows that break laws after rows came, found in one of several exact ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.changes.deleting import numbered
from lawful.changes.kept_family import KeptFamily
from lawful.discovery.findings import Pairs, Sets
from lawful.evidence.batches import Fresh, Rows, fresh_of
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.sieves import Sieves
from lawful.laws.comparisons import Flags
from lawful.validate.probe_literals import excluded_outcomes, of_one_row_each, possible
from lawful.validate.probes import Probes
from lawful.validate.sieve_choice import chosen_sieves
from lawful.words import are_among

AUTO, TILES, PROBES, ANEW = WAYS = ("auto", "tiles", "probes", "anew")
ENOUGH_PAIRS = 64  # pairs that tell how a law breaks; where it breaks further, those that take its place tell
SHORT = 0.02  # seconds within which there is no need to think, nor for a sieve


class BreakingPairs:
    """Finds the new pairs of rows that break a family's laws; indexes live on from batch to batch."""

    def __init__(self, family: KeptFamily) -> None:
        self._family = family
        self._probes: Probes | None = None
        self._served: list[Sets] = []  # the laws that the indexes serve
        self._spent = 0.0  # seconds that long batches took without indexes, about
        self._patience = 1  # times the seconds to make indexes that these must be before some are made
        self._sieves: Sieves | None = None
        self._sieved: list[Sets] = []  # the laws that the sieves are for
        self._unsieved = 0.0  # seconds that tiles took without sieves since these were chosen, about

    def insert(self, rows: Rows, new: npt.NDArray[np.int64], way: str) -> list[Pairs]:
        """Let the family know of all new pairs that break its laws, found in a way that is not a search anew.

        Returns for each set of each target as it was the pair that breaks it.
        """
        if way == TILES:
            return self._family.insert(self.broken(rows, new))
        told = [self._told(self._shown(pairs, rows)) for pairs in self._by_probes(rows, new)]
        return told[0] if told else self._family.unbroken()

    def _by_probes(self, rows: Rows, new: npt.NDArray[np.int64]) -> Iterator[Pairs]:
        """Pairs that break laws, then those that break what takes their place, and so on.

        The family is told of them meanwhile.
        """
        known = numbered({}, self._family)
        while True:
            laws = numbered(dict(enumerate(self._family.sets)), self._family)
            pairs = self._probed(rows, new, ~are_among(laws, known))
            if not len(pairs):
                return
            yield pairs
            known = laws

    def broken(self, rows: Rows, new: npt.NDArray[np.int64]) -> Fresh:
        """The outcomes of pairs with a new row that break a law: new rows are compared with all others."""
        seconds = self._tile_seconds(rows, new)
        sieves = self._sieving(rows, new) if seconds > SHORT else None
        self._unsieved += seconds if sieves is None else 0.0
        return fresh_of(self._family.evidence, rows, new, self._family.breaking, sieves)

    def _sieving(self, rows: Rows, new: npt.NDArray[np.int64]) -> Sieves | None:
        """Sieves for the laws as they are, where every law has literals that can be looked at first.

        They are chosen when tiles without them have taken as long as that does.
        """
        if not _are_same(self._sieved, self._family.sets):
            choice = costs.sieve_choice_seconds(len(rows.alive), self._laws)
            if self._unsieved + self._tile_seconds(rows, new) < choice:
                return None
            self._unsieved = 0.0
            literals = possible(self._excluded(rows), self._family.ordered)[0]
            self._sieves = chosen_sieves(literals, rows, int(new[0]))
            self._sieved = list(self._family.sets)
        return self._sieves

    def _sieved_seconds(self, rows: Rows, new: npt.NDArray[np.int64]) -> float:
        """About how long tiles behind sieves take: those for the laws before tell as well as new ones."""
        if not self._can_probe:
            return np.inf
        if not self._sieved:
            self._sieving(rows, new)
        return np.inf if self._sieves is None else self._sieves.seconds * len(rows.alive) * len(new)

    def _tile_seconds(self, rows: Rows, new: npt.NDArray[np.int64]) -> float:
        comparisons = len(self._family.comparisons.kind)
        return costs.batch_seconds(len(rows.alive), len(new), comparisons, self._laws)

    def _told(self, broken: Fresh) -> list[Pairs]:
        """Tell the family of outcomes that break some of its laws: or the search for them would never end."""
        broken_by = self._family.insert(broken)
        if not any((pairs >= 0).any() for pairs in broken_by):
            raise RuntimeError(
                "pairs of rows were found that break no law: lawful is wrong about one of them"
            )
        return broken_by

    @property
    def _can_probe(self) -> bool:
        return bool(of_one_row_each(self._family.comparisons).all())

    def chosen(self, rows: Rows, new: npt.NDArray[np.int64], way: str, lost: float = 0.0) -> str:
        """The way that is asked for, if these laws can go it; for auto the one that seems to be fastest.

        Where rows have gone too, with some share of the evidence, a search anew does both at once.
        """
        if way != AUTO:
            return TILES if way == PROBES and not self._can_probe else way
        if lost > costs.MUCH_LOST:
            return ANEW
        by_tiles, by_search = self._tile_seconds(rows, new), self._search_seconds(rows)
        spared = costs.delete_seconds(lost, len(self._family.evidence), by_search)
        if not len(new) or by_tiles + spared <= SHORT:
            return TILES
        by_probes = self._probe_seconds(rows, new)
        if by_probes + spared <= SHORT:
            return PROBES
        by_tiles = min(by_tiles, self._sieved_seconds(rows, new))
        seconds, way = min((by_tiles, TILES), (by_probes, PROBES), (by_search - spared, ANEW))
        if way != PROBES:
            self._do_without_indexes(rows, seconds, by_probes)
        return way

    def _search_seconds(self, rows: Rows) -> float:
        """About how long it takes to search for all laws: as long as last time, if that is known."""
        count = int(np.count_nonzero(rows.alive))
        return costs.known_search_seconds(count, len(rows.ranks), self._laws, self._family.seconds_a_row)

    def _probe_seconds(self, rows: Rows, new: npt.NDArray[np.int64]) -> float:
        """About how long probes take; rows that came in other ways must come into the indexes first.

        Indexes are made when batches have taken as long as that would: who inserts once does not wait for it.
        """
        count = len(rows.alive)
        if not self._can_probe:
            return np.inf
        if self._probes is None:
            if self._spent < self._patience * costs.index_seconds(count, self._laws):
                return np.inf
            return self._serving(rows).probe_seconds(len(new))
        return self._probes.probe_seconds(count - self._probes.count)

    def _do_without_indexes(self, rows: Rows, seconds: float, by_probes: float) -> None:
        """Take note of a batch that goes another way.

        When so many rows have done so that new indexes cost less than to bring them into the old ones, these
        go, and others are made later than they were.
        """
        self._spent += seconds
        if np.isfinite(by_probes) and by_probes > costs.index_seconds(len(rows.alive), self._laws):
            self._probes, self._served, self._spent = None, [], 0.0
            self._patience *= 2

    @property
    def _laws(self) -> int:
        return sum(map(len, self._family.sets))

    def _probed(self, rows: Rows, new: npt.NDArray[np.int64], wanted: Flags) -> Pairs:
        found = self._serving(rows).violating_pairs(new.astype(np.int32), rows.alive, ENOUGH_PAIRS, wanted)
        return found.pairs

    def _serving(self, rows: Rows) -> Probes:
        if self._probes is None:
            self._probes = Probes(rows.ranks, len(rows.alive), self._family.ordered)
        elif self._probes.count < len(rows.alive):
            self._probes.extend(rows.ranks, len(rows.alive), rows.alive)
        if not _are_same(self._served, self._family.sets):
            self._probes.serve(self._excluded(rows), rows.alive)
            self._served = list(self._family.sets)
        return self._probes

    def _excluded(self, rows: Rows) -> npt.NDArray[np.uint8]:
        return excluded_outcomes(self._family.laws, self._family.comparisons, len(rows.ranks))

    def _shown(self, pairs: Pairs, rows: Rows) -> Fresh:
        """The outcomes of pairs, each with one of them."""
        shown = EvidenceSet(rows, self._family.comparisons, witnesses=1)
        shown.add_pairs(pairs)
        return Fresh(shown.lines, shown.witness_pairs)


def _are_same(some: Sequence[Sets], others: Sequence[Sets]) -> bool:
    """Whether these are the very same arrays: what changes gets a new one."""
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
