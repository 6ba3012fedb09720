"""What a task of the search is asked for and what it brings back."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    stops: Sequence[Sets]  # [target]: sets that none of its laws may contain
    bounds: Sequence[Bounds]  # [target]

    def only(self, numbers: Numbers) -> "Phase":
        """Those targets alone, renumbered."""
        chosen = numbers.tolist()
        return Phase(self.targets[numbers], [self.stops[k] for k in chosen], [self.bounds[k] for k in chosen])


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
