"""Who judges which candidates: tasks that see all rows, or tasks on parts of a table too large for that.

Rows that agree on a context agree on each of its columns. So where the rows are parted by a column, every
class of a context with that column lies whole in one part, and the same kernels judge it there. A candidate
holds on the table if it holds on every part.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from lawful import costs
from lawful.discovery.findings import NO_PAIRS, Numbers, Pairs, Sets
from lawful.engine import Engine
from lawful.table.workspace import Workspace


class Judgement(NamedTuple):
    """What rows say of some candidates, those of a stretch that begins with number `first`."""

    first: int
    found: Numbers  # of each so many violating pairs; 0: it holds, -1: not decided
    learned: Pairs


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


def judged(engine: Engine, tasks: Sequence[Judge], parted: bool) -> Iterator[Judgement]:
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
