"""The laws of one family of kinds, kept true while rows come and go.

The evidence has exactly the minimal laws as its minimal hitting sets. After an insertion these are the
minimal hitting sets of the old evidence and of the new pairs that break a law: nothing is validated. After a
deletion evidence without a witness goes; sets that are minimal only since then are candidates, which the rows
judge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.rounds import Candidates, Judge
from lawful.engine import Engine
from lawful.evidence.batches import Fresh
from lawful.evidence.evidence_set import EvidenceSet, EvidenceTable, HasRanks
from lawful.laws.codec import LawArrays
from lawful.laws.comparisons import Comparisons, Flags
from lawful.laws.targets import Targets
from lawful.words import Words, are_among, numbered_lines

WITNESSES = 3  # pairs of rows that show a line of evidence: a batch rarely takes all of them
NO_PAIR = (-1, -1)  # in place of the pair of rows that broke a law: a smaller one holds now


class FamilyChange(NamedTuple):
    """What became of a family's laws."""

    added: LawArrays
    removed: LawArrays
    broken_by: Pairs  # [removed law]: ids of the rows that broke it
    since: Numbers  # [removed law]: the version from which on it held


class KeptFamily(ABC):
    """The laws of one family: for each target its sets, and the evidence that has them as hitting sets."""

    def __init__(
        self,
        rows: HasRanks,
        comparisons: Comparisons,
        targets: Targets,
        kinds: Numbers,
        words: int,
        laws: LawArrays,
        pairs: Pairs,
    ) -> None:
        self._rows, self.comparisons = rows, comparisons
        self.targets, self.kinds, self._words = targets, kinds, words
        self.sets = self._dealt(laws)
        self.since = [np.zeros(len(some), np.int64) for some in self.sets]  # the versions that brought them
        self.evidence = self._evidence_of(pairs)
        self.is_saved = True  # whether files have it as it is
        self.seconds_a_row = np.nan  # CPU seconds that the last search for all laws took, if these are known

    @property
    def ordered(self) -> Flags:
        """Which columns have an order for these laws."""
        ordered = np.zeros(len(self._rows.ranks), np.bool_)
        ordered[self.comparisons.left] |= self.comparisons.ordered
        ordered[self.comparisons.right] |= self.comparisons.ordered
        return ordered

    @property
    def laws(self) -> LawArrays:
        """All laws."""
        return self._laws_of(self.sets)

    def insert(self, broken: Fresh) -> list[Pairs]:
        """Take note of new pairs of rows that break laws: all that do, one for each of their outcomes.

        Returns for each set of each target as it was the pair that breaks it.
        """
        broken_by = self._broken_by(broken)
        if len(broken.lines):
            self.is_saved = False
            self._extend(broken.lines, broken.pairs)
        return broken_by

    def renew(self, laws: LawArrays, pairs: Pairs) -> list[Pairs]:
        """Take over the laws that a search found and the pairs of rows that show its evidence.

        Returns for each set of each target as it was the pair that breaks it.
        """
        self.is_saved = False
        known, self.evidence = self.evidence.lines, self._evidence_of(pairs)
        lines = self.evidence.lines
        fresh = ~are_among(lines, known)  # no other line breaks one of these sets
        broken_by = self._broken_by(Fresh(lines[fresh], self.evidence.first_witnesses[fresh]))
        found = zip(self.sets, self._dealt(laws), strict=True)
        self.sets = [old if _are_equal(old, now) else now for old, now in found]
        return broken_by

    def _broken_by(self, shown: Fresh) -> list[Pairs]:
        """For each set of each target the pair that breaks it."""
        pairs = np.concatenate([shown.pairs, [NO_PAIR]]).astype(np.int32)  # -1 is the last
        return [pairs[places] for places in self.first_broken(shown.lines)[0]]

    def _dealt(self, laws: LawArrays) -> list[Sets]:
        """The sets of each target."""
        lines = np.concatenate([self.targets, laws.targets]).astype(np.uint64)
        named, place = numbered_lines(lines)[1], np.empty(len(lines), np.int64)
        place[named[: len(self.targets)]] = np.arange(len(self.targets))
        numbers = place[named[len(self.targets) :]]
        order = np.argsort(numbers, kind="stable")
        sets = np.ascontiguousarray(laws.sets[order, : self._words])
        ends = np.searchsorted(numbers[order], np.arange(1, len(self.targets)))
        return [part.copy() for part in np.split(sets, ends)]

    def some_broken(self, lines: Words, enforced: Flags) -> tuple[LawArrays, int] | None:
        """One of some of the laws, if lines break any of them, and the line that does."""
        first = np.concatenate(self.first_broken(lines)[0]) if len(lines) else np.empty(0, np.int64)
        broken = np.flatnonzero((first >= 0) & enforced[: len(first)])
        soonest = broken[np.argsort(first[broken], kind="stable")[:1]]
        return (self.laws.chosen(soonest), int(first[soonest[0]])) if len(soonest) else None

    def unbroken(self) -> list[Pairs]:
        """The same where nothing is broken."""
        return [np.full((len(sets), 2), NO_PAIR, np.int32) for sets in self.sets]

    def breaking(self, fresh: Fresh) -> Fresh:
        """Those of some outcomes that break a law."""
        breaks = self.first_broken(fresh.lines)[1]
        return Fresh(fresh.lines[breaks], fresh.pairs[breaks])

    @abstractmethod
    def first_broken(self, lines: Words) -> tuple[list[Numbers], Flags]:
        """For each set of each target the first line that breaks it, or -1; which of the lines break some."""

    @abstractmethod
    def _extend(self, lines: Words, pairs: Pairs) -> None:
        """Add evidence, and give the targets that it touches the sets that hit it too."""

    @abstractmethod
    def edges(self, number: int, table: EvidenceTable | None = None) -> Words:
        """The minimal edges of some evidence for a target; of all that there is if none is given."""

    @abstractmethod
    def lost_edges(self, number: int, lost: EvidenceTable) -> Words:
        """The edges of lost evidence for a target that contain none of what is left."""

    @abstractmethod
    def rests_on(self, number: int) -> list[int]:
        """The targets whose sets tell which of this one's are minimal laws."""

    @abstractmethod
    def extended(self, number: int, sets: Sets, edges: Words, added: Words) -> Sets:
        """The minimal sets of a target after edges were added to others."""

    @abstractmethod
    def phases(self) -> list[Numbers]:
        """The targets in the order in which they can be settled."""

    @abstractmethod
    def shrunk(self, number: int, edges: Words, lost: Words) -> Sets:
        """The minimal sets of a target after edges were lost, given those that are left."""

    @abstractmethod
    def contexts(self, candidates: Candidates) -> Sets:
        """The columns that candidates, sets behind the number of their target, say are equal."""

    @abstractmethod
    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, Sequence[Judge]]:
        """Candidates in an order in which neighbours share work, and the tasks that judge them."""

    def lose(self, alive: Flags) -> Words:
        """Drop the evidence that no pair of rows shows any more; the lines that are lost."""
        pairs, lost = self.evidence.witness_pairs, self.evidence.lines[~self.still_shown(alive)]
        shown = alive[pairs].all(axis=1)
        if not shown.all():
            self.is_saved = False
            self.evidence = self._evidence_of(pairs[shown])
        return lost

    def still_shown(self, alive: Flags) -> Flags:
        """Which lines of the evidence some pair of rows still shows."""
        count, pairs = len(self.evidence), self.evidence.witness_pairs
        lines = np.repeat(np.arange(count), np.minimum(self.evidence.counts, WITNESSES))
        shown: Flags = np.bincount(lines[alive[pairs].all(axis=1)], minlength=count) > 0
        return shown

    def learn(self, pairs: Pairs) -> Words:
        """Add pairs of rows to the evidence; their lines."""
        self.is_saved = False
        self.evidence.add_pairs(pairs)
        learned = EvidenceSet(self._rows, self.comparisons)
        learned.add_pairs(pairs)
        return learned.lines

    def _evidence_of(self, pairs: Pairs) -> EvidenceSet:
        evidence = EvidenceSet(self._rows, self.comparisons, WITNESSES)
        evidence.add_pairs(pairs)
        return evidence

    def changed(self, before: Sequence[Sets], broken_by: Sequence[Pairs], version: int) -> FamilyChange:
        """What is new since a version and what is gone; given the sets before it, and who broke each."""
        added, removed, by, ages = [], [], [np.empty((0, 2), np.int32)], [np.empty(0, np.int64)]
        for number, (old, now, pairs) in enumerate(zip(before, self.sets, broken_by, strict=True)):
            if old is now:
                added.append(now[:0])
                removed.append(old[:0])
                continue
            gone, fresh, since = ~are_among(old, now), ~are_among(now, old), self.since[number]
            added.append(now[fresh])
            removed.append(old[gone])
            by.append(pairs[gone])
            ages.append(since[gone])
            self.since[number] = _moved(since, old, now, version)
        return FamilyChange(
            self._laws_of(added), self._laws_of(removed), np.concatenate(by), np.concatenate(ages)
        )

    def _laws_of(self, sets: Sequence[Sets]) -> LawArrays:
        numbers = np.repeat(np.arange(len(sets)), [len(some) for some in sets])
        return LawArrays(self.kinds[numbers], self.targets[numbers], np.concatenate(sets))


def _are_equal(some: Sets, others: Sets) -> bool:
    """Whether these are the same sets, each of them once, in whatever order."""
    return len(some) == len(others) and bool(are_among(some, others).all())


def _moved(since: Numbers, old: Sets, now: Sets, version: int) -> Numbers:
    """Since when each of the sets now holds: for those of old as before, for others from this version on."""
    numbers = numbered_lines(np.concatenate([old, now]))[1]
    first = np.full(len(old) + len(now), version, np.int64)
    first[numbers[: len(old)]] = since
    moved: Numbers = first[numbers[len(old) :]]
    return moved
