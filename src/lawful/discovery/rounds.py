"""Cover and validation in rounds.

A round enumerates the candidates on the evidence alone, validates the new ones on all rows, and adds the
pairs that refute some of them to the evidence. A candidate that holds is a minimal law: the evidence refutes
all that say more. When none fails, all are found.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lawful.discovery.findings import NO_PAIRS, Pairs, Sets
from lawful.discovery.judging import Judge, judged, shares
from lawful.engine import Engine
from lawful.words import are_among

# A candidate is a line of words: its set, perhaps with the number of its target before it.
Candidates = npt.NDArray[np.uint64]


class Verdict(NamedTuple):
    """What the rows say of some candidates, and how many still wait for a verdict."""

    proven: Candidates
    refuted: Candidates
    learned: Pairs  # pairs of rows that refute candidates
    waiting: int = 0


class Covers(Protocol):
    """What rounds ask for."""

    def candidates(self) -> Candidates:
        """The minimal sets that hit all evidence."""

    def contexts(self, candidates: Candidates) -> Sets:
        """The columns that each candidate says are equal."""

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, Sequence[Judge]]:
        """Candidates in an order in which neighbours share work, and the tasks that judge them."""

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        """Take note of what was refuted, and add the pairs of rows that did it to the evidence."""


def settle_in_rounds(covers: Covers, engine: Engine, known: Candidates | None = None) -> Iterator[Verdict]:
    """Candidates and their verdicts, until no candidate fails; those that are known to hold need none."""
    proven = known
    refuted: Candidates | None = None
    while not engine.work.halted:
        candidates = covers.candidates()
        if engine.work.halted:
            return
        proven = candidates[:0] if proven is None else proven
        refuted = candidates[:0] if refuted is None else refuted
        candidates = candidates[~are_among(candidates, proven)]
        _refuse_refuted(candidates, refuted)
        verdicts = []
        for verdict in _verdicts(covers, engine, candidates):
            verdicts.append(verdict)
            yield verdict
        failed = np.concatenate([candidates[:0], *(verdict.refuted for verdict in verdicts)])
        covers.learn(failed, np.concatenate([NO_PAIRS, *(verdict.learned for verdict in verdicts)]))
        if not len(failed):
            return
        proven = np.concatenate([proven, *(verdict.proven for verdict in verdicts)])
        refuted = np.concatenate([refuted, failed])


def _refuse_refuted(candidates: Candidates, refuted: Candidates) -> None:
    """The pairs that refuted a candidate are evidence: none can come back, or rounds would never end."""
    again = int(are_among(candidates, refuted).sum())
    if again:
        raise RuntimeError(
            f"{again} refuted candidates came back: the rows that refuted them are not those of the driver"
        )


def _verdicts(covers: Covers, engine: Engine, candidates: Candidates) -> Iterator[Verdict]:
    """What the rows say of candidates, in parts."""
    waiting = len(candidates)
    for on, chosen in shares(engine, covers.contexts(candidates)):
        some, tasks = covers.judges(candidates[chosen], on)
        for first, found, learned in judged(on, tasks, on is not engine):
            part = some[first : first + len(found)]
            waiting -= len(part)
            yield Verdict(part[found == 0], part[found > 0], learned, waiting)
