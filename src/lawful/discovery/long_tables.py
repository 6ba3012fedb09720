"""The targets of long tables, where making partitions is most of the work.

First a part of the rows is searched as a table of its own, and a part of that before it: what refutes a
candidate there refutes it on all rows. Then the candidates of all targets are validated in rounds, grouped by
context, so that each partition is made once for all of them. Targets with many laws are better off alone:
these share the partitions on the target's own path, which lack the classes that come right.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lawful import costs
from lawful.cover.atoms import Atoms
from lawful.discovery.findings import NOBODY, Findings, Numbers, Pairs, Phase, Sets
from lawful.discovery.law_ratings import rated_by
from lawful.discovery.rounds import Candidates, Judgement, settle_in_rounds
from lawful.discovery.settle import settle_all
from lawful.discovery.target_covers import CoverTargets, candidates_of, contexts_of, numbers_of
from lawful.engine import Engine, Viewed, dealt, stretches
from lawful.evidence.evidence_set import EvidenceSet
from lawful.laws.targets import LEFT, RIGHT
from lawful.table.ranked import RankedRows, SomeRows
from lawful.table.workspace import Workspace
from lawful.validate.batch import validate_batch
from lawful.validate.contexts import Refinement, refinement_for


@dataclass(frozen=True)
class ValidateCandidates:
    """A task: judge candidates that are sorted by context; `first` is the number of the first one."""

    first: int
    candidates: Candidates
    phase: Phase
    refinement: Refinement

    def __len__(self) -> int:
        return len(self.candidates)

    def __call__(self, work: Workspace) -> Iterator[Judgement]:
        keys = self.refinement.keys(contexts_of(self.candidates))
        targets = self.phase.targets[numbers_of(self.candidates)]
        found, learned = validate_batch(work, keys, self.refinement, targets, self.phase.keep)
        yield Judgement(self.first, found, work.rows.in_table(learned))


class TargetRounds:
    """The rounds of a phase: only targets with a candidate that failed are covered again."""

    def __init__(self, phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine) -> None:
        self._phase, self._evidence, self._atoms, self._engine = phase, evidence, atoms, engine
        self._unsettled = self._failed = np.arange(len(phase.targets))
        self._settled = NOBODY
        self.cut = False

    def candidates(self) -> Candidates:
        """The minimal sets that hit all evidence, of the targets that are not settled yet."""
        self._unsettled = self._failed
        engine = self._engine.nearby  # where targets are not crowded, covers are soon found
        tasks = [
            CoverTargets(self._phase, self._unsettled[list(share)], self._evidence.table, self._atoms)
            for share in dealt(len(self._unsettled), engine)
        ]
        found = [candidates_of(0, self._atoms.usable[None, :][:0])]
        for number, sets, cut, _ in engine.run(tasks):
            found.append(candidates_of(number, sets))
            self.cut |= cut
        return np.concatenate(found)

    def contexts(self, candidates: Candidates) -> Sets:
        """Their sets."""
        return contexts_of(candidates)

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, list[ValidateCandidates]]:
        """Candidates in the order in which they share partitions, and the tasks that judge them."""
        return judges_of(self._phase, candidates, self._engine.work.rows, engine)

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence. Targets of which no candidate failed are settled."""
        self._evidence.add_pairs(pairs)
        self._failed = np.unique(numbers_of(refuted))
        if not self._engine.work.halted:
            self._settled = np.concatenate([self._settled, np.setdiff1d(self._unsettled, self._failed)])

    def settled(self) -> Numbers:
        """The targets that were settled since this was asked last."""
        settled, self._settled = self._settled, NOBODY
        return settled


def judges_of(
    phase: Phase, candidates: Candidates, rows: RankedRows, engine: Engine
) -> tuple[Candidates, list[ValidateCandidates]]:
    """Candidates of a phase in the order in which they share partitions, and the tasks that judge them."""
    refinement = refinement_for(contexts_of(candidates), rows)
    keys = refinement.keys(contexts_of(candidates))
    left = phase.targets[numbers_of(candidates), LEFT]
    candidates = candidates[np.lexsort((left, *keys.T[::-1]))]
    return candidates, [
        ValidateCandidates(part.start, candidates[part], phase, refinement)
        for part in stretches(len(candidates), engine)
    ]


def settle_long(
    phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine, seed: int, known: bool
) -> Iterator[Findings]:
    """Settle the targets of a phase on a long table, after some of its rows.

    Where most of the evidence is known, the fewest of them tell whether targets are crowded.
    """
    crowded, rows = False, engine.work.rows.count
    cut_off = phase.doubts and bool((phase.targets[:, RIGHT] >= 0).all())
    most = (costs.CROWDED_BY_CHANCE if cut_off else costs.CROWDED_TARGET) * len(phase.targets)
    samples = _samples(rows if engine.sees_all_rows else min(rows, costs.PART * costs.NEARBY_ROWS))
    for count in samples[:1] if known else samples:
        some = Viewed(engine if count > costs.NEARBY_ROWS else engine.nearby, SomeRows(count, seed))
        alone = crowded or count < costs.PART * costs.FIRST_SAMPLE
        part = replace(phase, wanted=replace(phase.wanted, share=count / max(rows, 1)))
        found = (settle_all if alone else _settle_shared)(part, evidence, atoms, some)
        laws = sum(len(findings.sets) for findings in found)
        crowded = engine.sees_all_rows and laws > most
    yield from (settle_all if crowded else _settle_shared)(phase, evidence, atoms, engine)


def _samples(count: int) -> list[int]:
    """How many rows to search before all of so many, the fewest first."""
    samples = [max(count // costs.PART, costs.FIRST_SAMPLE)]
    while samples[0] >= costs.PART * costs.FIRST_SAMPLE:
        samples.insert(0, samples[0] // costs.PART)
    return samples


def _settle_shared(phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine) -> Iterator[Findings]:
    """Settle targets in rounds, so that they share partitions."""
    rounds, nothing = TargetRounds(phase, evidence, atoms, engine), atoms.usable[None, :][:0]
    doubted, settled = [candidates_of(0, nothing)], [NOBODY]
    for proven, refuted, learned, waiting in settle_in_rounds(rounds, engine):
        doubted.append(proven if phase.doubts else proven[:0])
        settled.append(rounds.settled())
        known = proven[:0] if phase.doubts else proven
        yield Findings(
            numbers_of(known),
            contexts_of(known),
            learned,
            len(proven) + len(refuted),
            len(refuted),
            rounds.cut,
            NOBODY if phase.doubts else settled[-1],
            waiting,
        )
    laws = np.concatenate(doubted)
    found = Findings(numbers_of(laws), contexts_of(laws), cut=rounds.cut)
    last = np.concatenate([*(settled if phase.doubts else ()), rounds.settled()])
    yield phase.without_chance(found, engine.work, partial(rated_by, engine))._replace(settled=last)
