"""All minimal hitting sets of fixed edges, branch by branch.

A branch holds the sets that have some atoms and lack some others. Within it an edge matters only by its
atoms that are still free, and not at all if it has two of the chosen ones; so many edges become the same, and
the parts are less work than the whole.

Edges are closed under exchanging the two rows, and so are the results. A branch whose chosen and free atoms
are closed too has, for an atom `a` and its mirror image `b`, sets with `a` alone, with `b` alone, with both
and with none. Those with `b` alone are the mirror images of those with `a` alone: they are not looked for.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from lawful.arrays import with_line
from lawful.cover.atoms import canonical_sets
from lawful.cover.search import (
    CUT,
    DONE,
    LEAF,
    PATIENCE,
    TOO_DEEP,
    UNIT,
    Stops,
    advance,
    choose,
    contains_stop,
    enlarge,
    new_search,
    size_of,
)
from lawful.cover.sets import distinct_sets
from lawful.evidence.comparisons import Ints, Words, bit_set
from lawful.kernels import bit_count, kernel, lowest_bit

ONE = np.uint64(1)
EDGES_A_BRANCH = 1000  # branches with fewer edges are not worth splitting
ENOUGH_EDGES = 128  # uncovered edges among which to look for the scarcest: there may be 100,000
SETS_AT_ONCE = 10_000  # sets after which a branch tells what it has found


@dataclass(frozen=True)
class Branch:
    """A part of the search: sets with the chosen atoms and any of the free ones."""

    chosen: tuple[int, ...]
    free: Words
    edges: Words  # as far as they matter here
    decided: int = 0  # how many of the units are decided
    symmetric: bool = True  # whether chosen and free atoms are closed under exchanging the rows


@dataclass(frozen=True)
class Bounds:
    """Which sets are wanted: those with atoms of `least` to `most` units."""

    unit: int
    most: int
    least: int = 0


@kernel
def restrict(edges, chosen, free):  # type: ignore[no-untyped-def]
    """The chosen and free atoms of each edge with at most one chosen atom; the others do not matter."""
    kept, left = np.empty(edges.shape, np.uint64), 0
    for k in range(edges.shape[0]):
        hits = 0
        for w in range(edges.shape[1]):
            hits += bit_count(edges[k, w] & chosen[w])
            kept[left, w] = edges[k, w] & (chosen[w] | free[w])
        left += hits <= 1
    return distinct_sets(kept[:left])


@kernel
def is_hopeless(edges, chosen):  # type: ignore[no-untyped-def]
    """Whether nothing is to be found: an edge has no atom left, or a chosen atom has no edge of its own."""
    missing = chosen.copy()
    for k in range(edges.shape[0]):
        some = np.uint64(0)
        for w in range(edges.shape[1]):
            some |= edges[k, w]
            missing[w] &= ~edges[k, w]
        if some == 0:
            return True
    return missing.any()


@kernel
def frequencies(edges):  # type: ignore[no-untyped-def]
    """In how many edges each atom is."""
    found = np.zeros(edges.shape[1] * 64, np.int64)
    for k in range(edges.shape[0]):
        for w in range(edges.shape[1]):
            rest = edges[k, w]
            while rest:
                found[w * 64 + lowest_bit(rest)] += 1
                rest &= rest - ONE
    return found


@kernel
def begin_branch(edges, free, chosen, stops, unit):  # type: ignore[no-untyped-def]
    """A search at the node of the chosen atoms, and whether anything can be found below it."""
    search = new_search(edges, free, edges.shape[0], chosen.shape[0] + 8)
    search.at[UNIT], search.at[PATIENCE] = unit, ENOUGH_EDGES
    possible = True
    for atom in chosen:
        possible = possible and choose(search, atom) and not contains_stop(search.members, stops, atom)
    return search, possible


@kernel
def more_sets(search, stops, most, least, limit, halt):  # type: ignore[no-untyped-def]
    """Up to `limit` further sets; the search, and whether it is over."""
    sets, found, state = np.empty((16, search.members.shape[0]), np.uint64), 0, LEAF
    while state != DONE and found < limit:
        state = advance(search, stops, most, halt)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF and size_of(search.members, search.at[UNIT]) >= least:
            sets = with_line(sets, found, search.members)
            found += 1
    return search, state == DONE, sets[:found]


def units_of(edges: Words, free: Words, mirror: Ints) -> list[tuple[int, ...]]:
    """What a search decides one after the other: pairs of mirrored atoms first, the most frequent first."""
    bits = np.unpackbits(free.view(np.uint8), bitorder="little")
    often = frequencies(edges)
    atoms = sorted(np.flatnonzero(bits).tolist(), key=lambda atom: -int(often[atom]))
    pairs = [(atom, int(mirror[atom])) for atom in atoms if atom < mirror[atom]]
    return [*pairs, *((atom,) for atom in atoms if atom == mirror[atom])]


def branches_of(edges: Words, free: Words, mirror: Ints, wanted: int) -> list[Branch]:
    """Cut a search into about so many branches, those with most edges first."""
    units, number = units_of(edges, free, mirror), count()
    wanted = min(wanted, len(edges) // EDGES_A_BRANCH)
    done: list[Branch] = []
    queue = [(-len(edges), next(number), Branch((), free, edges))]
    while queue and len(queue) + len(done) < wanted:
        _, _, branch = heapq.heappop(queue)
        parts = _split(branch, units) if branch.decided < len(units) else [branch]
        for part in parts:
            if part.decided < len(units):
                heapq.heappush(queue, (-len(part.edges), next(number), part))
            else:
                done.append(part)
    return sorted([*done, *(branch for _, _, branch in queue)], key=lambda branch: -len(branch.edges))


def _split(branch: Branch, units: Sequence[tuple[int, ...]]) -> list[Branch]:
    """Decide the next unit: which of its atoms are chosen."""
    unit = units[branch.decided]
    if len(unit) == 1:
        ways: list[tuple[int, ...]] = [(), unit]
    else:
        ways = [(), unit, unit[:1], *([] if branch.symmetric else [unit[1:]])]
    words = branch.edges.shape[1]
    free = branch.free & ~bit_set(np.array(unit), words)
    parts = []
    for way in ways:
        chosen = (*branch.chosen, *way)
        members = bit_set(np.array(chosen, np.int64), words)
        edges = restrict(branch.edges, members, free)
        if not is_hopeless(edges, members):
            symmetric = branch.symmetric and len(way) in (0, len(unit))
            parts.append(Branch(chosen, free, edges, branch.decided + 1, symmetric))
    return parts


def sets_of(
    branch: Branch, stops: Stops, bounds: Bounds, mirror: Ints, halt: Ints
) -> Iterator[tuple[Words, bool]]:
    """The minimal hitting sets of a branch, one of each mirrored pair, and whether bounds cut some off."""
    chosen = np.array(branch.chosen, np.int64)
    search, possible = begin_branch(branch.edges, branch.free, chosen, stops, bounds.unit)
    if possible and len({atom // bounds.unit for atom in branch.chosen}) > bounds.most:
        yield branch.free[:0].reshape(0, len(branch.free)), True
        return
    over = not possible
    while not over:
        search, over, found = more_sets(search, stops, bounds.most, bounds.least, SETS_AT_ONCE, halt)
        sets, kept = canonical_sets(found, mirror)
        yield sets[kept] if branch.symmetric else sets, bool(search.at[CUT])
