"""Edges: what the evidence asks of a target's laws.

A target counts an evidence if its signs are those of a counter-example; the law must then contain one of the
columns on which the pair differs (the *edge*). Targets are the triples of `lawful.validate.scan`.
"""

import numpy as np

from lawful.kernels import kernel

ONE = np.uint64(1)
BITS = np.uint64(63)


@kernel
def bit_at(words, position):  # type: ignore[no-untyped-def]
    return (words[position >> 6] >> (np.uint64(position) & BITS)) & ONE


@kernel
def counts_for(less, greater, target):  # type: ignore[no-untyped-def]
    """Whether a pair with these signs is a counter-example candidate of the target."""
    left, right, direction = target[0], target[1], target[2]
    if left < 0:
        return True
    left_less, left_greater = bit_at(less, left), bit_at(greater, left)
    if right < 0:
        return (left_less | left_greater) == ONE
    right_less, right_greater = bit_at(less, right), bit_at(greater, right)
    if left_less == left_greater or right_less == right_greater:
        return False
    return (left_less != right_less) == (direction > 0)


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
        if count == edges.shape[0]:
            more = np.empty((2 * count, words), np.uint64)
            more[:count] = edges
            edges = more
        edges[count] = edge
        count += 1
    return edges[:count]
