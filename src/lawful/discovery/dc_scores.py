"""How interesting a denial constraint is, between 0 and 1: the mean of succinctness and coverage (FASTDC).

Succinctness is 4 by the number of different symbols in the law, which are rows, columns and operators (`<`
and `>` count as one: each is the other read from the right): a law cannot do with fewer than four. Coverage
rates a pair of rows that satisfies k of the n predicates by (k + 1) / n and takes the mean over all pairs. No
pair satisfies all, so that is one n-th of one plus the sum, over the predicates, of the share of pairs that
satisfy each: exact shares of all rows are all it takes.
"""

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES
from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, IN_FIRST, IN_SECOND, UNEQUAL, Comparisons, Ints
from lawful.table.ranked import RankedRows
from lawful.validate.dc_literals import atoms_on
from lawful.words import Words, members_of

Shares = npt.NDArray[np.float64]

LEAST_SYMBOLS = 4.0


def shares_of(rows: RankedRows, comparisons: Comparisons, used: Ints) -> Shares:
    """For some comparisons the shares of pairs that are less, equal, greater and different without order."""
    shares = np.zeros((len(comparisons.kind), 4))
    if rows.count < 2:
        return shares
    for k in used.tolist():
        kind, left, right = comparisons.kind[k], comparisons.left[k], comparisons.right[k]
        own = _outcomes_of_rows(rows.ranks[left], rows.ranks[right])
        if kind == ACROSS:  # all pairs of rows, without those of a row with itself
            counted = _outcomes_of_pairs(rows.ranks[left], rows.ranks[right]) - own
            shares[k] = counted / (float(rows.count) * (rows.count - 1))
        else:
            shares[k] = own / rows.count
        if not comparisons.ordered[k]:
            shares[k] = 0, shares[k, 1], 0, shares[k, 0] + shares[k, 2] + shares[k, 3]
    return shares


def _outcomes_of_rows(left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]) -> Shares:
    known = (left >= 0) & (right >= 0)
    less, greater = (known & (left < right)).sum(), (known & (left > right)).sum()
    return np.array([less, known.sum() - less - greater, greater, (~known).sum()], np.float64)


def _outcomes_of_pairs(left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]) -> Shares:
    highest = int(max(left.max(initial=0), right.max(initial=0))) + 1
    lefts = np.bincount(left[left >= 0], minlength=highest).astype(np.float64)
    rights = np.bincount(right[right >= 0], minlength=highest).astype(np.float64)
    # No products of vectors: the threads of BLAS would go on spinning beside ours.
    equal, known = (lefts * rights).sum(), lefts.sum() * rights.sum()
    less = (lefts * (rights.sum() - np.cumsum(rights))).sum()
    return np.array([less, equal, known - equal - less, float(len(left)) * len(right) - known])


@kernel
def score_sets(sets, comparisons, shares, columns):
    """The score of each set of atoms."""
    scores = np.empty(sets.shape[0], np.float64)
    seen = np.full(columns, -1, np.int64)
    for k in range(sets.shape[0]):
        predicates, satisfied, symbols = 0, 0.0, 0
        rows, operators = 0, 0
        for c in range(comparisons.kind.shape[0]):
            excluded = atoms_on(sets[k], c, comparisons.ordered[c])
            if excluded == 0:
                continue
            predicates += 1
            for outcome in range(3):
                satisfied += shares[c, outcome] * (1 - (excluded >> outcome & 1))
            satisfied += shares[c, 3] * (excluded & UNEQUAL == 0)
            operators |= 1 << min(excluded, (excluded & 2) | (excluded & 1) << 2 | excluded >> 2)
            rows |= 1 if comparisons.kind[c] != IN_SECOND else 2
            rows |= 2 if comparisons.kind[c] != IN_FIRST else 1
            for column in (comparisons.left[c], comparisons.right[c]):
                symbols += seen[column] != k
                seen[column] = k
        for bit in range(8):
            symbols += ((operators >> bit) & 1) + ((rows >> bit) & 1)
        if predicates == 0:
            scores[k] = 1.0
        else:
            coverage = min((1.0 + satisfied) / predicates, 1.0)
            scores[k] = (coverage + min(LEAST_SYMBOLS / symbols, 1.0)) / 2
    return scores


def dc_scores(sets: Words, rows: RankedRows, comparisons: Comparisons) -> Shares:
    """The score of each of some denial constraints that hold."""
    used = np.unique(members_of(np.bitwise_or.reduce(sets, axis=0)) // OF_PREDICATES)
    scores: Shares = score_sets(sets, comparisons, shares_of(rows, comparisons, used), rows.columns)
    return scores
