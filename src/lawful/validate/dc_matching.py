"""Disjoint pairs of rows that satisfy some literals.

A law without the literals on one column is broken by pairs of rows. Disjoint ones tell how much that column
has to do: after it is shuffled, none of them may satisfy the literals that were left out.
"""

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import excludes
from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, IN_FIRST, IN_SECOND, UNEQUAL, Flags, Ints
from lawful.validate.dc_literals import atoms_on
from lawful.validate.pair_blocks import BACK, FORTH, PARTNERS_A_BLOCK, may_meet, partner_blocks, ways_to_meet

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
def next_left(after, place):
    """The first place from one on that is left; those that are gone lead to later ones."""
    while after[place] != place:
        after[place] = after[after[place]]
        place = after[place]
    return place


@kernel
def match_rows(ranks, literals, rows, ends, reach, enough, halt):
    """Pairs of rows of one class, disjoint, that satisfy the literals: lines of t, s, and which ways.

    It ends when there are enough. Whom a row has not satisfied them with need not be tried with its twin that
    follows it.
    """
    pairs, found, start = np.empty((rows.shape[0] // 2 + 1, 3), np.int64), 0, 0
    blocks, after = partner_blocks(ranks, literals, rows), np.arange(rows.shape[0] + 1)
    for k in range(ends.shape[0]):
        i, twin, j = next_left(after, start), -1, start
        while i < ends[k] and found < enough and halt[0] == 0:
            last, block = min(ends[k], i + 1 + reach), -1
            if twin < 0 or j <= i or not are_twins(ranks, literals, rows[twin], rows[i]):
                j = i + 1
            after[i] = i + 1
            j = next_left(after, j)
            while j < last:
                if j // PARTNERS_A_BLOCK != block:
                    block = j // PARTNERS_A_BLOCK
                    if not may_meet(ranks, blocks, rows[i], block, FORTH | BACK):
                        j = next_left(after, min((block + 1) * PARTNERS_A_BLOCK, last))
                        continue
                ways = ways_to_meet(ranks, blocks, rows[i], rows[j], FORTH | BACK)
                if ways:
                    pairs[found, 0], pairs[found, 1], pairs[found, 2] = rows[i], rows[j], ways
                    after[j] = j + 1
                    found += 1
                j = next_left(after, j + 1)
                if ways:
                    break
            twin, i = i, next_left(after, i)
        start = ends[k]
    return pairs[:found]


@kernel
def rows_of_pairs(ranks, literals, rows, ends, pairs):
    """Which rows of classes satisfy literals with others, given disjoint pairs to which none can be added."""
    found, matched, start = np.zeros(ranks.shape[1], np.bool_), np.zeros(ranks.shape[1], np.bool_), 0
    for k in range(pairs.shape[0]):
        matched[pairs[k, 0]] = matched[pairs[k, 1]] = True
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        for row in some:
            found[row] |= matched[row]
            for other in some[: some.shape[0] if matched[row] else 0]:
                found[other] = found[other] or ways_of(ranks, literals, row, other) != 0
        start = ends[k]
    return found


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


def are_equalities(literals: Ints) -> Flags:
    """Which literals say that rows are equal on a column, as all rows of a class are."""
    equal: Flags = (
        (literals[:, 0] == ACROSS) & (literals[:, 1] == literals[:, 2]) & (literals[:, 3] == UNEQUAL)
    )
    return equal


def disjoint_pairs(
    ranks: npt.NDArray[np.int32], literals: Ints, beside: Ints, halt: Ints, enough: int
) -> Ints:
    """Disjoint pairs of rows that satisfy literals, as many as are enough: lines of t, s, and which ways.

    Rows are sorted by the columns of the literals, and by some beside them: so the pairs do not depend on who
    numbered the rows, and in long tables, where only neighbours are tried, these have the most in common.
    """
    same = are_equalities(literals)
    context = literals[same, 1]
    others = np.setdiff1d(np.append(literals[:, 1:3], beside), context)
    keys = [ranks[column] for column in (*others[::-1], *context[::-1])]
    count = ranks.shape[1]
    rows = np.lexsort(keys) if keys else np.arange(count)
    ends = class_ends(ranks, context, rows)
    found: Ints = match_rows(
        ranks, literals[~same], rows, ends, count if count <= SHORT_TABLE else NEIGHBOURS_TRIED, enough, halt
    )
    return found
