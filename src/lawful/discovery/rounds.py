"""Cover and validation in rounds, for long tables, where partitions dominate.

A round enumerates the candidates of all targets not settled yet on the evidence alone, validates the new
ones grouped by context, so that each partition is made once, and adds the violating pairs to the evidence.
A target none of whose candidates fails is settled.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lawful.cover.edges import minimal_edges
from lawful.cover.search import hitting_sets, index_stops
from lawful.cover.targets import Targets, free_atoms
from lawful.discovery.contexts import Refinement, refinement_for
from lawful.discovery.findings import Findings, Numbers, Phase, Sets, opening
from lawful.engine import Engine, dealt, stretches
from lawful.evidence.evidence import Evidence, Signs
from lawful.table.ranked import RankedRows
from lawful.validate.batch import validate_batch


@dataclass(frozen=True)
class Candidates:
    """Laws as far as the evidence tells: the number of the target and the context of each."""

    targets: Numbers
    sets: Sets
    cut: bool

    def __len__(self) -> int:
        return len(self.sets)

    def __getitem__(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | slice) -> "Candidates":
        return Candidates(self.targets[chosen], self.sets[chosen], self.cut)

    def identities(self) -> npt.NDArray[np.void]:
        """One value for each candidate, to look it up."""
        lines = np.column_stack([self.targets.astype(np.uint64), self.sets])
        return np.ascontiguousarray(lines).view(np.dtype((np.void, lines.itemsize * lines.shape[1]))).ravel()


def together(parts: Sequence[Candidates], words: int) -> Candidates:
    """Several lists of candidates as one."""
    return Candidates(
        np.concatenate([np.empty(0, np.int64), *(part.targets for part in parts)]),
        np.concatenate([np.empty((0, words), np.uint64), *(part.sets for part in parts)]),
        any(part.cut for part in parts),
    )


@dataclass(frozen=True)
class CoverTargets:
    """A task: the candidates of some of a phase's targets."""

    phase: Phase
    numbers: Numbers
    signs: Signs

    def __call__(self, rows: RankedRows) -> Candidates:
        return together([self._cover(rows, int(number)) for number in self.numbers], self.signs.shape[1] // 2)

    def _cover(self, rows: RankedRows, number: int) -> Candidates:
        target, bounds = self.phase.targets[number], self.phase.bounds[number]
        edges, atoms = minimal_edges(self.signs, target), free_atoms(rows.columns, target)
        sets, cut = hitting_sets(edges, atoms, index_stops(self.phase.stops[number]), bounds.most)
        sets = sets[np.bitwise_count(sets).sum(axis=1) >= bounds.least]
        return Candidates(np.full(len(sets), number, np.int64), sets, bool(cut))


@dataclass(frozen=True)
class ValidateCandidates:
    """A task: validate candidates that are sorted by context."""

    candidates: Candidates
    targets: Targets
    refinement: Refinement
    min_score: float
    keep: int

    def __call__(self, rows: RankedRows) -> tuple[Findings, Numbers]:
        """The findings, and the targets that are not settled since a candidate failed."""
        numbers, sets = self.candidates.targets, self.candidates.sets
        scores, found, learned = validate_batch(
            rows.ranks,
            rows.orders,
            self.refinement.keys(sets),
            self.refinement.columns,
            self.targets[numbers],
            self.min_score,
            self.keep,
            rows.halt,
            rows.counts,
        )
        proven, refuted = found == 0, found > 0
        findings = Findings(
            numbers[proven],
            sets[proven],
            scores[proven],
            learned,
            int((proven | refuted).sum()),
            int(refuted.sum()),
            settled=len(numbers),
        )
        return findings, np.unique(numbers[refuted])


def by_context(candidates: Candidates, targets: Targets, refinement: Refinement) -> Candidates:
    """Sorted so that common beginnings of contexts, and then left sides, follow each other."""
    keys = refinement.keys(candidates.sets)
    return candidates[np.lexsort((targets[candidates.targets, 0], *keys.T[::-1]))]


def settle_in_rounds(
    phase: Phase, evidence: Evidence, engine: Engine, rows: RankedRows
) -> Iterator[Findings]:
    """Settle a phase round by round; the evidence grows with each."""
    words = evidence.signs.shape[1] // 2
    unsettled = np.arange(len(phase.targets))
    proven = together([], words)
    while len(unsettled) and not rows.halt[0]:
        candidates = cover(phase, unsettled, evidence, engine)
        candidates = candidates[~np.isin(candidates.identities(), proven.identities())]
        yield opening(len(candidates), words, candidates.cut)
        learned, failed = [np.empty((0, 2), np.int32)], [np.empty(0, np.int64)]
        for findings, targets in engine.run(validation(phase, candidates, engine, rows)):
            proven = together([proven, Candidates(findings.targets, findings.sets, cut=False)], words)
            learned.append(findings.learned)
            failed.append(targets)
            yield findings
        evidence.add_pairs(np.concatenate(learned))
        unsettled = np.unique(np.concatenate(failed))


def cover(phase: Phase, unsettled: Numbers, evidence: Evidence, engine: Engine) -> Candidates:
    """The candidates of the targets that are not settled yet."""
    shares = dealt(len(unsettled), engine)
    tasks = [CoverTargets(phase, unsettled[share], evidence.signs) for share in map(list, shares)]
    return together(list(engine.run(tasks)), evidence.signs.shape[1] // 2)


def validation(
    phase: Phase, candidates: Candidates, engine: Engine, rows: RankedRows
) -> list[ValidateCandidates]:
    """The tasks that validate candidates, those with similar contexts together."""
    refinement, bounds = refinement_for(candidates.sets, rows), phase.bounds[0]
    candidates = by_context(candidates, phase.targets, refinement)
    return [
        ValidateCandidates(candidates[part], phase.targets, refinement, bounds.min_score, bounds.keep)
        for part in stretches(len(candidates), engine)
    ]
