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
from lawful.discovery.findings import NOBODY, Findings, Numbers, Pairs, Phase, Sets, merged
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
from lawful.validate.known_sides import floors_of, no_floors


@dataclass(frozen=True)
class ValidateCandidates:
    """A task: judge candidates that are sorted by context; `first` is the number of the first one."""

    first: int
    candidates: Candidates
    phase: Phase
    refinement: Refinement
    tells: bool  # whether it is told what the sides of laws are worth

    def __len__(self) -> int:
        return len(self.candidates)

    def __call__(self, work: Workspace) -> Iterator[Judgement]:
        laws = self.phase.laws(_findings(self.candidates))
        keys = self.refinement.keys(laws.sets)
        floors = floors_of(work.rows, laws, self.phase.wanted) if self.tells else no_floors(len(self))
        asked = keys, self.refinement, laws.targets, self.phase.keep, floors
        found, learned, sides = validate_batch(work, *asked)
        yield Judgement(self.first, found, work.rows.in_table(learned), sides)


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
        rows = self._engine.work.rows
        tells = self._engine.sees_all_rows and self._phase.tells(rows.count)
        return judges_of(self._phase, candidates, rows, engine, tells)

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
    phase: Phase, candidates: Candidates, rows: RankedRows, engine: Engine, tells: bool = False
) -> tuple[Candidates, list[ValidateCandidates]]:
    """Candidates of a phase in the order in which they share partitions, and the tasks that judge them.

    If tasks see all rows they can tell what the sides of laws are worth.
    """
    refinement = refinement_for(contexts_of(candidates), rows)
    keys = refinement.keys(contexts_of(candidates))
    left = phase.targets[numbers_of(candidates), LEFT]
    candidates = candidates[np.lexsort((left, *keys.T[::-1]))]
    return candidates, [
        ValidateCandidates(part.start, candidates[part], phase, refinement, tells)
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
    rounds = TargetRounds(phase, evidence, atoms, engine)
    nothing = _findings(candidates_of(0, atoms.usable[None, :][:0]))
    doubted = [nothing]
    for proven, refuted, learned, waiting, sides in settle_in_rounds(rounds, engine):
        found = _findings(proven)._replace(settled=rounds.settled(), sides=sides)
        if phase.doubts:
            doubted.append(found)
            found = nothing
        yield found._replace(
            learned=learned,
            validated=len(proven) + len(refuted),
            refuted=len(refuted),
            cut=rounds.cut,
            waiting=waiting,
        )
    last = nothing._replace(cut=rounds.cut, settled=rounds.settled())
    yield phase.without_chance(merged([*doubted, last]), engine.work, partial(rated_by, engine))


def _findings(candidates: Candidates) -> Findings:
    """Candidates as laws."""
    return Findings(numbers_of(candidates), contexts_of(candidates))
