"""Edges: what the evidence asks of a target's laws.

A target counts an evidence if its signs are those of a counter-example; the law must then contain one of the
columns on which the pair differs (the *edge*).
"""

import numpy as np

from lawful.arrays import with_line
from lawful.cover.targets import counts_for
from lawful.kernels import kernel

ONE = np.uint64(1)
BITS = np.uint64(63)


@kernel
def edge_of(less, greater, target, edge):  # type: ignore[no-untyped-def]
    """Write the columns on which the pair differs, without the target's own."""
    for w in range(edge.shape[0]):
        edge[w] = less[w] | greater[w]
    for side in range(2):
        column = target[side]
        if column >= 0:
            edge[column >> 6] &= ~(ONE << (np.uint64(column) & BITS))


@kernel
def contains_any(edge, edges, count):  # type: ignore[no-untyped-def]
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
def minimal_edges(signs, target):  # type: ignore[no-untyped-def]
    """The minimal edges of a target. The evidence must come with the fewest differing columns first."""
    words = signs.shape[1] // 2
    edges = np.empty((256, words), np.uint64)
    count = 0
    edge = np.empty(words, np.uint64)
    for k in range(signs.shape[0]):
        less, greater = signs[k, :words], signs[k, words:]
        if not counts_for(less, greater, target):
            continue
        edge_of(less, greater, target, edge)
        if contains_any(edge, edges, count):
            continue
        edges = with_line(edges, count, edge)
        count += 1
    return edges[:count]
