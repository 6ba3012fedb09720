"""Disjoint pairs of rows that satisfy some literals, and how often they would satisfy others by chance.

A law without the literals on one column is broken by pairs of rows. Disjoint ones tell how much that column
has to do: after it is shuffled, none of them may satisfy the literals that were left out.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, UNEQUAL, Ints
from lawful.validate.dc_literals import atoms_on
from lawful.validate.dc_sides import excludes
from lawful.validate.edge_pairs import EdgePairs
from lawful.words import Words, has

FORTH, BACK = 1, 2  # the ways in which a pair of rows satisfies literals: as (t, s), as (s, t)
SHORT_TABLE = 5000  # rows up to which every row of a class is tried as a partner
NEIGHBOURS_TRIED = 64  # that are tried in longer tables
PARTNER_STRIDE = (
    1_000_003  # a prime: by how much partners that rows meet by chance lie farther away each time
)


@kernel
def literals_of(members, comparisons):
    """The literals of a set: lines of kind, left column, right column, atoms."""
    found, count = np.empty((comparisons.kind.shape[0], 4), np.int64), 0
    for k in range(comparisons.kind.shape[0]):
        atoms = atoms_on(members, k, comparisons.ordered[k])
        if atoms:
            found[count, 0], found[count, 1] = comparisons.kind[k], comparisons.left[k]
            found[count, 2], found[count, 3] = comparisons.right[k], atoms
            count += 1
    return found[:count]


@kernel
def satisfied(ranks, literals, t, s):
    """Whether a pair of rows satisfies all literals."""
    for k in range(literals.shape[0]):
        first = s if literals[k, 0] == IN_SECOND else t
        second = t if literals[k, 0] == IN_FIRST else s
        if excludes(literals[k, 3], ranks[literals[k, 1], first], ranks[literals[k, 2], second]):
            return False
    return True


@kernel
def ways_of(ranks, literals, t, s):
    """In which ways a pair of rows satisfies all literals; 0 in neither."""
    ways = FORTH | BACK
    for k in range(literals.shape[0]):
        kind, left, right, atoms = literals[k, 0], literals[k, 1], literals[k, 2], literals[k, 3]
        first, second = ranks[left, t], ranks[right, s]
        if kind != ACROSS:
            second = ranks[right, t]
            turned_first, turned_second = ranks[left, s], ranks[right, s]
            if kind == IN_SECOND:
                first, second, turned_first, turned_second = turned_first, turned_second, first, second
        elif left == right:
            turned_first, turned_second = second, first
        else:
            turned_first, turned_second = ranks[left, s], ranks[right, t]
        if excludes(atoms, first, second):
            ways &= BACK
        if excludes(atoms, turned_first, turned_second):
            ways &= FORTH
        if ways == 0:
            break
    return ways


@kernel
def are_twins(ranks, literals, t, s):
    """Whether two rows have the same values for all literals: each satisfies them with the same others."""
    for k in range(literals.shape[0]):
        left, right = literals[k, 1], literals[k, 2]
        if ranks[left, t] != ranks[left, s] or ranks[right, t] != ranks[right, s]:
            return False
    return True


@kernel
def match_rows(ranks, literals, rows, ends, reach, halt):
    """Pairs of rows of one class, disjoint, that satisfy the literals: lines of t, s, and which ways.

    Whom a row has not satisfied them with need not be tried with its twin that follows it.
    """
    pairs, found, start = np.empty((rows.shape[0] // 2 + 1, 3), np.int64), 0, 0
    after = np.arange(1, rows.shape[0] + 2)  # of each row the next one that is left
    for k in range(ends.shape[0]):
        i, twin, before, j = start, -1, start, start
        while i < ends[k] and halt[0] == 0:
            last = min(ends[k], i + 1 + reach)
            if twin < 0 or j <= i or not are_twins(ranks, literals, rows[twin], rows[i]):
                before, j = i, after[i]
            while j < last:
                ways = ways_of(ranks, literals, rows[i], rows[j])
                if ways:
                    pairs[found, 0], pairs[found, 1], pairs[found, 2] = rows[i], rows[j], ways
                    j = after[before] = after[j]
                    found += 1
                    break
                before, j = j, after[j]
            twin, i = i, after[i]
        start = ends[k]
    return pairs[:found]


@kernel
def has_disjoint_pairs(ranks, literals, most, rounds):
    """Whether more than so many disjoint pairs of rows that satisfy the literals are soon met.

    In each round every row meets another one. It may be so although it is not found.
    """
    count, found = ranks.shape[1], 0
    met = np.zeros(count, np.bool_)
    for k in range(rounds if count > 1 else 0):
        step = 1 + k * PARTNER_STRIDE % (count - 1)
        for t in range(count):
            s = t + step if t + step < count else t + step - count
            if not met[t] and not met[s] and satisfied(ranks, literals, t, s):
                met[t], met[s] = True, True
                found += 1
        if found > most:
            return True
    return False


@kernel
def match_listed(first, pairs, mirror, edges, rows):
    """What `match_rows` finds in one class of all rows, if the pairs that satisfy the literals are listed.

    They are those of a set of edges, as in `lawful.validate.edge_pairs`.
    """
    position, starts = np.empty(rows.shape[0], np.int64), np.zeros(rows.shape[0] + 2, np.int64)
    for place in range(rows.shape[0]):
        position[rows[place]] = place
    for edge in range(mirror.shape[0]):
        if is_listed(edges, mirror, edge):
            for at in range(first[edge], first[edge + 1]):
                starts[min(position[pairs[at, 0]], position[pairs[at, 1]]) + 2] += 1
    for place in range(rows.shape[0]):
        starts[place + 2] += starts[place + 1]
    partners = np.empty((starts[rows.shape[0] + 1], 2), np.int32)
    for edge in range(mirror.shape[0]):
        if is_listed(edges, mirror, edge):
            forth, back = has(edges, edge), has(edges, mirror[edge])
            for at in range(first[edge], first[edge + 1]):
                t, s = position[pairs[at, 0]], position[pairs[at, 1]]
                place = starts[min(t, s) + 1]
                starts[min(t, s) + 1] += 1
                ways = FORTH * int(forth if t < s else back) | BACK * int(back if t < s else forth)
                partners[place, 0], partners[place, 1] = max(t, s), ways
    return first_partners(rows, starts, partners)


@kernel
def count_pairs(first, pairs, mirror, edges):
    """How many pairs a set of edges has."""
    count = 0
    for edge in range(mirror.shape[0]):
        if is_listed(edges, mirror, edge):
            count += first[edge + 1] - first[edge]
    return count


@kernel
def is_listed(edges, mirror, edge):
    """Whether an edge has the pairs of some edges: its own or those of its mirror image."""
    return edge <= mirror[edge] and (has(edges, edge) or has(edges, mirror[edge]))


@kernel
def first_partners(rows, starts, partners):
    """Give each row, one after the other, the first of its partners that is left."""
    taken, found = np.zeros(rows.shape[0], np.bool_), 0
    pairs = np.empty((rows.shape[0] // 2 + 1, 3), np.int64)
    for place in range(rows.shape[0]):
        best, ways = rows.shape[0], 0
        for at in range(starts[place], starts[place + 1] if not taken[place] else starts[place]):
            if partners[at, 0] < best and not taken[partners[at, 0]]:
                best, ways = partners[at, 0], partners[at, 1]
        if best < rows.shape[0]:
            pairs[found, 0], pairs[found, 1], pairs[found, 2] = rows[place], rows[best], ways
            taken[place], taken[best] = True, True
            found += 1
    return pairs[:found]


@kernel
def allows(ranks, literals, column, value, t, s, role):
    """Whether a value of the column in row t (role IN_FIRST) or s meets the literals with other columns."""
    for k in range(literals.shape[0]):
        kind, left, right, atoms = literals[k, 0], literals[k, 1], literals[k, 2], literals[k, 3]
        if left == right:
            continue
        first = IN_SECOND if kind == IN_SECOND else IN_FIRST
        second = IN_FIRST if kind == IN_FIRST else IN_SECOND
        x, y = ranks[left, t if first == IN_FIRST else s], ranks[right, t if second == IN_FIRST else s]
        if left == column and first == role and excludes(atoms, value, y):
            return False
        if right == column and second == role and excludes(atoms, x, value):
            return False
    return True


@kernel
def weigh_values(ranks, literals, column, values, shares, t, s, role, out):
    """Write the share of each value where it meets the literals with other columns, else 0."""
    for v in range(values.shape[0]):
        met = allows(ranks, literals, column, values[v], t, s, role)
        out[v] = shares[v] if met else 0.0


@kernel
def share_of(firsts, seconds, excluded, missing):
    """The share of draws of two values, weighed, whose comparison is not excluded.

    The last value stands for all NULLs that equal nothing where `missing`.
    """
    total, seen, known = 0.0, 0.0, firsts.shape[0] - missing
    of_known = 0.0
    for v in range(known):
        of_known += seconds[v]
    for v in range(known):
        less, greater = of_known - seen - seconds[v], seen
        allowed = 0.0
        if excluded & 1 == 0:
            allowed += less
        if excluded & 2 == 0:
            allowed += seconds[v]
        if excluded & 4 == 0:
            allowed += greater
        total += firsts[v] * max(allowed, 0.0)
        seen += seconds[v]
    if missing and excluded & 5 == 0:
        of_first = 0.0
        for v in range(known):
            of_first += firsts[v]
        total += firsts[known] * (of_known + seconds[known]) + of_first * seconds[known]
    return total


@kernel
def share_beside(values, sums, atoms, turned, fixed):
    """The share of draws that satisfy a literal with a fixed value; `sums` are the shares before each value.

    The last of them is the share of values that have an order. The draw stands left unless `turned`.
    """
    if fixed < 0:
        return 0.0 if atoms & UNEQUAL else 1.0
    place = np.searchsorted(values, fixed)
    known, below = sums[values.shape[0]], sums[place]
    same = sums[place + 1] - below if place < values.shape[0] and values[place] == fixed else 0.0
    above, share = known - below - same, 0.0 if atoms & UNEQUAL else 1.0 - known
    share += 0.0 if atoms & LESS else (above if turned else below)
    share += 0.0 if atoms & EQUAL else same
    return share + (0.0 if atoms & GREATER else (below if turned else above))


@kernel
def shares_beside(ranks, literal, column, pairs, values, shares):
    """For each pair of rows: how often a value drawn for the column would satisfy a literal with another."""
    kind, left, right, atoms = literal
    sums, found = np.zeros(values.shape[0] + 1), np.zeros(pairs.shape[0])
    for v in range(values.shape[0]):
        sums[v + 1] = sums[v] + shares[v]
    turned = right == column
    other, role = (
        (left, IN_SECOND if kind == IN_SECOND else IN_FIRST)
        if turned
        else (
            right,
            IN_FIRST if kind == IN_FIRST else IN_SECOND,
        )
    )
    for k in range(pairs.shape[0]):
        for way in (FORTH, BACK):
            if pairs[k, 2] & way:
                row = pairs[k, 0] if (role == IN_FIRST) == (way == FORTH) else pairs[k, 1]
                share = share_beside(values, sums, atoms, turned, ranks[other, row])
                found[k] = max(found[k], min(max(share, 0.0), 1.0))
    return found


@kernel
def shares_of_pairs(ranks, literals, column, pairs, values, shares, missing):
    """For each pair of rows: how often two values drawn for the column would satisfy the literals."""
    if literals.shape[0] == 1 and literals[0, 1] != literals[0, 2]:
        known = values.shape[0] - missing
        return shares_beside(ranks, literals[0], column, pairs, values[:known], shares[:known])
    own = 0
    for k in range(literals.shape[0]):
        if literals[k, 1] == literals[k, 2]:
            own = literals[k, 3]
    found = np.empty(pairs.shape[0])
    weights = np.empty((4, values.shape[0]))
    for k in range(pairs.shape[0]):
        t, s, ways = pairs[k, 0], pairs[k, 1], pairs[k, 2]
        weigh_values(ranks, literals, column, values, shares, t, s, IN_FIRST, weights[0])
        weigh_values(ranks, literals, column, values, shares, t, s, IN_SECOND, weights[1])
        weigh_values(ranks, literals, column, values, shares, s, t, IN_FIRST, weights[2])
        weigh_values(ranks, literals, column, values, shares, s, t, IN_SECOND, weights[3])
        share = 0.0
        if ways & FORTH:
            share = share_of(weights[0], weights[1], own, missing)
        if ways & BACK:
            share = max(share, share_of(weights[2], weights[3], own, missing))
        found[k] = min(max(share, 0.0), 1.0)
    return found


@kernel
def class_ends(ranks, columns, rows):
    """Where the classes of rows end that agree on some columns; rows come sorted by them.

    A NULL that equals nothing ends its class: it is in no pair that agrees.
    """
    ends, count = np.empty(rows.shape[0], np.int64), 0
    for i in range(1, rows.shape[0] + 1):
        same = i < rows.shape[0]
        if same:
            for column in columns:
                rank = ranks[column, rows[i]]
                same &= rank >= 0 and rank == ranks[column, rows[i - 1]]
        if not same:
            ends[count] = i
            count += 1
    return ends[:count]


class Satisfying(NamedTuple):
    """The pairs of rows that satisfy some literals: those of a set of edges."""

    pairs: EdgePairs
    edges: Words


def disjoint_pairs(
    ranks: npt.NDArray[np.int32],
    literals: Ints,
    beside: Ints,
    halt: Ints,
    satisfying: Satisfying | None = None,
) -> Ints:
    """Disjoint pairs of rows that satisfy literals: lines of t, s, and which ways.

    Rows are sorted by the columns of the literals, and by some beside them: so the pairs do not depend on who
    numbered the rows, and in long tables, where only neighbours are tried, these have the most in common.
    `satisfying`, of a table that is not long, changes nothing: it saves looking for these pairs.
    """
    same = (literals[:, 0] == ACROSS) & (literals[:, 1] == literals[:, 2]) & (literals[:, 3] == UNEQUAL)
    context = literals[same, 1]
    others = np.setdiff1d(np.append(literals[:, 1:3], beside), context)
    keys = [ranks[column] for column in (*others[::-1], *context[::-1])]
    count = ranks.shape[1]
    rows = np.lexsort(keys) if keys else np.arange(count)
    if satisfying is not None:
        first, listed, mirror = satisfying.pairs
        matched: Ints = match_listed(first, listed, mirror, satisfying.edges, rows)
        return matched
    ends = class_ends(ranks, context, rows)
    found: Ints = match_rows(
        ranks, literals, rows, ends, count if count <= SHORT_TABLE else NEIGHBOURS_TRIED, halt
    )
    return found
