"""Cover and validation in rounds.

A round enumerates the candidates on the evidence alone, validates the new ones on all rows, and adds the
pairs that refute some of them to the evidence. A candidate that holds is a minimal law: the evidence refutes
all that say more. When none fails, all are found.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lawful.words import are_among

Sets = npt.NDArray[np.uint64]
Pairs = npt.NDArray[np.int32]


class Verdict(NamedTuple):
    """What the rows say of some candidates."""

    proven: Sets
    learned: Pairs  # pairs of rows that refute candidates
    refuted: int


class Covers(Protocol):
    """What rounds ask for."""

    def candidates(self) -> Sets:
        """The minimal sets that hit all evidence."""

    def verdicts(self, candidates: Sets) -> Iterator[Verdict]:
        """What the rows say of candidates, in parts."""

    def learn(self, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence."""


def settle_in_rounds(parts: Covers, halted: Callable[[], bool]) -> Iterator[Verdict]:
    """Candidates and their verdicts, until no candidate fails."""
    proven: Sets | None = None
    refuted = 1
    while refuted and not halted():
        candidates = parts.candidates()
        if halted():
            return
        proven = candidates[:0] if proven is None else proven
        learned, refuted = [np.empty((0, 2), np.int32)], 0
        found = [proven]
        for verdict in parts.verdicts(candidates[~are_among(candidates, proven)]):
            found.append(verdict.proven)
            learned.append(verdict.learned)
            refuted += verdict.refuted
            yield verdict
        proven = np.concatenate(found)
        parts.learn(np.concatenate(learned))
