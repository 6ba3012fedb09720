"""The pairs of rows that break laws, one of them new: a new row's candidates by an index, then all literals.

Laws that fetch the same candidates are probed for together, as IncPOD shares its indexes. Candidates are fetched
twice for a row: as the second row of a pair and as the first.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import with_room
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Flags, Ints
from lawful.validate.chain_search import fetch, fetch_others
from lawful.validate.chains import CHAINS
from lawful.validate.dc_literals import UNEQUAL
from lawful.validate.probe_literals import IN_A_WORD
from lawful.words import Words

# How candidates are fetched: two order literals by chains, the same value or another one by value lists, all rows
BY_ORDER, BY_VALUE, BY_DIFFERENCE, BY_SCAN = 0, 1, 2, 3
WAY, RIGHT_RISES, LEFT_STRICT, RIGHT_STRICT = 0, 1, 2, 3  # where a group has what
FIRST, SECOND, NUMBER = 0, 1, 2  # columns of what is found
SEARCHES, CANDIDATES = 0, 1  # what is counted


class LawGroup(NamedTuple):
    """Laws that fetch the same candidates."""

    path: Ints  # the way and, by order, whether the right column rises with the left one, which are strict
    numbers: Ints  # [law]
    turned: Flags  # [law]: t and s are exchanged, so that the left column rises
    sets: Words  # [law, word]: the outcomes that its literals exclude
    common: Ints  # lines of column, excluded outcomes: literals of all these laws, those first that say most
    columns: Ints  # of their literals


@kernel
def keep_passing(column, excluded, t, rows, count):
    """Keep the rows s for which no outcome of (t, s) on a column is excluded; returns how many."""
    kept, x = 0, column[t]
    equal, less, greater = excluded & EQUAL == 0, excluded & LESS == 0, excluded & GREATER == 0
    for k in range(count):
        y = column[rows[k]]
        rows[kept] = rows[k]
        if (x | y) < 0:
            kept += less and greater
        else:
            kept += equal if x == y else less if x < y else greater
    return kept


@kernel
def partners(ranks, group, t, second, is_new, alive, candidates, count, rows):
    """Write the candidates that pass what all laws of a group ask of t as the first or `second` row."""
    kept = 0
    for k in range(count):
        s = candidates[k]
        rows[kept] = s
        kept += alive[s] and s != t and not (second and is_new[s])  # of two new rows each is the first once
    for k in range(group.common.shape[0]):
        excluded = group.common[k, 1]
        if second:
            excluded = (excluded & LESS) << 2 | excluded & EQUAL | excluded >> 2
        kept = keep_passing(ranks[group.common[k, 0]], excluded, t, rows, kept)
    return kept


@kernel
def outcome_mask(x, y):
    """The outcome of two ranks as a mask; a difference without order is both."""
    if (x | y) < 0:
        return UNEQUAL
    return EQUAL if x == y else LESS if x < y else GREATER


@kernel
def write_masks(ranks, columns, first, second, line):
    """Write the outcomes of a pair on some columns."""
    for w in range(line.shape[0]):
        line[w] = np.uint64(0)
    for k in range(columns.shape[0]):
        column = columns[k]
        mask = np.uint64(outcome_mask(ranks[column, first], ranks[column, second]))
        line[column // IN_A_WORD] |= mask << np.uint64(3 * (column % IN_A_WORD))


@kernel
def breaks(sets, k, line):
    """Whether a pair with these outcomes satisfies all literals of law k."""
    excluded = np.uint64(0)
    for w in range(line.shape[0]):
        excluded |= sets[k, w] & line[w]
    return excluded == 0


@kernel
def note(group, k, first, second, found, used):
    """Write a pair that breaks a law behind those found; returns the found ones, perhaps with more room."""
    found = with_room(found, used[0], 1)
    turned = group.turned[k]
    found[used[0], FIRST] = second if turned else first
    found[used[0], SECOND] = first if turned else second
    found[used[0], NUMBER] = group.numbers[k]
    used[0] += 1
    return found


@kernel
def judge(ranks, group, first, second, line, left, found, used):
    """Note the laws of a group that a pair breaks, of which `left` more pairs are wanted."""
    if group.numbers.shape[0] > 1:
        write_masks(ranks, group.columns, first, second, line)
    for k in range(group.numbers.shape[0]):
        if left[k] > 0 and (group.numbers.shape[0] == 1 or breaks(group.sets, k, line)):
            found = note(group, k, first, second, found, used)
            left[k] -= 1
            used[1] += left[k] == 0
    return found


@kernel
def candidates_of(ranks, rows, chains, path, row, rises, near, candidates):
    """Write the rows that a row may break laws with, as the first of a pair or (not `rises`) the second."""
    way = path[WAY]
    if way == BY_SCAN:
        for s in range(rows):
            candidates[s] = s
        return rows
    if way == BY_DIFFERENCE:
        return fetch_others(ranks, chains, row, near, candidates)
    if way == BY_VALUE:
        return fetch(ranks, chains, row, (True, False), (False, False), near, candidates)
    right_rises = (path[RIGHT_RISES] == 1) == rises
    stricts = (path[LEFT_STRICT] == 1, path[RIGHT_STRICT] == 1)
    return fetch(ranks, chains, row, (rises, right_rises), stricts, near, candidates)


@kernel
def probe(ranks, chains, group, new_rows, is_new, alive, most, work):
    """Lines of first row, second row, law: pairs with a new row that break a law, at most so many of each."""
    rows, laws = alive.shape[0], group.numbers.shape[0]
    found, used = np.empty((16, 3), np.int64), np.zeros(2, np.int64)  # pairs, laws with enough of them
    candidates, passing = np.empty(rows, np.int32), np.empty(rows, np.int32)
    line, left = np.empty(group.sets.shape[1], np.uint64), np.full(laws, most)
    near, count = np.zeros(chains.used[CHAINS], np.int64), np.int64(0)
    for i in range(new_rows.shape[0]):
        t = new_rows[i]
        for second in range(2):
            if not alive[t] or used[1] == laws:
                break
            if second == 0 or group.path[WAY] == BY_ORDER:
                count = candidates_of(ranks, rows, chains, group.path, t, second == 0, near, candidates)
                work[SEARCHES] += chains.used[CHAINS]
            work[CANDIDATES] += count
            kept = partners(ranks, group, t, second == 1, is_new, alive, candidates, count, passing)
            for k in range(kept):
                s = passing[k]
                first, other = (s, t) if second else (t, s)
                found = judge(ranks, group, first, other, line, left, found, used)
    return found[: used[0]]
