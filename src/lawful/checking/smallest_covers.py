"""The fewest rows that take part in all of some pairs, as long as that is soon known.

A row that has one partner may as well stay. Of any other row, itself or all its partners must go: both are
tried, the row with the most partners first, and a branch ends where disjoint pairs show that it takes too
many rows.
"""

from __future__ import annotations

from collections.abc import Iterable

Partners = dict[int, set[int]]
COVER_STEPS = 300  # of the search, until it gives up


def partners_in(pairs: Iterable[tuple[int, int]]) -> Partners:
    """The partners of each row in some pairs of different rows."""
    partners: Partners = {}
    for t, s in pairs:
        partners.setdefault(t, set()).add(s)
        partners.setdefault(s, set()).add(t)
    return partners


class SmallestCover:
    """The search for fewer rows than so many that hit all pairs.

    Attributes:
        cover: the fewest rows that were found, if there are.
        complete: whether there are no fewer.
    """

    def __init__(self, partners: Partners, at_most: int) -> None:
        self.cover: frozenset[int] | None = None
        self._fewest, self._steps = at_most, 0
        self._search(partners, frozenset())
        self.complete = self._steps <= COVER_STEPS

    def _search(self, partners: Partners, gone: frozenset[int]) -> None:
        self._steps += 1
        partners, gone = _without_ends(partners, gone)
        if self._steps > COVER_STEPS or len(gone) + disjoint_pairs(partners) >= self._fewest:
            return
        if not partners:
            self.cover, self._fewest = gone, len(gone)
            return
        row = max(partners, key=lambda one: (len(partners[one]), -one))
        for some in ({row}, partners[row]):
            self._search(_without(partners, some), gone | some)


def disjoint_pairs(partners: Partners) -> int:
    """How many pairs share no row with each other: at least so many rows must go."""
    matched = set[int]()
    for row in sorted(partners, key=lambda one: (len(partners[one]), one)):
        free = partners[row] - matched
        if row not in matched and free:
            matched |= {row, min(free, key=lambda one: (len(partners[one]), one))}
    return len(matched) // 2


def _without_ends(partners: Partners, gone: frozenset[int]) -> tuple[Partners, frozenset[int]]:
    """The same when the only partner of each row has gone."""
    while ends := [row for row, some in partners.items() if len(some) == 1]:
        left = set[int]()
        for row in ends:
            if row not in left:
                left |= partners[row]
        partners, gone = _without(partners, left), gone | left
    return partners, gone


def _without(partners: Partners, some: set[int]) -> Partners:
    """The partners of the rows that are left when some have gone; those without one are no longer there."""
    left = {row: others - some for row, others in partners.items() if row not in some}
    return {row: others for row, others in left.items() if others}
