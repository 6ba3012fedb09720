"""Cover and validation in rounds.

A round enumerates the candidates on the evidence alone, validates the new ones on all rows, and adds the
pairs that refute some of them to the evidence. A candidate that holds is a minimal law: the evidence refutes
all that say more. When none fails, all are found.

Candidates are judged by tasks that see all rows, or by tasks on parts of a table too large for that. Rows
that agree on a context agree on each of its columns. So where the rows are parted by a column, every class of
a context with that column lies whole in one part, and the same kernels judge it there. A candidate holds on
the table if it holds on every part.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.discovery.findings import NO_PAIRS, UNKNOWN, Numbers, Pairs, Scores, Sets
from lawful.engine import Engine
from lawful.table.workspace import Workspace
from lawful.words import are_among

# A candidate is a line of words: its set, perhaps with the number of its target before it.
Candidates = npt.NDArray[np.uint64]


class Judgement(NamedTuple):
    """What rows say of some candidates, those of a stretch that begins with number `first`."""

    first: int
    found: Numbers  # of each so many violating pairs; 0: it holds, -1: not decided
    learned: Pairs
    sides: Scores = UNKNOWN  # the bits of the sides of those that hold; nothing where that is not asked


def shares(engine: Engine, contexts: Sets) -> Iterator[tuple[Engine, Numbers]]:
    """Deal candidates, given by their contexts, out to engines.

    Those without a column that spreads the rows go to the engine itself.
    """
    left, rows = np.arange(len(contexts)), engine.work.rows
    if not engine.sees_all_rows:
        for column in np.argsort(-rows.information).tolist():
            if rows.information[column] >= math.log(costs.SPREAD):
                within = (contexts[left, column >> 6] >> np.uint64(column & 63)) & np.uint64(1) == 1
                if within.any():
                    yield engine.parted(column), left[within]
                    left = left[~within]
    if len(left):
        yield engine, left


class Judge(Protocol):
    """A task that judges a stretch of candidates."""

    @property
    def first(self) -> int:
        """The number of the first one."""

    def __len__(self) -> int: ...

    def __call__(self, work: Workspace) -> Iterator[Judgement]: ...


def _judged(engine: Engine, tasks: Sequence[Judge], parted: bool) -> Iterator[Judgement]:
    """Run tasks; the judgements of parts are merged into one for each task."""
    if not parted:
        yield from engine.run(tasks)
        return
    # A candidate that no part speaks of holds: no two rows agree on its context.
    together = {task.first: Judgement(task.first, np.zeros(len(task), np.int64), NO_PAIRS) for task in tasks}
    for part in engine.run(tasks):
        together[part.first] = _merged(together[part.first], part)
    yield from together.values()


def _merged(one: Judgement, other: Judgement) -> Judgement:
    refuted = (one.found > 0) | (other.found > 0)
    pairs = np.maximum(one.found, 0) + np.maximum(other.found, 0)
    found = np.where(refuted, pairs, np.minimum(one.found, other.found))
    return Judgement(one.first, found, np.concatenate([one.learned, other.learned]))


class Verdict(NamedTuple):
    """What the rows say of some candidates."""

    proven: Candidates
    refuted: Candidates
    learned: Pairs  # pairs of rows that refute candidates
    waiting: int  # how many candidates still wait for a verdict
    sides: Scores  # of the proven, as in a judgement


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


def settle_in_rounds(covers: Covers, engine: Engine) -> Iterator[Verdict]:
    """Candidates and their verdicts, until no candidate fails."""
    proven: Candidates | None = None
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
        for first, found, learned, sides in _judged(on, tasks, on is not engine):
            part, holds = some[first : first + len(found)], found == 0
            waiting -= len(part)
            known = sides[holds] if len(sides) else sides
            yield Verdict(part[holds], part[found > 0], learned, waiting, known)
