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
import numpy.typing as npt

from lawful.arrays import with_line
from lawful.cover.atoms import NOT_EQUAL, OF_PREDICATES
from lawful.cover.lones import is_lone
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Ints
from lawful.words import ONE, Words, bit, has, lowest_bit, members_of

Bits = npt.NDArray[np.float64]

UNEQUAL = LESS | GREATER


class LiteralSpace(NamedTuple):
    """All literals that laws may have."""

    atoms: Words  # [literal, word]
    hits: Words  # [literal, word]: the edges that it hits
    hit_by: Words  # [atom, word]: the edges that an atom hits
    comparison: Ints  # [literal]
    excluded: Ints  # [literal]: the outcomes that its atoms exclude
    alike: Words  # [comparison, word]: the edges whose rows are equal there
    edges: Words  # all of them, as a set
    differences: int  # literals `!=` that a law may have: of a POD one


class Worth(NamedTuple):
    """The pairs of rows behind the edges, and what pairs can be worth at most, in bits."""

    first: Ints  # [edge]: where its pairs start, unless those are listed with its mirror image
    pairs: npt.NDArray[np.int32]  # [place, 2]: rows t and s
    mirror: Ints  # [edge]: the edge of the same pairs with t and s exchanged
    columns: Ints  # [comparison, 2]
    equality: Bits  # [column, pairs]: that so many pairs are equal
    difference: Bits  # [column, pairs]: that they are not
    across: Bits  # [literal, pairs]: that so many do not satisfy a literal of two columns


@kernel
def most_bits(literals, worth, literal, equal, unequal):
    """What a literal can be worth at most, if it excludes so many pairs that are equal there, or are not."""
    last, excluded = worth.equality.shape[1] - 1, literals.excluded[literal]
    column, other = worth.columns[literals.comparison[literal]]
    if column != other:
        return worth.across[literal, min(equal + unequal, last)]
    equal, unequal = min(equal, last), min(unequal, last)
    if excluded == EQUAL:
        return worth.equality[column, equal]
    if excluded == UNEQUAL:
        return worth.difference[column, unequal]
    if excluded & EQUAL:
        return unequal + worth.equality[column, equal]
    return unequal + worth.difference[column, unequal]


@kernel
def see(seen, side, row):
    """Mark a row as seen in this count; 1 if it is new."""
    if seen[side, row] == seen[4, 0]:
        return 0
    seen[side, row] = seen[4, 0]
    return 1


@kernel
def may_be_worth(edges, literals, worth, literal, wanted, seen, patience):
    """Whether the pairs of a set of edges may give a literal the bits that are wanted.

    There are at most as many disjoint pairs as different rows t, and as different rows s.
    """
    alike, judged = literals.alike[literals.comparison[literal]], 1
    seen[4, 0] += 1
    patience[0] -= edges.shape[0]
    equal_t, equal_s, unequal_t, unequal_s = 0, 0, 0, 0
    for w in range(edges.shape[0]):
        rest = edges[w]
        while rest:
            place = lowest_bit(rest)
            edge = (w << 6) + place
            rest &= rest - ONE
            other = worth.mirror[edge]
            if other < edge and (edges[other >> 6] >> np.uint64(other & 63)) & ONE:
                continue
            listed, turned = min(edge, other), int(other < edge)
            equal = (alike[w] >> np.uint64(place)) & ONE != 0
            patience[0] -= worth.first[listed + 1] - worth.first[listed]
            for at in range(worth.first[listed], worth.first[listed + 1]):
                t, s = worth.pairs[at, turned], worth.pairs[at, 1 - turned]
                if equal:
                    equal_t += see(seen, 0, t)
                    equal_s += see(seen, 1, s)
                else:
                    unequal_t += see(seen, 2, t)
                    unequal_s += see(seen, 3, s)
            equals, unequals = min(equal_t, equal_s), min(unequal_t, unequal_s)
            if equals + unequals >= judged:  # not with every edge: to judge takes longer than to count
                judged = equals + unequals + 1 + (equals + unequals) // 4
                if most_bits(literals, worth, literal, equals, unequals) >= wanted:
                    return True
    return False


@kernel
def only_hit_by(literals, chosen, count, which, edges):
    """Write the edges that none of the chosen literals but one hits."""
    for w in range(edges.shape[0]):
        edges[w] = literals.edges[w]
    for k in range(count):
        if k != which:
            for w in range(edges.shape[0]):
                edges[w] &= ~literals.hits[chosen[k], w]


@kernel
def all_may_be_worth(literals, worth, chosen, count, wanted, edges, seen, patience):
    """Whether each of the chosen literals has pairs enough that only it can exclude."""
    for k in range(count - 1, -1, -1):
        patience[0] -= count * edges.shape[0]
        only_hit_by(literals, chosen, count, k, edges)
        if not may_be_worth(edges, literals, worth, chosen[k], wanted, seen, patience):
            return False
    return True


@kernel
def is_worth_it(literals, worth, chosen, count, wanted, edges, seen, patience):
    """Whether a law may be worth what is wanted.

    Of two columns, each compared with itself, it does not matter which is shuffled: one must be worth it.
    """
    if count == 2:
        first, second = literals.comparison[chosen[0]], literals.comparison[chosen[1]]
        own = worth.columns[first, 0] == worth.columns[first, 1]
        if own and worth.columns[second, 0] == worth.columns[second, 1]:
            for k in range(2):
                patience[0] -= 2 * edges.shape[0]
                only_hit_by(literals, chosen, 2, k, edges)
                if may_be_worth(edges, literals, worth, chosen[k], wanted, seen, patience):
                    return True
            return False
    return all_may_be_worth(literals, worth, chosen, count, wanted, edges, seen, patience)


@kernel
def needs_all(literals, members):
    """Whether each atom of a set hits an edge that no other one hits.

    An order atom beside "not =" need not where the law would have too many `!=` without it.
    """
    lones = 0
    for atom in range(NOT_EQUAL, members.shape[0] * 64 - 1, OF_PREDICATES):
        lones += has(members, atom) and is_lone(members, atom)
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            atom = w * 64 + lowest_bit(rest)
            rest &= rest - ONE
            needed = lones >= literals.differences and makes_lone(members, atom)
            if not needed and not needs(literals, members, atom):
                return False
    return True


@kernel
def makes_lone(members, atom):
    """Whether a literal becomes `!=` without an atom."""
    unequal = atom - atom % OF_PREDICATES + NOT_EQUAL
    return atom != unequal and has(members, unequal) and not has(members, 2 * unequal - atom)


@kernel
def needs(literals, members, atom):
    """Whether an atom of a set hits an edge that no other one hits."""
    for v in range(literals.hit_by.shape[1]):
        own = literals.hit_by[atom, v]
        for w in range(members.shape[0]):
            rest = members[w] if own else np.uint64(0)
            while rest:
                other = w * 64 + lowest_bit(rest)
                rest &= rest - ONE
                if other != atom:
                    own &= ~literals.hit_by[other, v]
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
def finish(literals, worth, path, depth, banned, wanted, spare, seen, patience, sets, found):
    """Add the sets that one more literal completes; returns the sets and how many there are."""
    members, uncovered = np.empty(literals.atoms.shape[1], np.uint64), path.uncovered[depth]
    for literal in range(banned.shape[0]):
        if hits_all(literals.hits[literal], uncovered) and is_free(
            literals, banned, path.chosen, depth, literal
        ):
            path.chosen[depth] = literal
            patience[0] -= spare.shape[0]
            for w in range(members.shape[0]):
                members[w] = literals.atoms[literal, w]
                for k in range(depth):
                    members[w] |= literals.atoms[path.chosen[k], w]
            if needs_all(literals, members) and is_worth_it(
                literals, worth, path.chosen, depth + 1, wanted, spare, seen, patience
            ):
                sets = with_line(sets, found, members)
                found += 1
    return sets, found


@kernel
def sets_from(literals, worth, root, size, wanted, most, halt):
    """The sets of some size whose first literal is the root, whether patience sufficed, and what is left.

    The root is one of those that hit the first edge; those before it are banned. Patience counts the literals
    that are tried, and the words of edges and the pairs of rows that are looked at.
    """
    count, words = literals.hits.shape
    path = LiteralPath(
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros((size + 1, words), np.uint64),
    )
    patience = np.array([most])
    banned, spare = np.zeros(count, np.int64), np.empty(words, np.uint64)
    seen = np.zeros((5, worth.equality.shape[1] * 2 + 1), np.int64)
    sets, found, depth = np.empty((16, literals.atoms.shape[1]), np.uint64), 0, 1
    for literal in range(root):
        banned[literal] = has(literals.hits[literal], 0)
    path.chosen[0] = root
    for w in range(words):
        path.uncovered[1, w] = literals.edges[w] & ~literals.hits[root, w]
    path.edge[1] = first_edge(path.uncovered[1])
    if (path.edge[1] < 0) != (size == 1):
        return sets[:0], True, most
    if size == 1:
        return literals.atoms[root : root + 1], True, most
    while depth > 0 and halt[0] == 0:
        patience[0] -= count
        if patience[0] < 0:
            return sets[:found], False, 0
        if depth == size - 1:
            sets, found = finish(
                literals, worth, path, depth, banned, wanted, spare, seen, patience, sets, found
            )
            depth -= 1
        else:
            depth = step(literals, worth, path, depth, size, banned, wanted, spare, seen, patience)
    return sets[:found], True, patience[0]


@kernel
def step(literals, worth, path, depth, size, banned, wanted, spare, seen, patience):
    """Go down to the next literal that may lead to a law, or up; returns the new depth."""
    literal = path.next[depth]
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
    for w in range(spare.shape[0]):
        path.uncovered[depth + 1, w] = path.uncovered[depth, w] & ~literals.hits[literal, w]
    path.edge[depth + 1] = first_edge(path.uncovered[depth + 1])
    path.next[depth + 1] = 0
    hopeful = path.edge[depth + 1] >= 0
    if hopeful and depth + 2 < size:  # else the last literal is found in less time than this takes
        hopeful = all_may_be_worth(literals, worth, path.chosen, depth + 1, wanted, spare, seen, patience)
    return depth + 1 if hopeful else depth


@kernel
def are_hopeful(literals, worth, sets, wanted, halt):
    """Which sets of atoms, all of them laws, may be worth what is wanted of each."""
    numbers = np.full((literals.alike.shape[0], 8), -1)
    for literal in range(literals.atoms.shape[0]):
        comparison = literals.comparison[literal]
        numbers[comparison, atoms_of(literals.atoms[literal], comparison)] = literal
    hopeful, chosen = np.zeros(sets.shape[0], np.bool_), np.empty(numbers.shape[0], np.int64)
    spare, patience = np.empty(literals.edges.shape[0], np.uint64), np.zeros(1, np.int64)
    seen = np.zeros((5, worth.equality.shape[1] * 2 + 1), np.int64)
    for k in range(sets.shape[0]):
        if halt[0] != 0:
            break
        count = 0
        for comparison in range(numbers.shape[0]):
            atoms = atoms_of(sets[k], comparison)
            if atoms:
                chosen[count] = numbers[comparison, atoms]
                count += 1
        hopeful[k] = is_worth_it(literals, worth, chosen, count, wanted[k], spare, seen, patience)
    return hopeful


@kernel
def atoms_of(members, comparison):
    """Which atoms of a comparison are in a set, as three bits."""
    atoms = 0
    for which in range(OF_PREDICATES):
        atoms |= int(has(members, OF_PREDICATES * comparison + which)) << which
    return atoms


@kernel
def edges_by_atom(edges):
    """For each atom the set of the edges that it hits."""
    hit_by = np.zeros((edges.shape[1] * 64, (edges.shape[0] + 63) // 64), np.uint64)
    for k in range(edges.shape[0]):
        for w in range(edges.shape[1]):
            rest = edges[k, w]
            while rest:
                hit_by[w * 64 + lowest_bit(rest), k >> 6] |= bit(k)
                rest &= rest - ONE
    return hit_by


def hitting(hit_by: Words, atoms: Words) -> Words:
    """The edges that each of some literals hits."""
    hits = np.zeros((len(atoms), hit_by.shape[1]), np.uint64)
    for literal, members in enumerate(atoms):
        hits[literal] = np.bitwise_or.reduce(hit_by[members_of(members)], axis=0)
    return hits


def roots(literals: LiteralSpace) -> Ints:
    """The literals that hit the first edge."""
    return np.flatnonzero(literals.hits[:, 0] & ONE)
