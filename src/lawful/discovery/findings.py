"""What a task of the search is asked for and what it brings back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.targets import Targets

Sets = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


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


@dataclass(frozen=True)
class Findings:
    """Proven laws: for each the number of its target, its context, and the context's score (NaN: not known).

    Beside them what the proof cost and taught.
    """

    targets: Numbers
    sets: Sets
    scores: npt.NDArray[np.float64]
    learned: npt.NDArray[np.int32]  # pairs of rows that refuted candidates
    validated: int
    refuted: int
    cut: bool = False  # the bound on size left something out
    opened: int = 0  # targets or candidates that are now to be settled
    settled: int = 0  # and that are settled by this


def merged(findings: Sequence[Findings], words: int) -> Findings:
    """Several findings as one."""
    return Findings(
        np.concatenate([np.empty(0, np.int64), *(f.targets for f in findings)]),
        np.concatenate([np.empty((0, words), np.uint64), *(f.sets for f in findings)]),
        np.concatenate([np.empty(0, np.float64), *(f.scores for f in findings)]),
        np.concatenate([np.empty((0, 2), np.int32), *(f.learned for f in findings)]),
        sum(f.validated for f in findings),
        sum(f.refuted for f in findings),
        any(f.cut for f in findings),
        sum(f.opened for f in findings),
        sum(f.settled for f in findings),
    )


def opening(items: int, words: int, cut: bool = False) -> Findings:
    """Nothing found yet, but so many targets or candidates are to be settled."""
    return replace(merged([], words), opened=items, cut=cut)
