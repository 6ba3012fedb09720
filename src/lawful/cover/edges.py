"""Edges: what the evidence asks of a target's laws.

A target counts an evidence if its signs are those of a counter-example; the law must then contain one of the
columns on which the pair differs (the *edge*).
"""

import numpy as np

from lawful.arrays import with_line
from lawful.kernels import kernel
from lawful.words import ONE, bit, lowest_bit


@kernel
def edge_of(less, greater, target, edge):
    """Write the columns on which the pair differs, without the target's own."""
    for w in range(edge.shape[0]):
        edge[w] = less[w] | greater[w]
    for side in range(2):
        column = target[side]
        if column >= 0:
            edge[column >> 6] &= ~bit(column)


@kernel
def contains_any(edge, edges, count):
    """Whether one of the first `count` edges is a subset of `edge`."""
    for k in range(count):
        inside = True
        for w in range(edge.shape[0]):
            if edges[k, w] & ~edge[w]:
                inside = False
                break
        if inside:
            return True
    return False


@kernel
def mark_counted(table, target, counted):
    """Write the set of evidences that count for the target."""
    left, right, direction = target[0], target[1], target[2]
    less, greater = table.less, table.greater
    for w in range(counted.shape[0]):
        if left < 0:
            counted[w] = ~np.uint64(0)
        elif right < 0:
            counted[w] = less[left, w] | greater[left, w]
        else:
            strict = (less[left, w] ^ greater[left, w]) & (less[right, w] ^ greater[right, w])
            opposite = less[left, w] ^ less[right, w]
            counted[w] = strict & (opposite if direction > 0 else ~opposite)
    if left < 0 and table.signs.shape[0] & 63:
        counted[-1] = (ONE << np.uint64(table.signs.shape[0] & 63)) - ONE


@kernel
def unmark_larger(table, edge, marked):
    """Take out of a set the evidences whose edges contain a given one."""
    kept = np.zeros(marked.shape[0], np.uint64)
    for w in range(edge.shape[0]):
        rest = edge[w]
        while rest:
            less, greater = table.less[w * 64 + lowest_bit(rest)], table.greater[w * 64 + lowest_bit(rest)]
            for v in range(marked.shape[0]):
                kept[v] |= ~(less[v] | greater[v])
            rest &= rest - ONE
    for v in range(marked.shape[0]):
        marked[v] &= kept[v]


@kernel
def minimal_edges(table, target):
    """The minimal edges of a target. The evidence must come with the fewest differing columns first."""
    words = table.signs.shape[1] // 2
    edges, count = np.empty((16, words), np.uint64), 0
    edge, counted = np.empty(words, np.uint64), np.empty((table.signs.shape[0] + 63) // 64, np.uint64)
    mark_counted(table, target, counted)
    for w in range(counted.shape[0]):
        while counted[w]:
            signs = table.signs[w * 64 + lowest_bit(counted[w])]
            edge_of(signs[:words], signs[words:], target, edge)
            unmark_larger(table, edge, counted)
            edges = with_line(edges, count, edge)
            count += 1
    return edges[:count]
