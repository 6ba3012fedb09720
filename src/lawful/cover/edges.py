"""Edges: what the evidence asks of a target's laws.

A target counts an evidence if its outcomes are those of a counter-example; the law must then contain one of
the atoms that exclude it (the *edge*).
"""

import numpy as np

from lawful.arrays import with_line
from lawful.cover.atoms import atoms_beside, write_edge
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, UNORDERED, mirrored_outcomes
from lawful.laws.targets import LEFT, LEFT_OUTCOMES, RIGHT, RIGHT_OUTCOMES
from lawful.words import ONE, bit_count, is_subset, lowest_bit

TRIED, WORTH_TAKING = 64, 16  # of so many edges one in so many must contain another, or none is looked for


@kernel
def contains_any(edge, edges, count):
    """Whether one of the first `count` edges is a subset of `edge`."""
    for k in range(count):
        if is_subset(edges[k], edge):
            return True
    return False


@kernel
def with_outcomes(table, comparison, outcomes, w):
    """The evidences of word w that have one of some outcomes on a comparison."""
    found = np.uint64(0)
    less, greater = table.less[comparison, w], table.greater[comparison, w]
    if outcomes & LESS:
        found |= less & ~greater
    if outcomes & EQUAL:
        found |= ~(less | greater)
    if outcomes & GREATER:
        found |= greater & ~less
    if outcomes & UNORDERED:
        found |= less & greater
    return found


mirrored = kernel(mirrored_outcomes)


@kernel
def mark_counted(table, target, counted):
    """Write the set of evidences that count for the target, as they are or as mirror images."""
    left, right = target[LEFT], target[RIGHT]
    for w in range(counted.shape[0]):
        as_is, exchanged = ~np.uint64(0), ~np.uint64(0)
        if left >= 0:
            as_is &= with_outcomes(table, left, target[LEFT_OUTCOMES], w)
            exchanged &= with_outcomes(table, left, mirrored(target[LEFT_OUTCOMES]), w)
        if right >= 0:
            as_is &= with_outcomes(table, right, target[RIGHT_OUTCOMES], w)
            exchanged &= with_outcomes(table, right, mirrored(target[RIGHT_OUTCOMES]), w)
        counted[w] = as_is | exchanged
    if table.lines.shape[0] & 63:
        counted[-1] &= (ONE << np.uint64(table.lines.shape[0] & 63)) - ONE


@kernel
def unmark_larger(table, edge, marked):
    """Take out of a set the evidences that differ wherever a given edge of columns asks for it.

    Returns how many these were.
    """
    kept = np.zeros(marked.shape[0], np.uint64)
    for w in range(edge.shape[0]):
        rest = edge[w]
        while rest:
            less, greater = table.less[w * 64 + lowest_bit(rest)], table.greater[w * 64 + lowest_bit(rest)]
            for v in range(marked.shape[0]):
                kept[v] |= ~(less[v] | greater[v])
            rest &= rest - ONE
    taken = 0
    for v in range(marked.shape[0]):
        taken += bit_count(marked[v] & ~kept[v])
        marked[v] &= kept[v]
    return taken


@kernel
def minimal_edges(table, target, atoms, most):
    """The minimal edges of a target over atoms of columns, and the atoms that its laws may use.

    The evidence must come with the fewest differing columns first. Where hardly any edge contains another,
    as on wide tables, larger ones stay: to look for them takes longer than they cost. If laws have no atom at
    `most`, the smallest edge tells all.
    """
    own = atoms_beside(atoms, target)
    words, comparisons = own.usable.shape[0], table.less.shape[0]
    edges, count = np.empty((16, words), np.uint64), 0
    edge, counted = np.empty(words, np.uint64), np.empty((table.lines.shape[0] + 63) // 64, np.uint64)
    mark_counted(table, target, counted)
    taken = 0
    for w in range(counted.shape[0]):
        while counted[w] and (most > 0 or count == 0):
            line = table.lines[w * 64 + lowest_bit(counted[w])]
            write_edge(line, comparisons, own, edge)
            if count < TRIED or WORTH_TAKING * taken >= count:
                taken += unmark_larger(table, edge, counted)
            else:
                counted[w] &= counted[w] - ONE
            edges = with_line(edges, count, edge)
            count += 1
    return edges[:count], own.usable
