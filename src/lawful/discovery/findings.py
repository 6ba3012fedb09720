"""What a task of the search is asked for and what it brings back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.targets import Targets

Sets = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int32]


class Bounds(NamedTuple):
    """How far to search: contexts of `least` to `most` columns (smaller ones are settled already)."""

    most: int
    least: int
    min_score: float
    keep: int  # violating pairs to learn from a refuted candidate


@dataclass(frozen=True)
class Phase:
    """Targets that can be settled in any order, with what is known before they are."""

    targets: Targets
    determinants: Sequence[Sets]  # [column]: the minimal sets of columns that determine it
    bounds: Sequence[Bounds]  # [target]

    def stops(self, number: int) -> Sets:
        """Sets that none of a target's laws may contain: for an OD those that determine one of its sides."""
        left, right, _ = self.targets[number]
        if right < 0:
            return self.determinants[0][:0]
        return np.concatenate([self.determinants[left], self.determinants[right]])

    def only(self, numbers: Numbers) -> "Phase":
        """Those targets alone, renumbered."""
        bounds = [self.bounds[number] for number in numbers.tolist()]
        return Phase(self.targets[numbers], self.determinants, bounds)

    def reported(self, findings: "Findings") -> "Findings":
        """Findings without the laws that are too small to be reported."""
        least = np.array([bounds.least for bounds in self.bounds], np.int64)
        large = np.bitwise_count(findings.sets).sum(axis=1) >= least[findings.targets]
        return replace(findings, targets=findings.targets[large], sets=findings.sets[large])


@dataclass(frozen=True)
class Findings:
    """Proven laws, for each the number of its target and its context, and what the proof cost and taught."""

    targets: Numbers
    sets: Sets
    learned: Pairs  # pairs of rows that refuted candidates
    validated: int
    refuted: int
    cut: bool  # the bound on size left something out
    settled: Numbers  # targets that are settled by this


def proven_only(targets: Numbers, sets: Sets, cut: bool, settled: Numbers) -> Findings:
    """Findings that cost nothing."""
    return Findings(targets, sets, np.empty((0, 2), np.int32), 0, 0, cut, settled)


def merged(findings: Sequence[Findings]) -> Findings:
    """Several findings, at least one, as one."""
    return Findings(
        np.concatenate([some.targets for some in findings]),
        np.concatenate([some.sets for some in findings]),
        np.concatenate([some.learned for some in findings]),
        sum(some.validated for some in findings),
        sum(some.refuted for some in findings),
        any(some.cut for some in findings),
        np.concatenate([some.settled for some in findings]),
    )
