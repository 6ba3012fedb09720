"""Denial constraints refuted by pairs of rows.

A pair whose outcomes were not seen before is tried on all DCs: whatever brought it up, it refutes all that it
can.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES, Atoms, write_edge
from lawful.evidence.outcomes import EMPTY, insert, outcome_words, roomy, write_outcomes
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import Words, meet


class Trial(NamedTuple):
    """Some DCs and the pairs that refute them."""

    sets: Words
    found: Ints  # how many pairs each DC has
    pairs: npt.NDArray[np.int32]  # [DC, place, row]: the pairs that agree on the most comparisons
    agreeing: Ints  # [DC, place]: on how many


class Seen(NamedTuple):
    """The outcomes that were tried, as a set of lines."""

    slots: Words
    size: Ints  # [0]: how many
    line: Words  # space for one


@kernel
def new_seen(comparisons):
    words = outcome_words(comparisons)
    return Seen(np.zeros((EMPTY, words), np.uint64), np.zeros(1, np.int64), np.empty(words, np.uint64))


@kernel
def add_pair(trial, k, t, s, agreeing):
    """Give a DC one more pair; where it has enough, in place of the one that agrees least."""
    keep, at = trial.pairs.shape[1], trial.found[k]
    if at < keep:
        trial.found[k] += 1
    else:
        at = 0
        for other in range(1, keep):
            if trial.agreeing[k, other] < trial.agreeing[k, at]:
                at = other
        if trial.agreeing[k, at] >= agreeing:
            return
    trial.pairs[k, at, 0], trial.pairs[k, at, 1], trial.agreeing[k, at] = t, s, agreeing


@kernel
def comparisons_agreeing(line, comparisons):
    """On how many comparisons the outcome is equality."""
    equal = 0
    for k in range(comparisons):
        equal += (line[k >> 5] >> np.uint64(2 * (k & 31))) & np.uint64(3) == 0
    return equal


@kernel
def try_line(trial, line, comparisons, t, s):
    """Refute the DCs that a pair with these outcomes violates."""
    words, count = trial.sets.shape[1], comparisons.kind.shape[0]
    edge, agreeing = np.empty(words, np.uint64), comparisons_agreeing(line, count)
    write_edge(line, count, Atoms(OF_PREDICATES, ~np.zeros(words, np.uint64)), edge)
    for k in range(trial.sets.shape[0]):
        if not meet(trial.sets[k], edge):
            add_pair(trial, k, t, s, agreeing)


@kernel
def try_pair(trial, seen, ranks, comparisons, t, s):
    """Try a pair and its mirror image on all DCs unless their outcomes are known."""
    seen = Seen(roomy(seen.slots, seen.size[0], 2), seen.size, seen.line)
    for _ in range(2):
        write_outcomes(ranks, comparisons, t, s, seen.line)
        if insert(seen.slots, seen.line):
            seen.size[0] += 1
            try_line(trial, seen.line, comparisons, t, s)
        t, s = s, t
    return seen
