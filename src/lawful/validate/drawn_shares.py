"""How often values that are drawn by chance would satisfy literals: shares of all draws.

Values come in order with their shares, those that equal nothing last.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, UNEQUAL
from lawful.validate.pair_blocks import BACK, FORTH


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


class Draws(NamedTuple):
    """Values that are drawn, and the sums of their shares."""

    values: npt.NDArray[np.int64]  # those that have an order
    before: npt.NDArray[np.float64]  # [place]: the share of the values before it
    pairs: npt.NDArray[np.float64]  # [place]: of those, two at a time, the second at most the first
    squares: npt.NDArray[np.float64]  # [place]: of those, two at a time, equal
    missing: float  # the share of those that equal nothing


class Spans(NamedTuple):
    """Values that a cell may have, as disjoint spans of places."""

    ends: npt.NDArray[np.int64]  # [span, 2]: where it starts and where it ends
    spare: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]  # [0]: of spans; [1]: whether it may be one of those that equal nothing


@kernel
def draws_of(values, shares, missing):
    """Values as they are drawn; the last one stands for those that equal nothing where `missing`."""
    known = values.shape[0] - missing
    before, pairs, squares = np.zeros(known + 1), np.zeros(known + 1), np.zeros(known + 1)
    for v in range(known):
        before[v + 1] = before[v] + shares[v]
        pairs[v + 1] = pairs[v] + shares[v] * before[v + 1]
        squares[v + 1] = squares[v] + shares[v] * shares[v]
    return Draws(values[:known], before, pairs, squares, shares[known] if missing else 0.0)


@kernel
def new_spans(literals):
    """Room for what so many literals leave."""
    room = literals.shape[0] + 2
    return Spans(np.empty((room, 2), np.int64), np.empty((room, 2), np.int64), np.zeros(2, np.int64))


@kernel
def leave_out(spans, start, end):
    """Leave the places from one to another out."""
    ends, spare, kept = spans.ends, spans.spare, 0
    for k in range(spans.sizes[0] if start < end else 0):
        first, last = ends[k]
        if first < min(last, start):
            spare[kept, 0], spare[kept, 1] = first, min(last, start)
            kept += 1
        if max(first, end) < last:
            spare[kept, 0], spare[kept, 1] = max(first, end), last
            kept += 1
    if start < end:
        ends[:kept], spans.sizes[0] = spare[:kept], kept


@kernel
def write_allowed(ranks, literals, column, draws, t, s, role, spans):
    """Write the values of the column in row t (role IN_FIRST) or s that meet the literals with others."""
    known = draws.values.shape[0]
    spans.ends[0, 0], spans.ends[0, 1] = 0, known
    spans.sizes[0], spans.sizes[1] = int(known > 0), 1
    for k in range(literals.shape[0]):
        kind, left, right, atoms = literals[k, 0], literals[k, 1], literals[k, 2], literals[k, 3]
        first = IN_SECOND if kind == IN_SECOND else IN_FIRST
        second = IN_FIRST if kind == IN_FIRST else IN_SECOND
        if left == right or role != (first if left == column else second):
            continue
        other, beside = (right, second) if left == column else (left, first)
        fixed = ranks[other, t if beside == IN_FIRST else s]
        spans.sizes[1] &= atoms & UNEQUAL == 0
        if fixed < 0:
            leave_out(spans, 0, known if atoms & UNEQUAL else 0)
            continue
        place = np.searchsorted(draws.values, fixed)
        after = place + int(place < known and draws.values[place] == fixed)
        leave_out(spans, 0, place if atoms & (LESS if left == column else GREATER) else 0)
        leave_out(spans, place, after if atoms & EQUAL else place)
        leave_out(spans, after, known if atoms & (GREATER if left == column else LESS) else after)


@kernel
def share_in_order(draws, a, b, c, d):
    """The share of draws of two values, of places from a to b and from c to d, the first being less."""
    first, last = max(a, c), max(min(b, d), max(a, c))
    share = max(draws.before[min(b, c)] - draws.before[a], 0.0) * (draws.before[d] - draws.before[c])
    within = (draws.before[last] - draws.before[first]) * draws.before[d]
    return share + max(within - (draws.pairs[last] - draws.pairs[first]), 0.0)


@kernel
def share_of_spans(draws, firsts, seconds, excluded):
    """The share of draws of two values, each from its spans, whose comparison is not excluded."""
    total, of_first, of_second = 0.0, 0.0, 0.0
    for k in range(seconds.sizes[0]):
        of_second += draws.before[seconds.ends[k, 1]] - draws.before[seconds.ends[k, 0]]
    for k in range(firsts.sizes[0]):
        a, b = firsts.ends[k]
        of_first += draws.before[b] - draws.before[a]
        for j in range(seconds.sizes[0] if excluded else 0):
            c, d = seconds.ends[j]
            if excluded & LESS == 0:
                total += share_in_order(draws, a, b, c, d)
            if excluded & GREATER == 0:
                total += share_in_order(draws, c, d, a, b)
            if excluded & EQUAL == 0 and max(a, c) < min(b, d):
                total += draws.squares[min(b, d)] - draws.squares[max(a, c)]
    if not excluded:
        total = of_first * of_second
    if excluded & UNEQUAL == 0:
        first, second = firsts.sizes[1] * draws.missing, seconds.sizes[1] * draws.missing
        total += first * (of_second + second) + of_first * second
    return total


@kernel
def shares_of_pairs(ranks, literals, column, pairs, values, shares, missing):
    """For each pair of rows: how often two values drawn for the column would satisfy the literals."""
    own, draws, found = 0, draws_of(values, shares, missing), np.zeros(pairs.shape[0])
    for k in range(literals.shape[0]):
        if literals[k, 1] == literals[k, 2]:
            own = literals[k, 3]
    firsts, seconds = new_spans(literals), new_spans(literals)
    for k in range(pairs.shape[0]):
        for way in (FORTH, BACK):
            if pairs[k, 2] & way:
                t, s = (pairs[k, 0], pairs[k, 1]) if way == FORTH else (pairs[k, 1], pairs[k, 0])
                write_allowed(ranks, literals, column, draws, t, s, IN_FIRST, firsts)
                write_allowed(ranks, literals, column, draws, t, s, IN_SECOND, seconds)
                share = share_of_spans(draws, firsts, seconds, own)
                found[k] = max(found[k], min(max(share, 0.0), 1.0))
    return found
