"""Search and validation in one: each leaf of the search is validated where it is found.

The partition of a node is its parent's refined by one column, made when a leaf below needs it. A leaf that
fails gives new edges at once and the search goes on from there. Suits tables of moderate length; see
`rounds` for long ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lawful.arrays import with_line, with_lines
from lawful.cover.edges import contains_any, edge_of, minimal_edges
from lawful.cover.search import (
    CUT,
    DEPTH,
    DONE,
    EDGES,
    LEAF,
    SHALLOWEST,
    TOO_DEEP,
    advance,
    enlarge,
    grow,
    index_stops,
    new_search,
    retreat,
)
from lawful.cover.targets import free_atoms
from lawful.discovery.findings import Findings, Phase, merged, opening
from lawful.engine import Engine, dealt
from lawful.evidence.evidence import Evidence, Signs
from lawful.evidence.signs import sign_words
from lawful.kernels import kernel
from lawful.table.ranked import RankedRows
from lawful.validate.batch import EVERY_PAIR
from lawful.validate.partition import coverage, new_path, partition_at, refine_path
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs


@kernel
def learn(search, ranks, ordered, target, pairs):  # type: ignore[no-untyped-def]
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
def first_below(path, depth, total, min_score):  # type: ignore[no-untyped-def]
    """The least depth of the path whose score is below the limit; -1 if that of `depth` is not."""
    if coverage(partition_at(path, depth)[1], total) >= min_score:
        return -1
    for d in range(depth):
        if coverage(partition_at(path, d)[1], total) < min_score:
            return d
    return depth


@kernel
def settle(ranks, ordered, order, target, atoms, edges, stops, bounds, halt, counts):  # type: ignore[no-untyped-def]
    """All minimal laws of one target.

    Returns their contexts, the violating pairs met on the way, how many candidates were refuted by them, and
    whether the bound on size cut a branch. The partitions on the path to a leaf hold only the classes that
    still have a violating pair, a small part of the table; only a bound on the score needs the others.
    """
    search = new_search(edges, atoms, edges.shape[0] + 64, 8)
    path, whole = new_path(order, 8), new_path(order, 8)
    sets, learned = np.empty((16, atoms.shape[0]), np.uint64), np.empty((64, 2), np.int32)
    pairs = np.empty((PAIRS_SCANNED, 2), np.int32)
    proven, refuting, refuted = 0, 0, 0
    state = advance(search, stops, bounds.most)
    while state != DONE and halt[0] == 0:
        depth, low = search.at[DEPTH], -1
        if state == LEAF and bounds.min_score > 0:
            whole = refine_path(whole, ranks, search.chosen, depth, counts, EVERY_PAIR)
            low = first_below(whole, depth, order.shape[0], bounds.min_score)
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif low >= 0:
            retreat(search, low)
            path.made[0], whole.made[0] = min(path.made[0], low), min(whole.made[0], low)
        elif depth >= bounds.least:
            path = refine_path(path, ranks, search.chosen, depth, counts, target)
            rows, ends = partition_at(path, depth)
            found = violating_pairs(ranks, rows, ends, target, pairs)
            if found == 0:
                sets = with_line(sets, proven, search.members)
                proven += 1
            else:
                found = keep_closest(ranks, pairs, found, bounds.keep)
                search = learn(search, ranks, ordered, target, pairs[:found])
                learned = with_lines(learned, refuting, pairs, found)
                refuting, refuted = refuting + found, refuted + 1
        state = advance(search, stops, bounds.most)
        shallowest = max(search.at[SHALLOWEST], 0)
        path.made[0], whole.made[0] = min(path.made[0], shallowest), min(whole.made[0], shallowest)
    return sets[:proven], learned[:refuting], refuted, search.at[CUT]


@dataclass(frozen=True)
class SettleTargets:
    """A task: all laws of some of a phase's targets."""

    phase: Phase
    numbers: Sequence[int]
    signs: Signs

    def __call__(self, rows: RankedRows) -> Findings:
        words = self.signs.shape[1] // 2
        return merged([self._settle(rows, number) for number in self.numbers], words)

    def _settle(self, rows: RankedRows, number: int) -> Findings:
        target = self.phase.targets[number]
        sets, learned, refuted, cut = settle(
            rows.ranks,
            rows.ordered,
            rows.orders[max(int(target[0]), 0)],
            target,
            free_atoms(rows.columns, target),
            minimal_edges(self.signs, target),
            index_stops(self.phase.stops[number]),
            self.phase.bounds[number],
            rows.halt,
            rows.counts,
        )
        numbers, unknown = np.full(len(sets), number, np.int64), np.full(len(sets), np.nan)
        return Findings(numbers, sets, unknown, learned, len(sets) + refuted, refuted, bool(cut), settled=1)


def settle_fused(phase: Phase, evidence: Evidence, engine: Engine) -> Iterator[Findings]:
    """Settle a phase, target by target; what the rows taught is added to the evidence at the end."""
    yield opening(len(phase.targets), evidence.signs.shape[1] // 2)
    learned = [np.empty((0, 2), np.int32)]
    tasks = [SettleTargets(phase, numbers, evidence.signs) for numbers in dealt(len(phase.targets), engine)]
    for findings in engine.run(tasks):
        learned.append(findings.learned)
        yield findings
    evidence.add_pairs(np.concatenate(learned))
