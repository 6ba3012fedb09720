"""Minimal hitting sets, depth first, on edges that may grow while the search runs.

An *edge* is the set of atoms that exclude one evidence; a set of atoms that hits every edge is a law
as far as the evidence tells. The enumeration is MMCS (Murakami and Uno): branch on the uncovered edge
with the fewest free atoms, and keep for each chosen atom the edges that only it hits. An atom without
such an edge makes the set not minimal, and the branch is cut.

The search stops at each leaf and hands it to its caller. A caller that finds the leaf refuted by the rows
adds the missing edges with `grow` and goes on: the leaf becomes an inner node. No law is lost by that,
although branches were cut on fewer edges than are known later. A branch under `u` is cut at `v` where all
edges hit by `u` are hit by the others too; then `v` was branched on before `u` at the same edge and,
being depth first, all sets with `v` and without `u` are settled already: every one of them that hits the
known edges has been shown to hit all.

Where PODs are looked for, `lawful.cover.lones` says what is different.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items, copy_lines
from lawful.cover.lones import (
    Stops,
    close_other_lones,
    count_lones,
    is_beside_unequal,
    needs_no_edge,
    of_pods,
    partners_of_lones,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import ONE, Words, bit, bit_count, has, is_subset, lowest_bit, put, put_set, size_of

# Places in Enumeration.at: how many edges, the depth of the node, whether it is being entered, the least
# depth since the last leaf, whether the bound on size cut a branch, how many atoms make one unit of size
# (those of one comparison: their numbers start from a multiple of it), among how many uncovered edges to look
# for the scarcest, how many nodes may be visited before the search pauses, whether to stop at inner nodes
# too, a number for whoever does
EDGES, DEPTH, ENTERING, SHALLOWEST, CUT, UNIT, EDGES_TRIED, NODES, WATCHED, CREDIT = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)
# What `advance` reports
DONE, LEAF, TOO_DEEP, PAUSED, INNER = 0, 1, 2, 3, 4
UNLIMITED = np.iinfo(np.int64).max


class Enumeration(NamedTuple):
    """The state of one search: flat arrays, so that kernels can take it and hand it on."""

    edges: Words  # [edge, word]: its atoms
    hit_by: Words  # [atom, word]: the edges that it hits
    uncovered: Words  # [depth, word]: edges that the set at this depth misses
    critical: Words  # [depth, position, word]: edges that only the atom chosen at this position hits
    free: Words  # [depth, word]: atoms that may still be added
    branches: Words  # [depth, word]: atoms still to be tried at this depth
    chosen: Ints  # [position]: the atoms of the set, in the order of the path
    members: Words  # the same as a bit set
    at: Ints  # the numbers named above


class Bounds(NamedTuple):
    """Which sets are wanted: those with atoms of `least` to `most` units."""

    most: int
    least: int = 0


@kernel
def new_enumeration(edges, atoms, edge_capacity, depth_capacity):
    """A search at its root over the given edges; `atoms` is the bit set of the atoms that may be used."""
    words = edges.shape[1]
    edge_words = (edge_capacity + 63) // 64
    search = Enumeration(
        np.empty((edge_words * 64, words), np.uint64),
        np.zeros((words * 64, edge_words), np.uint64),
        np.zeros((depth_capacity + 1, edge_words), np.uint64),
        np.zeros((depth_capacity + 1, depth_capacity + 1, edge_words), np.uint64),
        np.zeros((depth_capacity + 1, words), np.uint64),
        np.zeros((depth_capacity + 1, words), np.uint64),
        np.zeros(depth_capacity + 1, np.int64),
        np.zeros(words, np.uint64),
        np.zeros(10, np.int64),
    )
    copy_items(atoms, search.free[0])
    for edge in range(edges.shape[0]):
        grow(search, edges[edge])
    search.at[ENTERING] = 1
    search.at[UNIT] = 1
    search.at[EDGES_TRIED] = UNLIMITED
    search.at[NODES] = UNLIMITED
    return search


@kernel
def grow(search, edge):
    """Add an edge that the set at the current node misses; the caller has seen to the capacity."""
    position = search.at[EDGES]
    word, own = position >> 6, bit(position)
    copy_items(edge, search.edges[position])
    put_set(search.hit_by, position, edge)
    for depth in range(search.at[DEPTH] + 1):
        if own == ONE:  # a new word: other branches may have left bits in it
            search.uncovered[depth, word] = np.uint64(0)
            for chosen in range(depth):
                search.critical[depth, chosen, word] = np.uint64(0)
        search.uncovered[depth, word] |= own
    search.at[EDGES] = position + 1
    search.at[ENTERING] = 1


@kernel
def enlarge(search, edge_capacity, depth_capacity):
    """The same search with room for more edges or a longer path."""
    depths = search.uncovered.shape[0]
    larger = new_enumeration(search.edges[:0], search.members, edge_capacity, depth_capacity)
    copy_lines(search.edges, 0, search.edges.shape[0], larger.edges, 0)
    copy_lines(search.hit_by, 0, search.hit_by.shape[0], larger.hit_by, 0)
    copy_lines(search.uncovered, 0, depths, larger.uncovered, 0)
    for depth in range(depths):
        copy_lines(search.critical[depth], 0, depths, larger.critical[depth], 0)
    copy_lines(search.free, 0, depths, larger.free, 0)
    copy_lines(search.branches, 0, depths, larger.branches, 0)
    copy_items(search.chosen, larger.chosen)
    copy_items(search.members, larger.members)
    copy_items(search.at, larger.at)
    return larger


@kernel
def with_edge(search, edge):
    """The search with one more edge, which the set at the current node misses."""
    if search.at[EDGES] == search.edges.shape[0]:
        search = enlarge(search, 2 * search.edges.shape[0], search.chosen.shape[0] - 1)
    grow(search, edge)
    return search


@kernel
def free_atoms_of(search, edge, depth):
    """How many atoms of an edge may still be chosen."""
    count = 0
    for w in range(search.members.shape[0]):
        count += bit_count(search.edges[edge, w] & search.free[depth, w])
    return count


@kernel
def scarcest_edge(search, depth):
    """The uncovered edge with the fewest free atoms; -1 where every edge is covered."""
    best, fewest, left = -1, search.members.shape[0] * 64 + 1, search.at[EDGES_TRIED]
    for word in range((search.at[EDGES] + 63) >> 6):
        rest = search.uncovered[depth, word]
        while rest:
            edge = (word << 6) + lowest_bit(rest)
            rest &= rest - ONE
            count = free_atoms_of(search, edge, depth)
            if count < fewest:
                best, fewest = edge, count
                if count <= 1:
                    return best
            left -= 1
            if left == 0:
                return best
    return best


@kernel
def open_branches(search, depth, edge):
    """Branch on the free atoms of an edge: each is free again only after it was tried."""
    for w in range(search.members.shape[0]):
        atoms = edge[w] & search.free[depth, w]
        search.branches[depth, w] = atoms
        search.free[depth, w] &= ~atoms


@kernel
def unit_is_used(members, atom, unit):
    """Whether the set has an atom of the same unit."""
    first = atom - atom % unit
    used = False
    for other in range(first, min(first + unit, members.shape[0] * 64)):
        used |= has(members, other)
    return used


@kernel
def close_costly(search, depth, max_size):
    """Close the branches that would make the set too large."""
    unit = search.at[UNIT]
    if size_of(search.members, unit) < max_size:
        return
    for w in range(search.members.shape[0]):
        rest = search.branches[depth, w]
        while rest:
            lowest = rest & (~rest + ONE)
            if not unit_is_used(search.members, w * 64 + lowest_bit(rest), unit):
                search.branches[depth, w] ^= lowest
                search.at[CUT] = 1
            rest ^= lowest


@kernel
def close_branches(search, depth):
    for w in range(search.members.shape[0]):
        search.branches[depth, w] = np.uint64(0)


@kernel
def has_own_edge(search, depth, position):
    """Whether there is an edge that only the atom chosen at this position hits."""
    some = np.uint64(0)
    for word in range((search.at[EDGES] + 63) >> 6):
        some |= search.critical[depth, position, word]
    return some != 0


@kernel
def is_minimal(search, stops):
    """Whether a leaf is minimal: that of a POD may have an atom without an own edge, and not be excused."""
    depth, excused = search.at[DEPTH], True
    for position in range(depth if of_pods(stops) else 0):
        if not has_own_edge(search, depth, position):
            excused &= is_beside_unequal(search.members, search.chosen[position])
            excused &= count_lones(search.chosen, depth, search.members) > 0
    return excused


@kernel
def stays_minimal(search, depth, atom, stops):
    """Whether each chosen atom keeps the edge that it needs when `atom` is added; fills the next depth."""
    edge_words = (search.at[EDGES] + 63) >> 6
    for position in range(depth):
        some = np.uint64(0)
        for word in range(edge_words):
            own = search.critical[depth, position, word] & ~search.hit_by[atom, word]
            search.critical[depth + 1, position, word] = own
            some |= own
        if some == 0 and not (
            of_pods(stops) and needs_no_edge(search, depth, search.chosen[position], atom, stops.ordered)
        ):
            return False
    for word in range(edge_words):
        missed = search.uncovered[depth, word]
        search.critical[depth + 1, depth, word] = missed & search.hit_by[atom, word]
        search.uncovered[depth + 1, word] = missed & ~search.hit_by[atom, word]
    return True


@kernel
def own_edges(search, depth, place):
    """How many edges only the atom at a place of the set hits."""
    count = 0
    for word in range((search.at[EDGES] + 63) >> 6):
        count += bit_count(search.critical[depth, place, word])
    return count


@kernel
def contains_stop(members, stops, atom):
    """Whether the set contains a stop; only those with the atom that was added last can be new."""
    for stop in range(stops.first[atom], stops.first[atom + 1]):
        if is_subset(stops.sets[stop], members):
            return True
    return False


@kernel
def next_branch(search, depth):
    """The next atom to try at this depth, -1 where none is left."""
    for w in range(search.members.shape[0]):
        atoms = search.branches[depth, w]
        if atoms:
            search.branches[depth, w] = atoms & (atoms - ONE)
            return w * 64 + lowest_bit(atoms)
    return -1


@kernel
def enter(search, depth, atom, stops):
    """Go down to the child with an atom that is a member already."""
    for w in range(search.members.shape[0]):
        search.free[depth + 1, w] = search.free[depth, w]
    search.chosen[depth] = atom
    search.at[DEPTH] = depth + 1
    search.at[ENTERING] = 1
    if of_pods(stops):
        close_other_lones(search.free[depth + 1], search.members, atom, stops.ordered)


@kernel
def descend(search, depth, stops):
    """Go to the next child that can still lead to a minimal set; False where there is none left."""
    atom = next_branch(search, depth)
    while atom >= 0:
        word, own = atom >> 6, bit(atom)
        search.members[word] |= own
        if not contains_stop(search.members, stops, atom) and stays_minimal(search, depth, atom, stops):
            enter(search, depth, atom, stops)
            search.free[depth, word] |= own
            return True
        search.free[depth, word] |= own
        search.members[word] ^= own
        atom = next_branch(search, depth)
    return False


@kernel
def choose(search, atom, stops):
    """Go down to the set with one more atom, given by the caller; False if no minimal set contains it."""
    depth = search.at[DEPTH]
    put(search.members, atom)
    if contains_stop(search.members, stops, atom) or not stays_minimal(search, depth, atom, stops):
        return False
    enter(search, depth, atom, stops)
    return has_own_edge(search, depth + 1, depth) or (
        of_pods(stops) and needs_no_edge(search, depth, atom, atom, stops.ordered)
    )


@kernel
def ascend(search, depth):
    search.at[DEPTH] = depth - 1
    search.at[SHALLOWEST] = min(search.at[SHALLOWEST], depth - 1)
    if depth > 0:
        atom = search.chosen[depth - 1]
        search.members[atom >> 6] ^= bit(atom)


@kernel
def advance(search, stops, max_size, halt):
    """Go on to the next set that hits every edge: LEAF (the current node), DONE, TOO_DEEP, PAUSED or INNER.

    After TOO_DEEP the caller makes room with `enlarge` and calls again. A halt counts as DONE. PAUSED comes
    only where a number of nodes was set. A search that is watched stops at INNER nodes too: the caller may
    close their branches.
    """
    search.at[SHALLOWEST] = search.at[DEPTH]
    while search.at[DEPTH] >= 0 and halt[0] == 0:
        depth = search.at[DEPTH]
        if search.at[NODES] == 0:
            return PAUSED
        search.at[NODES] -= 1
        if search.at[ENTERING]:
            edge = scarcest_edge(search, depth)
            lones = count_lones(search.chosen, depth, search.members) if of_pods(stops) else 0
            may_grow = depth < max_size or search.at[UNIT] > 1
            if (edge >= 0 or lones > 1) and may_grow and depth + 1 == search.chosen.shape[0]:
                return TOO_DEEP
            search.at[ENTERING] = 0
            close_branches(search, depth)
            if edge < 0 and lones < 2:
                return LEAF
            if lones > 1 and edge < 0:
                open_branches(
                    search, depth, partners_of_lones(search.chosen, depth, search.members, stops.ordered)
                )
            elif may_grow:
                open_branches(search, depth, search.edges[edge])
                if depth >= max_size:
                    close_costly(search, depth, max_size)
                if search.at[WATCHED]:
                    return INNER
            elif free_atoms_of(search, edge, depth) > 0:
                search.at[CUT] = 1
        if not descend(search, depth, stops):
            ascend(search, depth)
    return DONE


@kernel
def index_stops(sets):
    """List the sets under each of their atoms. (An empty set is no stop: nothing would be left.)"""
    words = sets.shape[1]
    first = np.zeros(words * 64 + 1, np.int64)
    for k in range(sets.shape[0]):
        for w in range(words):
            rest = sets[k, w]
            while rest:
                first[w * 64 + lowest_bit(rest) + 1] += 1
                rest &= rest - ONE
    for atom in range(words * 64):
        first[atom + 1] += first[atom]
    listed = np.empty((first[-1], words), np.uint64)
    place = first.copy()
    for k in range(sets.shape[0]):
        for w in range(words):
            rest = sets[k, w]
            while rest:
                atom = w * 64 + lowest_bit(rest)
                copy_items(sets[k], listed[place[atom]])
                place[atom] += 1
                rest &= rest - ONE
    return Stops(listed, first, np.empty(0, np.bool_))
