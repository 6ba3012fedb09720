"""Search and validation in one: each leaf of the search is validated where it is found.

The partition of a node is its parent's refined by one column, made when a leaf below needs it, without the
classes in which the target has no violating pair. A leaf that fails gives new edges at once and the search
goes on from there.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_line, with_lines
from lawful.cover.edges import contains_any, edge_of, minimal_edges
from lawful.cover.mmcs import (
    CUT,
    DEPTH,
    DONE,
    EDGES,
    LEAF,
    SHALLOWEST,
    TOO_DEEP,
    Search,
    advance,
    enlarge,
    grow,
    index_stops,
    new_search,
    retreat,
)
from lawful.cover.targets import free_atoms
from lawful.discovery.findings import Findings, Phase, Sets, merged
from lawful.engine import Engine, dealt
from lawful.evidence.evidence import Evidence, SignTable
from lawful.evidence.signs import sign_words
from lawful.kernels import kernel
from lawful.table.ranked import RankedRows
from lawful.validate.partition import (
    Path,
    coverage,
    every_pair,
    new_loose_path,
    new_path,
    partition_at,
    refine_path,
)
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs

LEAVES = 1000  # leaves after which a search reports what it has found
PATIENCE = 0.1  # seconds for which a task may keep what it has found: telling it takes time too


@kernel
def learn(search, ranks, ordered, target, pairs):
    """Turn violating pairs, the closest first, into edges of the search at its current node."""
    words = search.members.shape[0]
    less, greater, edge = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    known = search.at[EDGES]
    for k in range(pairs.shape[0]):
        if search.at[EDGES] == search.edges.shape[0]:
            search = enlarge(search, 2 * search.edges.shape[0], search.chosen.shape[0] - 1)
        sign_words(ranks, ordered, pairs[k, 0], pairs[k, 1], less, greater)
        edge_of(less, greater, target, edge)
        if not contains_any(edge, search.edges[known:], search.at[EDGES] - known):
            grow(search, edge)
    return search


@kernel
def first_below(path, depth, total, min_score):
    """The least depth of the path whose score is below the limit; -1 if that of `depth` is not."""
    if coverage(partition_at(path, depth)[1], total) >= min_score:
        return -1
    for d in range(depth):
        if coverage(partition_at(path, d)[1], total) < min_score:
            return d
    return depth


class Question(NamedTuple):
    """What one target's search starts from."""

    target: npt.NDArray[np.int64]
    orders: npt.NDArray[np.int32]  # for each column all rows in its order
    evidence: SignTable
    forbidden: Sets  # sets that none of its laws may contain


class Progress(NamedTuple):
    """How far the search of one target has come: the search, and the partitions on its path."""

    search: Search
    path: Path  # without the classes in which the target has no violating pair, a small part of the table
    whole: Path  # with all classes; made only where a bound on the score asks for it


@kernel
def begin(question, columns, min_score):
    """A search at its root."""
    target, orders = question.target, question.orders
    edges = minimal_edges(question.evidence, target)
    search = new_search(edges, free_atoms(columns, target), edges.shape[0] + 64, 8)
    path = new_path(orders[target[0]], 8) if target[1] >= 0 else new_loose_path(orders, 8)
    return Progress(search, path, new_loose_path(orders if min_score > 0 else orders[:0], 8))


@kernel
def settle(ranks, ordered, question, progress, bounds, leaves, halt, counts):
    """Begin a target's search, or go on with it from some progress, for so many leaves.

    Returns the progress, whether the search is over, the contexts proven, the violating pairs met on the way,
    and how many candidates they refuted.
    """
    target, stops = question.target, index_stops(question.forbidden)
    if progress.search.members.shape[0] == 0:
        progress = begin(question, ranks.shape[0], bounds.min_score)
    search, path, whole = progress
    sets, learned = np.empty((16, search.members.shape[0]), np.uint64), np.empty((64, 2), np.int32)
    pairs, counted, any_pair = np.empty((1, PAIRS_SCANNED, 2), np.int32), np.empty(1, np.int64), every_pair()
    proven, refuting, refuted, state = 0, 0, 0, LEAF
    while state != DONE and leaves > 0:
        state = advance(search, stops, bounds.most, halt)
        shallowest = max(search.at[SHALLOWEST], 0)
        path.made[0], whole.made[0] = min(path.made[0], shallowest), min(whole.made[0], shallowest)
        depth, low = search.at[DEPTH], -1
        if state == LEAF and bounds.min_score > 0:
            whole = refine_path(whole, ranks, search.chosen, depth, counts, any_pair)
            low = first_below(whole, depth, ranks.shape[1], bounds.min_score)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif low >= 0:
            retreat(search, low)
            path.made[0], whole.made[0] = min(path.made[0], low), min(whole.made[0], low)
        elif state == LEAF and depth >= bounds.least:
            leaves -= 1
            path = refine_path(path, ranks, search.chosen, depth, counts, target)
            rows, ends = partition_at(path, depth)
            violating_pairs(ranks, rows, ends, target.reshape(1, 3), pairs, counted)
            if counted[0] == 0:
                sets = with_line(sets, proven, search.members)
                proven += 1
            else:
                found = keep_closest(ranks, pairs[0], counted[0], bounds.keep)
                search = learn(search, ranks, ordered, target, pairs[0, :found])
                learned = with_lines(learned, refuting, pairs[0], found)
                refuting, refuted = refuting + found, refuted + 1
    return Progress(search, path, whole), state == DONE, sets[:proven], learned[:refuting], refuted


@cache
def nothing_done() -> Progress:
    """The progress of a search that has not begun."""
    search = new_search(np.empty((0, 0), np.uint64), np.empty(0, np.uint64), 0, 0)
    path = new_loose_path(np.empty((0, 0), np.int32), 0)
    return Progress(search, path, path)


@dataclass(frozen=True)
class SettleTargets:
    """A task: all laws of some of a phase's targets."""

    phase: Phase
    numbers: Sequence[int]
    evidence: SignTable

    def __call__(self, rows: RankedRows) -> Iterator[Findings]:
        pending: list[Findings] = []
        told = time.monotonic()
        for findings in chain.from_iterable(self._settle(rows, number) for number in self.numbers):
            pending.append(findings)
            if time.monotonic() > told + PATIENCE:
                yield merged(pending)
                pending, told = [], time.monotonic()
        if pending:
            yield merged(pending)

    def _settle(self, rows: RankedRows, number: int) -> Iterator[Findings]:
        target, bounds = self.phase.targets[number], self.phase.bounds[number]
        question = Question(target, rows.orders, self.evidence, self.phase.stops(number))
        progress, over = nothing_done(), False
        while not over:
            progress, over, sets, learned, refuted = settle(
                rows.ranks, rows.ordered, question, progress, bounds, LEAVES, rows.halt, rows.counts
            )
            numbers, cut = np.full(len(sets), number, np.int64), bool(progress.search.at[CUT])
            settled = np.full(int(over and not rows.halt[0]), number, np.int64)
            pairs = rows.in_table(learned)
            yield Findings(numbers, sets, pairs, len(sets) + refuted, refuted, cut, settled)


def settle_all(phase: Phase, evidence: Evidence, engine: Engine) -> Iterator[Findings]:
    """Settle the targets of a phase; what the rows taught is added to the evidence at the end."""
    learned = [np.empty((0, 2), np.int32)]
    tasks = [SettleTargets(phase, numbers, evidence.table) for numbers in dealt(len(phase.targets), engine)]
    for findings in engine.run(tasks):
        learned.append(findings.learned)
        yield findings
    evidence.add_pairs(np.concatenate(learned))
