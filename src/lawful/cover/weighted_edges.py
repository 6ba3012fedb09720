"""Minimal sets that miss edges of a tolerated weight: approximate denial constraints by counted evidence.

What a set misses weighs less when it grows. So the search is as in `lawful.discovery.dualizing`: a set that
misses too much is grown as long as it does so, and every wanted set has an atom outside of that.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items, with_line
from lawful.cover.mmcs import CUT, DONE, LEAF, TOO_DEEP, UNIT, advance, enlarge, new_enumeration, with_edge
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import Words, has, meet, put


class WeightedEdges(NamedTuple):
    """Edges, what each weighs, and how much of that may be missed."""

    edges: Words
    weights: Ints
    tolerated: int


@kernel
def write_missed(weighted, members, missed):
    """Write which edges a set misses; returns how many they are, and what they weigh."""
    edges, weights, _ = weighted
    count, weight = 0, 0
    for k in range(edges.shape[0]):
        misses = not meet(members, edges[k])
        missed[count] = k
        count += misses
        weight += weights[k] * misses
    return count, weight


@kernel
def add_atoms_while_missing(weighted, order, members, missed, count):
    """Add atoms to a set, in a given order, as long as the edges that it misses weigh too much."""
    edges, weights, tolerated = weighted
    for place in range(order.shape[0]):
        atom, weight, left = order[place], 0, 0
        if has(members, atom):
            continue
        for k in range(count):
            weight += weights[missed[k]] * (1 - has(edges[missed[k]], atom))
        if weight > tolerated:
            put(members, atom)
            for k in range(count):
                edge = missed[k]
                missed[left] = edge
                left += 1 - has(edges[edge], atom)
            count = left


@kernel
def almost_hitting(weighted, atoms, order, unit, stops, most, halt):
    """All minimal sets of at most so many units that miss no more than is tolerated, and contain no stop.

    `order` lists the atoms, those first that hit the least. Also returned: whether there may be larger sets.
    """
    search = new_enumeration(weighted.edges[:0], atoms, 64, 8)
    search.at[UNIT] = unit
    sets, edge = np.empty((16, atoms.shape[0]), np.uint64), np.empty(atoms.shape[0], np.uint64)
    missed, proven, state = np.empty(weighted.edges.shape[0] + 1, np.int64), 0, LEAF
    while state != DONE:
        state = advance(search, stops, most, halt)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF:
            count, weight = write_missed(weighted, search.members, missed)
            if weight > weighted.tolerated:
                copy_items(search.members, edge)
                add_atoms_while_missing(weighted, order, edge, missed, count)
                for w in range(edge.shape[0]):
                    edge[w] = atoms[w] & ~edge[w]
                search = with_edge(search, edge)
            else:
                sets = with_line(sets, proven, search.members)
                proven += 1
    return sets[:proven], search.at[CUT] > 0
