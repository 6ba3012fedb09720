"""Minimal hitting sets while edges come and go, without a search from scratch.

When an edge comes, the sets that hit it stay. Each of the others, with any atom of the edge, is a hitting set
again: those of them stay that are minimal (Berge's step). Atoms of PODs may need a second one beside them, as
`lawful.cover.lones` says.

When edges go, a new minimal set misses at least one of them: it has no atom of that edge, which leaves little
to search. Of the old sets those stay all of whose atoms still have an edge of their own.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items, with_line
from lawful.cover.lones import count_lones, is_lone, of_pods, partners_of_lones
from lawful.cover.mmcs import contains_stop
from lawful.kernels import kernel
from lawful.words import (
    ONE,
    Words,
    bit,
    distinct_lines,
    lowest_bit,
    meet,
    members_into,
    put_set,
    size_of,
    transposed,
)


class Frame(NamedTuple):
    """What the sets of a target may look like."""

    usable: Words  # the atoms that they may have
    most: int  # units, at most
    unit: int  # atoms that make a unit of size: those of one comparison


@kernel
def mark_hit_once(hit_by, words, chosen, count, once):
    """Write the set of edges that exactly one of some atoms hits."""
    for w in range(words):
        some, more = np.uint64(0), np.uint64(0)
        for k in range(count):
            more |= some & hit_by[chosen[k], w]
            some |= hit_by[chosen[k], w]
        once[w] = some & ~more


@kernel
def is_needed(hit_by, words, atom, once):
    """Whether an edge is hit by this atom only."""
    for w in range(words):
        if hit_by[atom, w] & once[w]:
            return True
    return False


@kernel
def leaves_two_lones(members, chosen, count, place):
    """Whether a set of a POD would have two lone `!=` without the atom at a place."""
    atom, lones = chosen[place], 0
    members[atom >> 6] ^= bit(atom)
    for k in range(count):
        lones += k != place and is_lone(members, chosen[k])
    members[atom >> 6] ^= bit(atom)
    return lones > 1


@kernel
def is_minimal_set(members, hit_by, edges, stops, chosen, once):
    """Whether a set that hits all of so many edges is minimal among those that do."""
    words, count = (edges + 63) >> 6, members_into(members, chosen)
    mark_hit_once(hit_by, words, chosen, count, once)
    for place in range(count):
        needed = is_needed(hit_by, words, chosen[place], once)
        if not needed and not (of_pods(stops) and leaves_two_lones(members, chosen, count, place)):
            return False
    return True


@kernel
def lone_partners(members, stops, chosen):
    """The atoms of which a set needs one more, because it has two lone `!=`; nothing where it is a POD's."""
    partners = np.zeros(members.shape[0], np.uint64)
    if of_pods(stops):
        count = members_into(members, chosen)
        if count_lones(chosen, count, members) > 1:
            return True, partners_of_lones(chosen, count, members, stops.ordered)
    return False, partners


@kernel
def add_if_minimal(found, count, members, atom, hit_by, edges, frame, stops, chosen, once):
    """Put a set with its last atom behind those found, if it is one to be found."""
    allowed = size_of(members, frame.unit) <= frame.most and not contains_stop(members, stops, atom)
    if allowed and is_minimal_set(members, hit_by, edges, stops, chosen, once):
        return with_line(found, count, members), count + 1
    return found, count


@kernel
def add_extended(found, count, members, atom, hit_by, edges, frame, stops, chosen, once):
    """Put a set with its last atom behind those found or, of a POD, with one more that it then needs."""
    two_lones, partners = lone_partners(members, stops, chosen)
    if not two_lones:
        return add_if_minimal(found, count, members, atom, hit_by, edges, frame, stops, chosen, once)
    if contains_stop(members, stops, atom):
        return found, count
    for w in range(members.shape[0]):
        rest = partners[w] & frame.usable[w] & ~members[w]
        while rest:
            partner = w * 64 + lowest_bit(rest)
            members[w] ^= bit(partner)
            found, count = add_if_minimal(
                found, count, members, partner, hit_by, edges, frame, stops, chosen, once
            )
            members[w] ^= bit(partner)
            rest &= rest - ONE
    return found, count


@kernel
def extended_sets(sets, edges, added, frame, stops):
    """The minimal sets that hit some edges and others that are added, given those that hit the first."""
    known, width = edges.shape[0], edges.shape[1]
    hit_by = transposed(edges, known + added.shape[0])
    chosen, once = np.empty(width * 64, np.int64), np.empty(hit_by.shape[1], np.uint64)
    members = np.empty(width, np.uint64)
    for e in range(added.shape[0]):
        put_set(hit_by, known + e, added[e])
        found, count = np.empty((sets.shape[0] + 16, width), np.uint64), 0
        for k in range(sets.shape[0]):
            if meet(sets[k], added[e]):
                found = with_line(found, count, sets[k])
                count += 1
        first = count
        for k in range(sets.shape[0]):
            if not meet(sets[k], added[e]):
                copy_items(sets[k], members)
                for w in range(width):
                    rest = added[e, w] & frame.usable[w]
                    while rest:
                        atom = w * 64 + lowest_bit(rest)
                        members[w] ^= bit(atom)
                        found, count = add_extended(
                            found, count, members, atom, hit_by, known + e + 1, frame, stops, chosen, once
                        )
                        members[w] ^= bit(atom)
                        rest &= rest - ONE
        sets = distinct_lines(found[:count]) if of_pods(stops) and count > first else found[:count]
    return sets


@kernel
def are_minimal(sets, edges, stops):
    """Which of some sets that hit all edges are minimal."""
    hit_by = transposed(edges, edges.shape[0])
    chosen, once = np.empty(edges.shape[1] * 64, np.int64), np.empty(hit_by.shape[1], np.uint64)
    minimal, members = np.empty(sets.shape[0], np.bool_), np.empty(edges.shape[1], np.uint64)
    for k in range(sets.shape[0]):
        copy_items(sets[k], members)
        minimal[k] = is_minimal_set(members, hit_by, edges.shape[0], stops, chosen, once)
    return minimal


@kernel
def first_missed(sets, hit_by, counted, missed):
    """For each set the first of the edges that count and that it misses, -1 if it hits all of them.

    All edges that some set misses are put into `missed`.
    """
    first, chosen = np.full(sets.shape[0], -1, np.int64), np.empty(hit_by.shape[0], np.int64)
    for k in range(sets.shape[0]):
        count = members_into(sets[k], chosen)
        for w in range(counted.shape[0]):
            rest = counted[w]
            for place in range(count):
                rest &= ~hit_by[chosen[place], w]
            missed[w] |= rest
            if rest and first[k] < 0:
                first[k] = (w << 6) + lowest_bit(rest)
    return first


@kernel
def hit_all(sets, edges):
    """Which sets hit all of some edges."""
    hits = np.ones(sets.shape[0], np.bool_)
    for k in range(sets.shape[0]):
        for e in range(edges.shape[0]):
            if not meet(sets[k], edges[e]):
                hits[k] = False
                break
    return hits


@kernel
def minimal_among(edges, hit_by, first):
    """Which of some distinct edges contain no other one, from the first one on that others may contain."""
    words = (edges.shape[0] + 63) >> 6
    minimal, within = np.ones(edges.shape[0], np.bool_), np.empty(words, np.uint64)
    for k in range(first, edges.shape[0]):
        if not minimal[k]:
            continue
        for w in range(words):
            within[w] = ~np.uint64(0)
        for v in range(edges.shape[1]):
            rest = edges[k, v]
            while rest:
                atom = v * 64 + lowest_bit(rest)
                for w in range(words):
                    within[w] &= hit_by[atom, w]
                rest &= rest - ONE
        within[k >> 6] &= ~bit(k)
        for w in range(words):
            rest = within[w]
            while rest:
                other = (w << 6) + lowest_bit(rest)
                if other < edges.shape[0]:
                    minimal[other] = False
                rest &= rest - ONE
    return minimal


def minimal_edges_of(edges: Words, added: Words | None = None) -> Words:
    """Those of some distinct edges that contain no other one.

    Where edges are added that contain none of them, none of both kinds may contain another of its kind.
    """
    both, first = (edges, 0) if added is None else (np.concatenate([edges, added]), len(edges))
    minimal: Words = both[minimal_among(both, transposed(both, len(both)), first)]
    return minimal
