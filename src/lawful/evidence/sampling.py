"""Which pairs of rows to compare first.

For keys, FDs and ODs: all pairs of some rows, and neighbours. For PODs and DCs: random ones, then those that
promise new evidence. A *focus* is a column and a strategy: partners that have the same value (within),
another one (other), a smaller (back) or a greater one (forth). The focus that brought the largest share of
new evidence last time is used next, until every share is small.
"""

import heapq
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.evidence_set import EvidenceSet, Pairs
from lawful.laws.comparisons import Flags
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace

NEIGHBOUR_PAIRS = 20_000  # at a time, of all columns
NEIGHBOURS = (50, 1000)  # and of one column at least and at most
FARTHEST = 2  # and how far apart in that order they may stand
MANY_NEW = 0.5  # farther neighbours follow while this share of the pairs is new evidence

PARTNERS = 20  # random partners of each row
MOST_RANDOM = 1 << 20  # pairs; more rows than that tell little more, and each costs the same
MOST_FOCUSED = 1 << 15  # pairs of one use of a focus, for the same reason
HARDLY_NEW = 0.005  # where pairs bring a smaller share of new evidence, no more of their kind are compared
# Where nearly every pair is new evidence, there is no end of it, and most of it refutes nothing that is left:
# candidates on less evidence bring the pairs that matter.
MOST_EVIDENCE = 1 << 16

Places = npt.NDArray[np.int64]


def sample(rows: RankedRows, evidence: EvidenceSet, sample_rows: int, seed: int) -> None:
    """Start the evidence: all pairs of some random rows, and neighbours in each column's order.

    The rows may be part of the table that the evidence is about.
    """
    if rows.count < 2:
        return
    random = np.random.default_rng(seed)
    chosen = random.choice(rows.count, min(rows.count, sample_rows), replace=False)
    evidence.add_pairs(rows.in_table(_all_pairs(chosen)))
    count = min(max(NEIGHBOUR_PAIRS // rows.columns, NEIGHBOURS[0]), NEIGHBOURS[1])
    for distance in range(1, min(FARTHEST, rows.count - 1) + 1):
        pairs = np.concatenate([_neighbours(order, distance, count, random) for order in rows.orders])
        if evidence.add_pairs(rows.in_table(pairs)) < MANY_NEW * len(pairs):
            break


def _all_pairs(chosen: npt.NDArray[np.int64]) -> Pairs:
    first, second = np.triu_indices(len(chosen), 1)
    return np.stack([chosen[first], chosen[second]], axis=1).astype(np.int32)


def _neighbours(
    order: npt.NDArray[np.int32], distance: int, count: int, random: np.random.Generator
) -> Pairs:
    """Some of the pairs that stand `distance` apart in an order."""
    places = len(order) - distance
    at = random.choice(places, min(places, count), replace=False)
    return np.stack([order[at], order[at + distance]], axis=1)


class Focus(NamedTuple):
    """A column and a strategy."""

    column: int
    strategy: str


def sample_focused(
    work: Workspace, columns: Sequence[int], ordered: Flags, evidence: EvidenceSet, seed: int
) -> None:
    """Start the evidence for PODs and denial constraints on these columns."""
    rows = work.rows
    if rows.count < 2:
        return
    random = np.random.default_rng(seed)
    pairs = _random_pairs(rows.count, random)
    for some in np.array_split(pairs, -(-len(pairs) // MOST_FOCUSED)):
        if len(evidence) >= MOST_EVIDENCE or evidence.add_pairs(some) < HARDLY_NEW * len(some):
            break
    foci = [
        Focus(column, strategy)
        for column in columns
        for strategy in (("within", "back", "forth") if ordered[column] else ("within", "other"))
    ]
    number = count()
    queue = [(-1.0, next(number), focus) for focus in foci]
    while queue and len(evidence) < MOST_EVIDENCE and not work.halted:
        _, _, focus = heapq.heappop(queue)
        pairs = focused_pairs(rows, focus, MOST_FOCUSED, random)
        share = evidence.add_pairs(pairs) / len(pairs) if len(pairs) else 0.0
        if share >= HARDLY_NEW:
            heapq.heappush(queue, (-share, next(number), focus))


def _random_pairs(rows: int, random: np.random.Generator) -> Pairs:
    wanted = min(rows * PARTNERS, MOST_RANDOM)
    first = np.resize(np.arange(rows) if wanted >= rows else random.integers(0, rows, wanted), wanted)
    second = (first + random.integers(1, rows, wanted)) % rows
    return np.stack([first, second], axis=1).astype(np.int32)


def focused_pairs(rows: RankedRows, focus: Focus, most: int, random: np.random.Generator) -> Pairs:
    """Up to `most` rows, each with a partner that the focus wants; rows without one are left out."""
    order = rows.orders[focus.column]
    places = np.arange(rows.count) if rows.count <= most else random.integers(0, rows.count, most)
    ranks = rows.ranks[focus.column] + 1  # a NULL that equals nothing has -1
    ends = np.cumsum(np.bincount(ranks))
    end = ends[ranks[order[places]]]
    start = end - np.diff(ends, prepend=0)[ranks[order[places]]]
    choices = _choices(focus.strategy, start, end, rows.count)
    places, start, end = places[choices > 0], start[choices > 0], end[choices > 0]
    step = random.integers(0, choices[choices > 0])
    if focus.strategy == "within":
        partners = start + (places - start + 1 + step) % (end - start)
    else:
        partners = step if focus.strategy == "back" else (end + step) % rows.count
    return np.stack([order[places], order[partners]], axis=1)


def _choices(strategy: str, start: Places, end: Places, rows: int) -> Places:
    """How many partners there are for a row whose value fills the places start..end - 1 of an order."""
    return {
        "within": end - start - 1,
        "other": rows - (end - start),
        "back": start,
        "forth": rows - end,
    }[strategy]
