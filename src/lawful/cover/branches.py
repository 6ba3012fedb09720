"""All minimal hitting sets of fixed edges, branch by branch.

A branch holds the sets that have some atoms and lack some others. Within it an edge matters only by its
atoms that are still free, and not at all if it has two of the chosen ones; so many edges become the same, and
the parts are less work than the whole. To split takes time too, so a branch is split only if its search does
not end soon.

Edges are closed under exchanging the two rows, and so are the results. A branch whose chosen and free atoms
are closed too has, for an atom `a` and its mirror image `b`, sets with `a` alone, with `b` alone, with both
and with none. Those with `b` alone are the mirror images of those with `a` alone: they are not looked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lawful.arrays import with_line
from lawful.cover.atoms import NOT_EQUAL, OF_PREDICATES, canonical_sets
from lawful.cover.lones import Stops, StopsOfPods
from lawful.cover.mmcs import (
    CUT,
    DONE,
    EDGES_TRIED,
    LEAF,
    NODES,
    PAUSED,
    TOO_DEEP,
    UNIT,
    UNLIMITED,
    Bounds,
    advance,
    choose,
    enlarge,
    index_stops,
    is_minimal,
    new_enumeration,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import ONE, Words, bit_count, bit_set, distinct_lines, lowest_bit, members_of, put, size_of

SHORT_SEARCH, LONG_SEARCH = (
    20_000,
    100_000,
)  # nodes within which a search ends that is not worth sharing, or splitting
MANY_UNITS = 64
ENOUGH_EDGES = 128  # uncovered edges among which to look for the scarcest: there may be 100,000


@dataclass(frozen=True)
class Branch:
    """A part of the search: sets with the chosen atoms and any of the free ones."""

    edges: Words
    free: Words
    units: tuple[tuple[int, ...], ...]  # atoms to decide if it is split, those of a unit together
    chosen: tuple[int, ...] = ()
    symmetric: bool = True  # whether mirror images of its sets are found too, here or in another branch

    def members(self) -> Words:
        """The chosen atoms as a bit set."""
        return bit_set(np.array(self.chosen, np.int64), self.edges.shape[1])


@kernel
def restrict(edges, chosen, free):
    """The chosen and free atoms of each edge with at most one chosen atom; the others do not matter."""
    kept, left = np.empty(edges.shape, np.uint64), 0
    for k in range(edges.shape[0]):
        hits = 0
        for w in range(edges.shape[1]):
            hits += bit_count(edges[k, w] & chosen[w])
            kept[left, w] = edges[k, w] & (chosen[w] | free[w])
        left += hits <= 1
    return distinct_lines(kept[:left])


@kernel
def is_hopeless(edges, needy):
    """Whether nothing is to be found: an edge has no atom left, or an atom has no own one and needs it."""
    missing = needy.copy()
    for k in range(edges.shape[0]):
        some = np.uint64(0)
        for w in range(edges.shape[1]):
            some |= edges[k, w]
            missing[w] &= ~edges[k, w]
        if some == 0:
            return True
    return missing.any()


@kernel
def frequencies(edges):
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
def begin_branch(edges, free, chosen, stops):
    """A search at the node of the chosen atoms, and whether anything can be found below it."""
    usable = free.copy()  # the chosen ones too: whether they can come matters to each other
    for atom in chosen:
        put(usable, atom)
    search = new_enumeration(edges, usable, edges.shape[0], chosen.shape[0] + 8)
    search.at[UNIT], search.at[EDGES_TRIED] = OF_PREDICATES, ENOUGH_EDGES
    possible = True
    for atom in chosen:
        possible = possible and choose(search, atom, stops)
    return search, possible


@kernel
def more_sets(search, stops, bounds, nodes, halt):
    """The sets that a search meets on its next nodes; the search, its state and the sets."""
    sets, found, state = np.empty((16, search.members.shape[0]), np.uint64), 0, LEAF
    search.at[NODES] = nodes
    while state != DONE and state != PAUSED:
        state = advance(search, stops, bounds.most, halt)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF and size_of(search.members, search.at[UNIT]) >= bounds.least:
            sets = with_line(sets, found, search.members)
            found += is_minimal(search, stops)
    return search, state, sets[:found]


@kernel
def all_sets(edges, atoms, forbidden, bounds, halt):
    """All minimal hitting sets without a forbidden one in them, and whether bounds cut some off."""
    search = new_enumeration(edges, atoms, edges.shape[0], 8)
    search, _, sets = more_sets(search, index_stops(forbidden), bounds, UNLIMITED, halt)
    return sets, search.at[CUT] > 0


def root_branch(edges: Words, free: Words, mirror: Ints) -> Branch:
    """All sets. Pairs of mirrored atoms are decided first, the most frequent before the others."""
    often = frequencies(edges)
    atoms = sorted(members_of(free).tolist(), key=lambda atom: -int(often[atom]))
    pairs = [(atom, int(mirror[atom])) for atom in atoms if atom < mirror[atom]]
    return Branch(edges, free, (*pairs, *((atom,) for atom in atoms if atom == mirror[atom])))


def split(branch: Branch) -> list[Branch]:
    """Decide the next unit: which of its atoms are chosen."""
    unit = branch.units[0]
    ways = [(), unit] if len(unit) == 1 or branch.symmetric else [(), unit, unit[1:]]
    if len(unit) > 1:
        ways.append(unit[:1])
    free = branch.free & ~bit_set(np.array(unit), branch.edges.shape[1])
    return [
        Branch(
            branch.edges,
            free,
            branch.units[1:],
            (*branch.chosen, *way),
            branch.symmetric and len(way) in (0, len(unit)),
        )
        for way in ways
    ]


def branches_of(root: Branch, wanted: int) -> list[Branch]:
    """At least so many parts of a search, if it has any."""
    if len(root.units) > MANY_UNITS:
        return _by_edge(root)
    parts = [root]
    while len(parts) < wanted and parts[0].units:
        parts = [smaller for part in parts for smaller in split(part)]
    return parts


def _by_edge(root: Branch) -> list[Branch]:
    """The branches of one edge: each set is in that of the last of its atoms there.

    Where there are many atoms, most sets lack any given one: to decide one leaves nearly the whole search.
    Both of two mirrored sets are found here; the one that is not canonical is dropped, as in every branch
    that is symmetric.
    """
    sizes = np.bitwise_count(root.edges).sum(axis=1)
    atoms = members_of(root.edges[np.argmin(sizes)] & root.free if len(sizes) else root.free[:0])
    words = root.edges.shape[1]
    return [
        Branch(root.edges, root.free & ~bit_set(atoms[place:], words), (), (int(atom),))
        for place, atom in enumerate(atoms)
    ]


def sets_of(
    branch: Branch, stops: Stops | StopsOfPods, bounds: Bounds, mirror: Ints, halt: Ints
) -> Iterator[tuple[Words, bool]]:
    """The minimal hitting sets of a branch, one of each mirrored pair, and whether bounds cut some off."""
    members = branch.members()
    edges = branch.edges if halt[0] else restrict(branch.edges, members, branch.free)
    if halt[0] or is_hopeless(edges, _needy(branch, stops)):
        return
    if len({atom // OF_PREDICATES for atom in branch.chosen}) > bounds.most:
        yield edges[:0], True
        return
    branch = replace(branch, edges=edges)
    found = sets_found_soon(branch, stops, bounds, mirror, halt, LONG_SEARCH) if branch.units else None
    if found is not None:
        yield found
    elif branch.units:
        for part in split(branch):
            yield from sets_of(part, stops, bounds, mirror, halt)
    else:
        yield from (
            (found, cut) for found, cut, _ in _steps(branch, stops, bounds, mirror, halt, LONG_SEARCH)
        )


def _needy(branch: Branch, stops: Stops | StopsOfPods) -> Words:
    """The chosen atoms that surely need an edge of their own: not those of a POD beside a "not ="."""
    chosen = np.array(branch.chosen, np.int64)
    if isinstance(stops, StopsOfPods) and len(chosen):
        unequal = chosen - chosen % OF_PREDICATES + NOT_EQUAL
        strict = np.isin(unequal, members_of(branch.free | branch.members()))
        chosen = chosen[(chosen == unequal) | ~strict]
    return bit_set(chosen, branch.edges.shape[1])


def sets_found_soon(
    branch: Branch,
    stops: Stops | StopsOfPods,
    bounds: Bounds,
    mirror: Ints,
    halt: Ints,
    soon: int = SHORT_SEARCH,
) -> tuple[Words, bool] | None:
    """The same as one result, or None if the search does not end soon."""
    for found, cut, over in _steps(branch, stops, bounds, mirror, halt, soon):
        return (found, cut) if over else None
    return branch.edges[:0], False


def _steps(
    branch: Branch, stops: Stops | StopsOfPods, bounds: Bounds, mirror: Ints, halt: Ints, nodes: int
) -> Iterator[tuple[Words, bool, bool]]:
    """The sets, whether some are cut off, and whether that is all, each time so many nodes are visited."""
    chosen = np.array(branch.chosen, np.int64)
    search, possible = begin_branch(branch.edges, branch.free, chosen, stops)
    state = PAUSED if possible else DONE
    while state == PAUSED:
        search, state, found = more_sets(search, stops, bounds, nodes, halt)
        sets, kept = canonical_sets(found, mirror)
        yield sets[kept] if branch.symmetric else sets, bool(search.at[CUT]), state == DONE
