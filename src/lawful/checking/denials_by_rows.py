"""Minimal sets of atoms whose laws hold without a share of the rows.

Rows to remove are no sum over evidence, so each set is asked of the rows. The pairs that it misses tell most
of them first: as many rows as pairs are always enough, and a row takes no more than its own pairs along.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lawful.checking.denials import Denial
from lawful.checking.law_errors import counts_of
from lawful.cover.lones import Stops
from lawful.cover.mmcs import CUT, DONE, LEAF, TOO_DEEP, UNIT, advance, enlarge, new_enumeration, with_edge
from lawful.cover.weighted_edges import WeightedEdges, write_missed
from lawful.laws.comparisons import Ints
from lawful.table.workspace import Workspace
from lawful.words import Words, bit_set


class RowsToRemove:
    """Whether the laws of sets of atoms need more rows removed than are tolerated.

    Attributes:
        undecided: how often bounds did not tell, and it was taken for more.
    """

    def __init__(
        self, weighted: WeightedEdges, most: int, work: Workspace, denial: Callable[[Words], Denial]
    ) -> None:
        self._weighted, self._most, self._work, self._denial = weighted, most, work, denial
        self._missed = np.empty(len(weighted.edges) + 1, np.int64)
        self._known: dict[bytes, bool] = {}
        self.undecided = 0

    def exceed(self, members: Words) -> bool:
        """Whether it is so for a set."""
        _, pairs = write_missed(self._weighted, members, self._missed)
        if pairs <= self._most or pairs > 2 * self._most * (self._work.rows.count - 1):
            return bool(pairs > self._most)
        name = members.tobytes()
        if name not in self._known:
            self._known[name] = self._judged(self._denial(members))
        return self._known[name]

    def _judged(self, denial: Denial) -> bool:
        counts = counts_of(denial, self._work)
        self.undecided += counts.removals_at_least <= self._most < counts.removals
        return counts.removals > self._most


def hitting_but_for_rows(
    question: RowsToRemove, atoms: Words, order: Ints, unit: int, stops: Stops, most: int, halt: Ints
) -> tuple[Words, bool]:
    """All minimal sets of at most so many units that need no more rows removed than is tolerated.

    As `almost_hitting`, where what is missed is a weight. Also returned: whether there may be larger sets.
    """
    single = {atom: bit_set(np.array([atom], np.int64), len(atoms)) for atom in order.tolist()}
    search, sets, state = new_enumeration(np.empty((0, len(atoms)), np.uint64), atoms, 64, 8), [], LEAF
    search.at[UNIT] = unit
    while state != DONE and not halt[0]:
        state = advance(search, stops, most, halt)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF:
            members = search.members.copy()
            exceeding = question.exceed(members)
            if exceeding:
                for atom in order.tolist():
                    more = members | single[atom]
                    members = more if question.exceed(more) else members
                search = with_edge(search, atoms & ~members)
            elif not halt[0]:
                sets.append(members)
    return np.array(sets, np.uint64).reshape(-1, len(atoms)), bool(search.at[CUT] > 0)
