"""Denial constraints all of whose literals have work to do, of one size at a time.

A law is worth bits if pairs enough of rows break it without any one of its literals. The pairs that only one
literal excludes get fewer with every literal that is added, and so does what they can be worth at best: the
search cuts where that is not enough. It chooses literals whole, a comparison with its operator, because the
last one of a law must exclude all that is left: most candidates for it fail at the first few edges, so that
sizes of a few literals are searched to the end where there are millions of sets of atoms on the way.

Branches go by an edge that is not hit yet: one of the literals that hit it must be chosen, and those tried
before are banned from the branches after them, so that each set is met once.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import with_line
from lawful.cover.atoms import NOT_EQUAL, OF_PREDICATES
from lawful.cover.literal_worth import (
    EDGE_STRIDE,
    JOINED_AT_ONCE,
    LiteralSpace,
    all_may_be_worth,
    is_worth_it,
    new_spare,
    new_tally,
)
from lawful.cover.lones import is_lone
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, Ints
from lawful.words import ONE, Words, has, lowest_bit, members_into, members_of

TRIED = 64  # edges, so far from each other, that tell which literals may be the last of a law


@kernel
def needs_all(literals, members):
    """Whether each atom of a set hits an edge that no other one hits.

    An order atom beside "not =" need not where the law would have too many `!=` without it.
    """
    lones, atoms = 0, np.empty(members.shape[0] * 64, np.int64)
    atoms = atoms[: members_into(members, atoms)]
    for atom in atoms:
        lones += is_lone(members, atom)
    for atom in atoms:
        needed = lones >= literals.differences and makes_lone(members, atom)
        if not needed and not needs(literals, atoms, atom):
            return False
    return True


@kernel
def makes_lone(members, atom):
    """Whether a literal becomes `!=` without an atom."""
    unequal = atom - atom % OF_PREDICATES + NOT_EQUAL
    return atom != unequal and has(members, unequal) and not has(members, 2 * unequal - atom)


@kernel
def needs(literals, atoms, atom):
    """Whether one of some atoms hits an edge that no other one hits."""
    for v in range(literals.hit_by.shape[1]):
        own = literals.hit_by[atom, v]
        for other in atoms:
            own &= ~literals.hit_by[other, v] if other != atom else own
        if own:
            return True
    return False


@kernel
def hits_all(hits, edges):
    """Whether a literal hits all of some edges."""
    for w in range(edges.shape[0]):
        if edges[w] & ~hits[w]:
            return False
    return True


@kernel
def first_edge(edges):
    """The first of a set of edges, -1 if it is empty."""
    for w in range(edges.shape[0]):
        if edges[w]:
            return w * 64 + lowest_bit(edges[w])
    return -1


class LiteralPath(NamedTuple):
    """Where the search stands: arrays by depth."""

    chosen: Ints
    edge: Ints  # that the literal chosen next must hit
    next: Ints  # the literal to try next
    uncovered: Words
    last: Words  # the literals that may be the last one: one set


@kernel
def unban(banned, depth):
    """Allow the literals again that were banned at a depth."""
    for literal in range(banned.shape[0]):
        if banned[literal] == depth + 1:
            banned[literal] = 0


@kernel
def is_free(literals, banned, chosen, depth, literal):
    """Whether a literal may be added to the path."""
    free, differences = banned[literal] == 0, 1
    for k in range(depth):
        free &= literals.comparison[chosen[k]] != literals.comparison[literal]
        differences += literals.excluded[chosen[k]] == EQUAL
    return free and (differences <= literals.differences or literals.excluded[literal] != EQUAL)


@kernel
def find_last(uncovered, hits, hitters, last, patience):
    """Write the literals that may hit all edges which another one leaves; whether there are any.

    They hit some of these edges, far from each other.
    """
    place, tried, some = 0, 0, True
    for v in range(last.shape[0]):
        last[v] = ~np.uint64(0)
    for _ in range(uncovered.shape[0]):
        place = (place + EDGE_STRIDE) % uncovered.shape[0]
        rest = uncovered[place] & ~hits[place]
        if rest:
            edge, left = (place << 6) + lowest_bit(rest), np.uint64(0)
            for v in range(last.shape[0]):
                last[v] &= hitters[edge, v]
                left |= last[v]
            tried, some = tried + 1, left != 0
        if not some or tried == TRIED:
            break
    patience[0] -= tried * last.shape[0]
    return some


@kernel
def finish(literals, worth, hitters, path, depth, banned, wanted, spare, tally, patience, sets, found):
    """Add the sets that one more literal completes; returns the sets and how many there are."""
    members, uncovered = np.empty(literals.atoms.shape[1], np.uint64), path.uncovered[depth]
    before = path.chosen[depth - 1]
    find_last(path.uncovered[depth - 1], literals.hits[before], hitters, path.last, patience)
    for literal in range(banned.shape[0]):
        if (
            has(path.last, literal)
            and is_free(literals, banned, path.chosen, depth, literal)
            and hits_all(literals.hits[literal], uncovered)
        ):
            path.chosen[depth] = literal
            patience[0] -= uncovered.shape[0]
            for w in range(members.shape[0]):
                members[w] = literals.atoms[literal, w]
                for k in range(depth):
                    members[w] |= literals.atoms[path.chosen[k], w]
            if needs_all(literals, members) and is_worth_it(
                literals, worth, path.chosen, depth + 1, wanted, spare, tally, patience
            ):
                sets = with_line(sets, found, members)
                found += 1
    return sets, found


@kernel
def sets_from(literals, worth, hitters, root, size, wanted, most, halt):
    """The sets of some size whose first literal is the root, whether patience sufficed, and what is left.

    The root is one of those that hit the first edge; those before it are banned. `hitters` has for each edge
    the literals that hit it. Patience counts the literals that are tried, and the words of edges and the
    pairs of rows that are looked at.
    """
    count, words = literals.hits.shape
    path = LiteralPath(
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros((size + 1, words), np.uint64),
        np.zeros(hitters.shape[1], np.uint64),
    )
    patience = np.array([most])
    banned, spare = np.zeros(count, np.int64), new_spare(literals, worth)
    tally = new_tally(worth.alike.shape[1])
    sets, found, depth = np.empty((16, literals.atoms.shape[1]), np.uint64), 0, 1
    for literal in range(root):
        banned[literal] = has(literals.hits[literal], 0)
    path.chosen[0] = root
    for w in range(words):
        path.uncovered[0, w] = literals.edges[w]
        path.uncovered[1, w] = literals.edges[w] & ~literals.hits[root, w]
    path.edge[1] = first_edge(path.uncovered[1])
    if (path.edge[1] < 0) != (size == 1):
        return sets[:0], True, most
    if size == 1:
        return literals.atoms[root : root + 1], True, most
    while depth > 0 and halt[0] == 0:
        if patience[0] < 0:
            return sets[:found], False, 0
        if depth == size - 1:
            patience[0] -= count // JOINED_AT_ONCE
            sets, found = finish(
                literals, worth, hitters, path, depth, banned, wanted, spare, tally, patience, sets, found
            )
            depth -= 1
        else:
            depth = step(literals, worth, hitters, path, depth, size, banned, wanted, spare, tally, patience)
    return sets[:found], True, patience[0]


@kernel
def step(literals, worth, hitters, path, depth, size, banned, wanted, spare, tally, patience):
    """Go down to the next literal that may lead to a law, or up; returns the new depth."""
    literal = path.next[depth]
    patience[0] -= banned.shape[0] - literal if literal == 0 else 1
    if literal > 0:  # the one before is done
        banned[literal - 1] = depth + 1 if banned[literal - 1] == 0 else banned[literal - 1]
    while literal < banned.shape[0]:
        if has(literals.hits[literal], path.edge[depth]) and is_free(
            literals, banned, path.chosen, depth, literal
        ):
            break
        literal += 1
    path.next[depth] = literal + 1
    if literal == banned.shape[0]:
        unban(banned, depth)
        path.next[depth] = 0
        return depth - 1
    path.chosen[depth] = literal
    left = path.uncovered[depth]
    if depth + 2 == size and not find_last(left, literals.hits[literal], hitters, path.last, patience):
        return depth
    patience[0] -= left.shape[0] // JOINED_AT_ONCE
    for w in range(left.shape[0]):
        path.uncovered[depth + 1, w] = path.uncovered[depth, w] & ~literals.hits[literal, w]
    path.edge[depth + 1] = first_edge(path.uncovered[depth + 1])
    path.next[depth + 1] = 0
    hopeful = path.edge[depth + 1] >= 0
    if hopeful and depth + 2 < size:  # else the last literal is found in less time than this takes
        hopeful = all_may_be_worth(literals, worth, path.chosen, depth + 1, wanted, spare, tally, patience)
    return depth + 1 if hopeful else depth


def hitting(hit_by: Words, atoms: Words) -> Words:
    """The edges that each of some literals hits."""
    hits = np.zeros((len(atoms), hit_by.shape[1]), np.uint64)
    for literal, members in enumerate(atoms):
        hits[literal] = np.bitwise_or.reduce(hit_by[members_of(members)], axis=0)
    return hits


def roots(literals: LiteralSpace) -> Ints:
    """The literals that hit the first edge."""
    return np.flatnonzero(literals.hits[:, 0] & ONE)
