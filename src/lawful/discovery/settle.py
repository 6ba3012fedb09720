"""Search and validation in one: each leaf of the search is validated where it is found.

The partition of a node is its parent's refined by one column, made when a leaf below needs it, without the
classes in which the target has no violating pair. A leaf that fails gives new edges at once and the search
goes on from there.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, takewhile
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_line, with_lines
from lawful.cover.atoms import Atoms, atoms_beside, write_edge
from lawful.cover.edges import contains_any, minimal_edges
from lawful.cover.mmcs import (
    CREDIT,
    CUT,
    DEPTH,
    DONE,
    EDGES,
    INNER,
    LEAF,
    NODES,
    PAUSED,
    SHALLOWEST,
    TOO_DEEP,
    WATCHED,
    Enumeration,
    advance,
    close_branches,
    enlarge,
    index_stops,
    new_enumeration,
    own_edges,
    with_edge,
)
from lawful.discovery.findings import NO_PAIRS, NOBODY, SECONDS_KEPT, Findings, Phase, Sets, merged
from lawful.discovery.law_ratings import rated_by
from lawful.engine import Engine, dealt
from lawful.evidence.evidence_set import EvidenceSet, EvidenceTable
from lawful.evidence.outcomes import outcome_words, write_outcomes
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons
from lawful.laws.targets import LEFT, RIGHT
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import NO_TABLES, BitTables, bit_tables
from lawful.validate.contexts import WORTH_KEEPING
from lawful.validate.cuts import keep_worthwhile, most_bits_of_column, sides_fall_short
from lawful.validate.partition import (
    Path,
    every_pair,
    new_loose_path,
    new_path,
    partition_at,
    path_from,
    refine_path,
)
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs
from lawful.words import bit

FEW_EDGES = 2  # of a column that no more evidence needs it is seen what it is worth
EARNED, SELDOM = 2, 16  # one idle column pays for looking so often; else one node in so many is looked at
FEW_TO_LOOK_AT = 2000  # rows that cost less to look at than the search below them, which may not be worth it
# Leaves of a target that cost less than to look which of them are worth it, also where there are more rows
FEW_LEAVES, FEW_LONG_LEAVES = 128, 32
FEW_LOOKS = 1 << 20  # rows of laws that are better looked at together with those of other tasks
LEAVES = 1000  # leaves after which a search reports what it has found


class Question(NamedTuple):
    """What one target's search starts from."""

    target: npt.NDArray[np.int64]
    orders: npt.NDArray[np.int32]  # for each column all rows in its order
    comparisons: Comparisons
    evidence: EvidenceTable
    atoms: Atoms
    forbidden: Sets  # sets that none of its laws may contain
    tables: BitTables
    needed: npt.NDArray[np.float64]  # [size]: bits that each column of a context needs; none: any will do
    floors: npt.NDArray[np.float64]  # [size]: bits that a law by chance has at most; none: that is not asked
    patience: int  # leaves before it is looked at what laws are worth
    nodes: int  # before the search is given up


class Descent(NamedTuple):
    """How far the search of one target has come."""

    search: Enumeration
    path: Path  # the partitions on its path, without the classes in which the target has no violating pair
    whole: Path  # the same with them


@kernel
def learn(search, ranks, question, pairs):
    """Turn violating pairs, the closest first, into edges of the search at its current node."""
    edge, comparisons = np.empty(search.members.shape[0], np.uint64), question.comparisons
    line = np.empty(outcome_words(comparisons), np.uint64)
    atoms, known = atoms_beside(question.atoms, question.target), search.at[EDGES]
    for k in range(pairs.shape[0]):
        write_outcomes(ranks, comparisons, pairs[k, 0], pairs[k, 1], line)
        write_edge(line, comparisons.kind.shape[0], atoms, edge)
        if not contains_any(edge, search.edges[known:], search.at[EDGES] - known):
            search = with_edge(search, edge)
    return search


@kernel
def keep_worthwhile_branches(ranks, question, search, path, counts):
    """Leave out, at the current node and below, the columns that can be worth enough in no law there.

    The node's set does not hold. Returns whether a column is left.
    """
    needed, depth = question.needed, search.at[DEPTH]
    if not search.at[WATCHED] or not needs_context(question, depth + 1):
        return True
    columns = np.empty(search.members.shape[0], np.uint64)
    for w in range(columns.shape[0]):
        columns[w] = search.free[depth, w] | search.branches[depth, w]
    rows, ends = partition_at(path, depth)
    least, target = needed[min(depth + 1, needed.shape[0] - 1)], question.target
    some = keep_worthwhile(ranks, rows, ends, target, question.tables, columns, least, counts)
    for w in range(columns.shape[0]):
        search.free[depth, w] &= columns[w]
        search.branches[depth, w] &= columns[w]
    return some


@kernel
def has_few_rows(path):
    """Whether the last partition that was made has few rows."""
    last = path.made[0]
    return path.first_row[last + 1] - path.first_row[last] <= FEW_TO_LOOK_AT


@kernel
def needs_context(question, size):
    """Whether the columns of a context of this size are looked at: not that of a key or an FD with only one.

    A key of one column is a fact, and to shuffle the left side of an FD is to shuffle the right one.
    """
    return size > 1 or (size == 1 and question.target[RIGHT] >= 0)


@kernel
def has_idle_column(ranks, question, search, path, counts):
    """Whether a column of the current node's set is not worth enough bits, here and below.

    The evidence tells which one may not be: one that hardly any evidence needs. Where hardly any is found,
    it is seldom looked for.
    """
    depth, column = search.at[DEPTH], np.zeros(search.members.shape[0], np.uint64)
    search.at[CREDIT] -= 1
    if search.at[CREDIT] < 0 and search.at[CREDIT] % SELDOM:
        return False
    least = question.needed[min(depth, question.needed.shape[0] - 1)]
    for place in range(depth - 1, -1, -1):
        if own_edges(search, depth, place) <= FEW_EDGES:
            rows, ends = partition_at(path, place)
            others, later = path_from(rows, ends, depth), search.chosen[place + 1 :]
            others = refine_path(others, ranks, later, depth - place - 1, counts, question.target)
            rows, ends = partition_at(others, depth - place - 1)
            chosen = search.chosen[place]
            column[chosen >> 6] = bit(chosen)
            if not keep_worthwhile(
                ranks, rows, ends, question.target, question.tables, column, least, counts
            ):
                search.at[CREDIT] = max(search.at[CREDIT], 0) + EARNED
                return True
            column[chosen >> 6] = np.uint64(0)
    return False


@kernel
def is_idle(ranks, question, search, path, whole, size, counts):
    """Whether the sides, or some column of the current node's set, are not worth what laws of a size need."""
    needed, depth, target = question.needed, search.at[DEPTH], question.target
    if not search.at[WATCHED] or depth == 0 or ranks.shape[1] > FEW_TO_LOOK_AT:
        return False, whole
    if target[LEFT] >= 0:
        whole = refine_path(whole, ranks, search.chosen, depth, counts, every_pair())
        rows, ends = partition_at(whole, depth)
        least = needed[min(size, needed.shape[0] - 1)]
        if sides_fall_short(ranks, rows, ends, target, question.tables, least):
            return True, whole
    if not needs_context(question, depth):
        return False, whole
    return has_idle_column(ranks, question, search, path, counts), whole


@kernel
def is_chance(ranks, question, search, path, counts):
    """Whether the current node's set, which holds, is seen to be a law by chance: the column that came last
    into it is worth too little, as the exceptions without it tell, which are at hand."""
    depth, floors, target = search.at[DEPTH], question.floors, question.target
    if floors.shape[0] == 0 or not needs_context(question, depth):
        return False
    last, floor = search.chosen[depth - 1], floors[min(depth, floors.shape[0] - 1)]
    rows, ends = partition_at(path, depth - 1)
    return most_bits_of_column(ranks, rows, ends, last, target, floor, question.tables, counts) < floor


@kernel
def begin(question, most):
    """A search at its root, for sets of so many columns at most."""
    target, orders = question.target, question.orders
    edges, atoms = minimal_edges(question.evidence, target, question.atoms, most)
    search = new_enumeration(edges, atoms, edges.shape[0] + 64, 8)
    search.at[WATCHED] = question.needed.shape[0] > 0 and question.patience == 0
    search.at[CREDIT], search.at[NODES] = EARNED, question.nodes
    path = new_path(orders[target[LEFT]], 8) if target[RIGHT] >= 0 else new_loose_path(orders, 8)
    whole = new_path(
        orders[max(target[LEFT], 0)][: FEW_TO_LOOK_AT if orders.shape[1] <= FEW_TO_LOOK_AT else 0], 8
    )
    return Descent(search, path, whole)


@kernel
def settle(ranks, question, descent, bounds, keep, leaves, halt, counts):
    """Begin a target's search, or go on with it from where it came, for so many leaves.

    Returns how far it came, whether the search is over, the contexts proven, which of these are seen to be
    chance, the violating pairs met on the way, and how many candidates they refuted.
    """
    target, stops = question.target, index_stops(question.forbidden)
    if descent.search.members.shape[0] == 0:
        descent = begin(question, bounds.most)
    search, path, whole = descent
    sets, learned = np.empty((16, search.members.shape[0]), np.uint64), np.empty((64, 2), np.int32)
    chance = np.zeros(leaves, np.bool_)
    pairs, counted = np.empty((1, PAIRS_SCANNED, 2), np.int32), np.empty(1, np.int64)
    proven, refuting, refuted, state = 0, 0, 0, LEAF
    while state != DONE and leaves > 0:
        state = advance(search, stops, bounds.most, halt)
        path.made[0] = min(path.made[0], max(search.at[SHALLOWEST], 0))
        whole.made[0] = min(whole.made[0], path.made[0])
        depth = search.at[DEPTH]
        if state == PAUSED:
            search.at[CUT], state = 1, DONE
        elif state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == INNER and has_few_rows(path):
            path = refine_path(path, ranks, search.chosen, depth, counts, target)
            idle, whole = is_idle(ranks, question, search, path, whole, depth + 1, counts)
            if idle:
                close_branches(search, depth)
            else:
                keep_worthwhile_branches(ranks, question, search, path, counts)
        elif state == LEAF and depth >= bounds.least:
            leaves -= 1
            if LEAVES - leaves > question.patience:
                search.at[WATCHED] = question.needed.shape[0] > 0
            path = refine_path(path, ranks, search.chosen, depth, counts, target)
            idle, whole = is_idle(ranks, question, search, path, whole, depth, counts)
            if idle:
                continue
            rows, ends = partition_at(path, depth)
            violating_pairs(ranks, rows, ends, target.reshape(1, 4), pairs, counted)
            if counted[0] == 0:
                sets = with_line(sets, proven, search.members)
                chance[proven] = is_chance(ranks, question, search, path, counts)
                proven += 1
            else:
                found = keep_closest(ranks, pairs[0], counted[0], keep)
                few = has_few_rows(path)
                if not few or keep_worthwhile_branches(ranks, question, search, path, counts):
                    search = learn(search, ranks, question, pairs[0, :found])
                learned = with_lines(learned, refuting, pairs[0], found)
                refuting, refuted = refuting + found, refuted + 1
    descent = Descent(search, path, whole)
    return descent, state == DONE, sets[:proven], chance[:proven], learned[:refuting], refuted


@cache
def nothing_done() -> Descent:
    """A search that has not begun."""
    sets, numbers, rows = np.empty((0, 0), np.uint64), np.empty(0, np.int64), np.empty(0, np.int32)
    search = Enumeration(sets, sets, sets, sets[None], sets, sets, numbers, sets.ravel(), numbers)
    path = Path(rows, rows, numbers, numbers, numbers, rows[None])
    return Descent(search, path, path)


@dataclass(frozen=True)
class SettleTargets:
    """A task: all laws of some of a phase's targets."""

    phase: Phase
    numbers: Sequence[int]
    comparisons: Comparisons
    evidence: EvidenceTable
    atoms: Atoms

    def __call__(self, work: Workspace) -> Iterator[Findings]:
        pending: list[Findings] = []
        told = time.monotonic()
        numbers = takewhile(lambda _: not work.halted, self.numbers)
        # What laws are worth is looked at once a target has many leaves, for it and all that follow.
        patience = [FEW_LEAVES if work.rows.count <= FEW_TO_LOOK_AT else FEW_LONG_LEAVES]
        for findings in chain.from_iterable(self._settle(work, number, patience) for number in numbers):
            pending.append(findings)
            if time.monotonic() > told + SECONDS_KEPT:
                yield self._looked_at(merged(pending), work)
                pending, told = [], time.monotonic()
        if pending:
            yield self._looked_at(merged(pending), work)

    def _looked_at(self, findings: Findings, work: Workspace) -> Findings:
        """Findings without the laws that are not wanted, unless these are better looked at with others."""
        together = work.rows.count >= WORTH_KEEPING or len(findings.sets) * work.rows.count < FEW_LOOKS
        if self.phase.doubts and together:
            return findings._replace(doubted=True)
        return self.phase.without_chance(findings, work)

    def _settle(self, work: Workspace, number: int, patience: list[int]) -> Iterator[Findings]:
        descent, over = nothing_done(), False
        while not over:
            arguments = self.arguments(work, number, descent, patience[0])
            descent, over, sets, chance, learned, refuted = settle(*arguments)
            if descent.search.at[WATCHED]:
                patience[0] = 0
            this, given_up = np.array([number], np.int64), descent.search.at[NODES] == 0
            yield Findings(
                np.full(len(sets), number, np.int64),
                sets,
                work.rows.in_table(learned),
                len(sets) + refuted,
                refuted,
                bool(descent.search.at[CUT]),
                this if over and not work.halted and not given_up else NOBODY,
                given_up=this if given_up else NOBODY,
                chance=chance,
            )

    def arguments(self, work: Workspace, number: int, descent: Descent, patience: int) -> tuple[Any, ...]:
        """What `settle` goes on from."""
        rows, phase = work.rows, self.phase
        target, stops = phase.targets[number], phase.stops(number)
        needed, floors = phase.needed(number), phase.floors(number, rows.count)
        question = Question(
            target,
            rows.orders,
            self.comparisons,
            self.evidence,
            self.atoms,
            stops,
            bit_tables(rows) if len(needed) or len(floors) else NO_TABLES,
            needed,
            floors,
            patience,
            phase.nodes,
        )
        bounds = phase.bounds(number)
        return rows.ranks, question, descent, bounds, phase.keep, LEAVES, work.halt, rows.counts


def settle_all(phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine) -> Iterator[Findings]:
    """Settle the targets of a phase; what the rows taught is added to the evidence at the end."""
    learned, table = [NO_PAIRS], evidence.table
    tasks = [
        SettleTargets(phase, numbers, evidence.comparisons, table, atoms)
        for numbers in dealt(len(phase.targets), engine)
    ]
    for findings in phase.looked_at_together(engine.run(tasks), engine.work, partial(rated_by, engine)):
        learned.append(findings.learned)
        yield findings
    evidence.add_pairs(np.concatenate(learned))
