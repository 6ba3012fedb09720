"""The evidence set: the distinct outcomes of the pairs of rows seen so far, in one hash set."""

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import (
    EMPTY,
    LESS_BITS,
    insert,
    line_words,
    roomy,
    slot_of,
    turn,
    write_outcomes,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.words import ONE, Words, transposed

Pairs = npt.NDArray[np.int32]

ADDED_AT_ONCE = 128  # pairs that are added before it is seen whether there is room for more


class HasRanks(Protocol):
    """Rows that can be compared."""

    @property
    def ranks(self) -> npt.NDArray[np.int32]:
        """[column, row]: numbers in the order of the values."""


class EvidenceTable(NamedTuple):
    """Evidence as kernels take it, by lines and by comparisons; those with the fewest differences first."""

    lines: Words
    less: Words  # [comparison, word]: the evidences with t < s there, or without order
    greater: Words


class Notes(NamedTuple):
    """What is known of the line in each slot; no counts and witnesses where they are not asked for."""

    compared: Ints  # of how many pairs it was seen elsewhere
    counts: Ints  # of how many pairs that were added it is the line
    witnesses: Pairs  # [slot, place, row]: the first of these pairs


@kernel
def new_notes(slots, noted, witnesses):
    """Notes of no line, for so many slots."""
    noted_slots = slots if noted else 0
    return Notes(
        np.zeros(slots, np.int64),
        np.zeros(noted_slots, np.int64),
        np.zeros((noted_slots, witnesses, 2), np.int32),
    )


@kernel
def note(notes, slot, t, s):
    """Count a pair for the line in a slot, and keep it where there is room."""
    known = notes.counts[slot]
    if known < notes.witnesses.shape[1]:
        notes.witnesses[slot, known, 0], notes.witnesses[slot, known, 1] = t, s
    notes.counts[slot] += 1


@kernel
def moved_notes(notes, slots, larger):
    """The notes of all lines after these have moved to a larger set."""
    noted, marked = notes.counts.shape[0] > 0, slots.shape[1] - 1
    moved = new_notes(larger.shape[0], noted, notes.witnesses.shape[1])
    for slot in range(slots.shape[0]):
        if slots[slot, marked] == 0:
            continue
        place = slot_of(larger, slots[slot])
        moved.compared[place] = notes.compared[slot]
        if noted:
            moved.counts[place] = notes.counts[slot]
            for k in range(notes.witnesses.shape[1]):
                moved.witnesses[place, k, 0] = notes.witnesses[slot, k, 0]
                moved.witnesses[place, k, 1] = notes.witnesses[slot, k, 1]
    return moved


@kernel
def insert_some(slots, notes, ranks, comparisons, turning, pairs, line):
    """Add the outcomes of pairs to a set with room for them; how many are new."""
    fresh, noted = 0, notes.counts.shape[0] > 0
    for k in range(pairs.shape[0]):
        t, s = pairs[k, 0], pairs[k, 1]
        write_outcomes(ranks, comparisons, t, s, line)
        if turning and turn(line, comparisons):
            t, s = s, t
        fresh += insert(slots, line)
        if noted:
            note(notes, slot_of(slots, line), t, s)
    return fresh


@kernel
def insert_pairs(slots, count, notes, ranks, comparisons, turning, pairs):
    """The set with the outcomes of further pairs, how many lines it has then, and its notes."""
    line = np.empty(slots.shape[1], np.uint64)
    for first in range(0, pairs.shape[0], ADDED_AT_ONCE):
        some = pairs[first : first + ADDED_AT_ONCE]
        larger = roomy(slots, count, some.shape[0])
        if larger.shape[0] != slots.shape[0]:
            notes, slots = moved_notes(notes, slots, larger), larger
        count += insert_some(slots, notes, ranks, comparisons, turning, some, line)
    return slots, count, notes


@kernel
def insert_lines(slots, count, notes, comparisons, turning, lines, counts):
    """The set with further lines, each that of so many pairs; how many lines it has then, and its notes."""
    line = np.empty(slots.shape[1], np.uint64)
    for k in range(lines.shape[0]):
        for w in range(line.shape[0]):
            line[w] = lines[k, w]
        if turning:
            turn(line, comparisons)
        larger = roomy(slots, count, 1)
        if larger.shape[0] != slots.shape[0]:
            notes, slots = moved_notes(notes, slots, larger), larger
        count += insert(slots, line)
        notes.compared[slot_of(slots, line)] += counts[k]
    return slots, count, notes


def table_of(lines: Words, comparisons: Comparisons) -> EvidenceTable:
    """Lines of outcomes in the order that kernels want, by comparisons too."""
    lines = np.ascontiguousarray(lines[order_of_lines(lines)])
    turned, bits = transposed(lines, len(lines)), 2 * len(comparisons.kind)
    return EvidenceTable(lines, turned[0:bits:2].copy(), turned[1:bits:2].copy())


def order_of_lines(lines: Words) -> Ints:
    """The places of lines, those with the fewest differences first."""
    differing = np.bitwise_count((lines | lines >> ONE) & LESS_BITS).sum(axis=1)
    return np.lexsort((*lines.T, differing))


class EvidenceSet:
    """Distinct outcomes of pairs of rows of one table; it only grows.

    Their equal columns are the agree-sets of the literature. On request every line has witnesses, up to so
    many pairs of rows that show it, and the number of pairs that were added with it.
    """

    def __init__(self, rows: HasRanks, comparisons: Comparisons, witnesses: int | None = None) -> None:
        self.comparisons = comparisons
        self._rows = rows
        self.turning = bool((comparisons.mirror == np.arange(len(comparisons.mirror))).all())
        self._slots: Words = np.zeros((EMPTY, line_words(comparisons)), np.uint64)
        self._count = 0
        self._notes: Notes = new_notes(EMPTY, witnesses is not None, witnesses or 0)

    def __len__(self) -> int:
        return self._count

    @property
    def lines(self) -> Words:
        """The outcomes, a line each."""
        return self._slots[self._used]

    @property
    def counts(self) -> Ints:
        """How many pairs each line was added with."""
        return self._notes.counts[self._used]

    @property
    def compared(self) -> Ints:
        """Of how many pairs each line was seen elsewhere."""
        return self._notes.compared[self._used]

    @property
    def witnesses(self) -> list[Pairs]:
        """Pairs of rows that show each line."""
        shown = np.minimum(self.counts, self._notes.witnesses.shape[1])
        return [pairs[:count] for pairs, count in zip(self._notes.witnesses[self._used], shown, strict=True)]

    @property
    def witness_pairs(self) -> Pairs:
        """All witnesses, one after the other."""
        kept = self._notes.witnesses.shape[1]
        return self._notes.witnesses[self._used][np.arange(kept) < self.counts[:, None]]

    @property
    def first_witnesses(self) -> Pairs:
        """For each line a pair of rows that shows it."""
        first: Pairs = self._notes.witnesses[self._used, 0]
        return first

    @property
    def slots(self) -> Words:
        """The hash set itself, for kernels that look lines up."""
        return self._slots

    @cached_property
    def table(self) -> EvidenceTable:
        """The evidence as it is now, in an order that does not depend on who found what first."""
        return table_of(self.lines, self.comparisons)

    def add_pairs(self, pairs: Pairs) -> int:
        """Add the outcomes of pairs of rows; returns how many were new."""
        before = self._count
        self._slots, self._count, self._notes = insert_pairs(
            self._slots,
            before,
            self._notes,
            self._rows.ranks,
            self.comparisons,
            self.turning,
            np.ascontiguousarray(pairs, np.int32),
        )
        return self._grown(before)

    def add_lines(self, lines: Words, counts: Ints) -> int:
        """Add outcomes that were seen elsewhere, each of so many pairs; returns how many were new."""
        before = self._count
        self._slots, self._count, self._notes = insert_lines(
            self._slots, before, self._notes, self.comparisons, self.turning, lines, counts
        )
        return self._grown(before)

    @property
    def _used(self) -> Ints:
        return np.flatnonzero(self._slots[:, -1])

    def _grown(self, before: int) -> int:
        if self._count > before:
            self.__dict__.pop("table", None)
        return self._count - before
