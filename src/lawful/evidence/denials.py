"""The evidence for denial constraints: the distinct outcomes seen so far."""

import numpy as np

from lawful.evidence.outcomes import EMPTY, Pairs, insert_lines, insert_pairs, lines_of, outcome_words
from lawful.laws.comparisons import Comparisons
from lawful.table.ranked import RankedRows
from lawful.words import Words


class DenialEvidence:
    """Distinct outcomes of pairs of rows of one table; it only grows.

    A pair and its mirror image are two evidences here; who wants one of them wants both and must ask for it.
    """

    def __init__(self, rows: RankedRows, comparisons: Comparisons) -> None:
        self._rows, self._comparisons = rows, comparisons
        self._slots: Words = np.zeros((EMPTY, outcome_words(comparisons)), np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def lines(self) -> Words:
        """The outcomes, a line each."""
        lines: Words = lines_of(self._slots, self._count)
        return lines

    def add_pairs(self, pairs: Pairs) -> int:
        """Add the outcomes of pairs of rows; returns how many were new."""
        before = self._count
        self._slots, self._count = insert_pairs(
            self._slots, before, self._rows.ranks, self._comparisons, np.ascontiguousarray(pairs, np.int32)
        )
        return self._count - before

    def add_lines(self, lines: Words) -> int:
        """Add outcomes that were seen elsewhere; returns how many were new."""
        before = self._count
        self._slots, self._count = insert_lines(self._slots, before, lines)
        return self._count - before
