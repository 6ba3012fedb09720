"""Minimal sets of atoms whose laws hold without a share of the rows.

Rows to remove are no sum over evidence, so each set is asked of the rows. The pairs that it misses tell most
of them first: as many rows as pairs are always enough, and a row takes no more than its own pairs along. Of
disjoint pairs each takes a row; where there are many pairs, enough disjoint ones are soon met by chance.

What is left takes its time. So small sets come first: they are known when time is up.
"""

from __future__ import annotations

import math

import numpy as np

from lawful.checking.denials import denial_of_set
from lawful.checking.law_errors import needs_more
from lawful.cover.lones import Stops
from lawful.cover.mmcs import (
    CUT,
    DONE,
    EDGES,
    LEAF,
    TOO_DEEP,
    UNIT,
    advance,
    enlarge,
    new_enumeration,
    with_edge,
)
from lawful.cover.weighted_edges import WeightedEdges, write_missed
from lawful.laws.comparisons import Comparisons, Ints
from lawful.table.workspace import Workspace
from lawful.validate.dc_matching import has_disjoint_pairs, literals_of
from lawful.words import Words, bit_set

MOST_ROUNDS = 40  # in which rows meet by chance: then they are counted
FIRST_ROUNDS = 2  # more than would do on average


class RowsToRemove:
    """Whether the laws of sets of atoms need more rows removed than are tolerated.

    Attributes:
        undecided: how often bounds did not tell, and it was taken for more.
    """

    def __init__(self, weighted: WeightedEdges, most: int, work: Workspace, comparisons: Comparisons) -> None:
        self._weighted, self._most, self._work, self._comparisons = weighted, most, work, comparisons
        self._missed = np.empty(len(weighted.edges) + 1, np.int64)
        bits = np.unpackbits(weighted.edges.view(np.uint8), axis=1, bitorder="little")
        self._hit = np.ascontiguousarray(bits.T).view(np.bool_)  # [atom, edge]
        self._known: dict[bytes, bool] = {}
        self.undecided = 0

    def exceed(self, members: Words) -> bool:
        """Whether it is so for a set."""
        _, pairs = write_missed(self._weighted, members, self._missed)
        return self._exceed(members, pairs)

    def grown(self, members: Words, order: Ints) -> Words:
        """A set for which it is so with more atoms, in a given order, as long as it stays so."""
        count, _ = write_missed(self._weighted, members, self._missed)
        missed = self._missed[:count].copy()
        for atom in order.tolist():
            larger = members | bit_set(np.array([atom], np.int64), len(members))
            left = missed[~self._hit[atom, missed]]
            if self._exceed(larger, int(self._weighted.weights[left].sum())):
                members, missed = larger, left
        return members

    def _exceed(self, members: Words, pairs: int) -> bool:
        """The same of a set that so many pairs (t, s) are against."""
        if pairs <= self._most or pairs > 2 * self._most * (self._work.rows.count - 1):
            return pairs > self._most
        name = members.tobytes()
        if name not in self._known:
            self._known[name] = self._soon_exceed(members, pairs) or self._judged(members)
        return self._known[name]

    def _soon_exceed(self, members: Words, pairs: int) -> bool:
        """Whether enough disjoint pairs are met, where so many pairs (t, s) are against a set."""
        rows = self._work.rows
        met = pairs / (rows.count - 1)  # in a round, if none of their rows have met
        rounds = math.ceil(2 * (self._most + 1) / met)
        if rounds > MOST_ROUNDS:
            return False
        literals = literals_of(members, self._comparisons)
        return bool(has_disjoint_pairs(rows.ranks, literals, self._most, rounds + FIRST_ROUNDS))

    def _judged(self, members: Words) -> bool:
        more = needs_more(denial_of_set(members, self._comparisons), self._work, self._most)
        self.undecided += more is None
        return more is not False


def hitting_but_for_rows(
    question: RowsToRemove, atoms: Words, order: Ints, unit: int, stops: Stops, most: int, halt: Ints
) -> tuple[Words, bool]:
    """All minimal sets of at most so many units that need no more rows removed than is tolerated.

    As `almost_hitting`, where what is missed is a weight. Also returned: whether there may be larger sets.
    """
    sets, cut = [np.empty((0, len(atoms)), np.uint64)], True
    edges = sets[0]
    for size in range(most + 1):
        if cut and not halt[0]:
            some, edges, cut = _of_size(question, edges, atoms, order, unit, stops, size, halt)
            sets.append(some)
    return np.unique(np.concatenate(sets), axis=0), cut


def _of_size(
    question: RowsToRemove,
    edges: Words,
    atoms: Words,
    order: Ints,
    unit: int,
    stops: Stops,
    most: int,
    halt: Ints,
) -> tuple[Words, Words, bool]:
    """The sets of at most so many units, where some edges are known; all edges that were met."""
    search, sets, state = new_enumeration(edges, atoms, len(edges) + 64, 8), list[Words](), LEAF
    search.at[UNIT] = unit
    while state != DONE and not halt[0]:
        state = advance(search, stops, most, halt)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF:
            members = search.members.copy()
            if question.exceed(members):
                search = with_edge(search, atoms & ~question.grown(members, order))
            elif not halt[0]:
                sets.append(members)
    found = np.array(sets, np.uint64).reshape(-1, len(atoms))
    return found, search.edges[: search.at[EDGES]].copy(), bool(search.at[CUT] > 0)
