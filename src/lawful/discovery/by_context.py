"""The targets of long tables, where making partitions is most of the work.

First some of the rows are searched as a table of their own: what refutes a candidate there refutes it on all
rows. Then the candidates of all targets are validated in rounds, grouped by context, so that each partition
is made once for all of them. Targets with many laws are better off alone: these share the partitions on the
target's own path, which lack the classes that come right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lawful.cover.branches import more_sets
from lawful.cover.edges import minimal_edges
from lawful.cover.search import CUT, UNLIMITED, index_stops, new_search
from lawful.cover.targets import free_atoms
from lawful.discovery.contexts import Refinement, refinement_for
from lawful.discovery.findings import Findings, Numbers, Phase, Sets
from lawful.discovery.judging import Judgement, judged, shares
from lawful.discovery.rounds import Pairs, Verdict, settle_in_rounds
from lawful.discovery.scores import scores_of
from lawful.discovery.settle import SettleTargets, settle_all
from lawful.engine import Engine, dealt, stretches
from lawful.evidence.evidence import Evidence, SignTable
from lawful.table.ranked import RankedRows
from lawful.validate.batch import validate_batch

SAMPLE = 1 << 14  # rows that are searched first
CROWDED = 64  # laws of a target from which on it is searched alone (measured on tax and nycflights13)
SHARING = 128  # candidates that a task validates at least: its first partitions are made for it alone

# A candidate is a line of words: the number of its target, then its context.
Candidates = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class SettleOnSome:
    """A task: settle some targets on a few rows; the number of laws and the pairs that refute candidates."""

    settle: SettleTargets
    seed: int

    def __call__(self, rows: RankedRows) -> Iterator[tuple[int, Pairs]]:
        few = rows.some(SAMPLE, self.seed)
        for findings in self.settle(few):
            yield len(findings.sets), few.in_table(findings.learned)


@dataclass(frozen=True)
class CoverTargets:
    """A task: the candidates of some of a phase's targets, and whether the bound on size cut any off."""

    phase: Phase
    numbers: Numbers
    evidence: SignTable

    def __call__(self, rows: RankedRows) -> Iterator[tuple[Candidates, bool]]:
        for number in self.numbers.tolist():
            target, bounds = self.phase.targets[number], self.phase.bounds[number]
            edges = minimal_edges(self.evidence, target)
            search = new_search(edges, free_atoms(rows.columns, target), len(edges), 8)
            stops = index_stops(self.phase.stops(number))
            search, _, sets = more_sets(search, stops, bounds.most, bounds.least, UNLIMITED, rows.halt)
            numbers = np.full((len(sets), 1), number, np.uint64)
            yield np.concatenate([numbers, sets], axis=1), bool(search.at[CUT])


@dataclass(frozen=True)
class ValidateCandidates:
    """A task: judge candidates that are sorted by context; `first` is the number of the first one."""

    first: int
    candidates: Candidates
    phase: Phase
    refinement: Refinement
    min_score: float

    def __len__(self) -> int:
        return len(self.candidates)

    def __call__(self, rows: RankedRows) -> Iterator[Judgement]:
        found, learned = validate_batch(
            rows.ranks,
            rows.orders,
            self.refinement.keys(_contexts(self.candidates)),
            self.refinement.columns,
            self.phase.targets[_numbers(self.candidates)],
            self.min_score,
            self.phase.bounds[0].keep,
            rows.halt,
            rows.counts,
        )
        yield Judgement(self.first, found, rows.in_table(learned))


class TargetRounds:
    """The rounds of a phase: only targets with a candidate that failed are covered again."""

    def __init__(self, phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows) -> None:
        self._phase, self._evidence, self._engine, self._rows = phase, evidence, engine, rows
        self._unsettled = np.arange(len(phase.targets))
        self._failed = [self._unsettled]
        self.cut = False

    def candidates(self) -> Candidates:
        """The minimal sets that hit all evidence, of the targets that are not settled yet."""
        self._unsettled, self._failed = np.unique(np.concatenate(self._failed)), []
        shares = dealt(len(self._unsettled), self._engine)
        table = self._evidence.table
        found = [np.empty((0, 1 + table.signs.shape[1] // 2), np.uint64)]
        tasks = [CoverTargets(self._phase, self._unsettled[list(share)], table) for share in shares]
        for lines, cut in self._engine.run(tasks):
            found.append(lines)
            self.cut |= cut
        return np.concatenate(found)

    def verdicts(self, candidates: Candidates) -> Iterator[Verdict]:
        """What the rows say of candidates, those with similar contexts together."""
        for engine, chosen in shares(self._engine, _contexts(candidates), self._rows):
            some, tasks = self._validation(candidates[chosen], engine)
            for first, found, learned in judged(engine, tasks, engine is not self._engine):
                part = some[first : first + len(found)]
                self._failed.append(np.unique(_numbers(part[found > 0])))
                yield Verdict(self._wanted(part[found == 0]), learned, int((found > 0).sum()))

    def _validation(
        self, candidates: Candidates, engine: Engine
    ) -> tuple[Candidates, list[ValidateCandidates]]:
        """Candidates in the order in which they share partitions, and the tasks that judge them."""
        refinement = refinement_for(_contexts(candidates), self._rows)
        keys = refinement.keys(_contexts(candidates))
        left = self._phase.targets[_numbers(candidates), 0]
        candidates = candidates[np.lexsort((left, *keys.T[::-1]))]
        min_score = self._phase.bounds[0].min_score if self._engine.whole else 0.0  # parts cannot tell
        return candidates, [
            ValidateCandidates(part.start, candidates[part], self._phase, refinement, min_score)
            for part in stretches(len(candidates), engine, SHARING)
        ]

    def _wanted(self, proven: Candidates) -> Candidates:
        """Those with a score that is high enough, where the tasks could not tell."""
        min_score = self._phase.bounds[0].min_score
        if self._engine.whole or min_score == 0:
            return proven
        return proven[scores_of(_contexts(proven), self._engine, self._rows) >= min_score]

    def learn(self, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence."""
        self._evidence.add_pairs(pairs)


def settle_long(
    phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows, seed: int
) -> Iterator[Findings]:
    """Settle the targets of a phase on a long table."""
    crowded = _laws_of_some(phase, evidence, engine, seed) > CROWDED * len(phase.targets)
    if crowded and engine.whole:
        yield from settle_all(phase, evidence, engine)
        return
    rounds, nobody = TargetRounds(phase, evidence, engine, rows), np.empty(0, np.int64)
    for verdict in settle_in_rounds(rounds, lambda: bool(rows.halt[0])):
        yield _findings(verdict, rounds.cut, nobody)
    nothing = np.empty((0, 1 + evidence.signs.shape[1] // 2), np.uint64)
    settled = nobody if rows.halt[0] else np.arange(len(phase.targets))
    yield _findings(Verdict(nothing, np.empty((0, 2), np.int32), 0), rounds.cut, settled)


def _laws_of_some(phase: Phase, evidence: Evidence, engine: Engine, seed: int) -> int:
    """How many laws some of the rows have; the evidence grows by what refutes candidates there."""
    shares = dealt(len(phase.targets), engine)
    tasks = [SettleOnSome(SettleTargets(phase, numbers, evidence.table), seed) for numbers in shares]
    laws, learned = 0, [np.empty((0, 2), np.int32)]
    for found, pairs in engine.run(tasks):
        laws += found
        learned.append(pairs)
    evidence.add_pairs(np.concatenate(learned))
    return laws


def _numbers(candidates: Candidates) -> Numbers:
    return candidates[:, 0].astype(np.int64)


def _contexts(candidates: Candidates) -> Sets:
    return np.ascontiguousarray(candidates[:, 1:])


def _findings(verdict: Verdict, cut: bool, settled: Numbers) -> Findings:
    proven = verdict.proven
    return Findings(
        _numbers(proven),
        _contexts(proven),
        verdict.learned,
        len(proven) + verdict.refuted,
        verdict.refuted,
        cut,
        settled,
    )
