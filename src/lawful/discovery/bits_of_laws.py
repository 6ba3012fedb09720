"""The bits of many laws, in tasks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lawful import costs
from lawful.discovery.findings import Scores
from lawful.engine import Engine, stretches
from lawful.laws.codec import LawArrays
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits


@dataclass(frozen=True)
class RateLaws:
    """A task: the bits of some keys, FDs and ODs; `first` is the number of the first one."""

    first: int
    laws: LawArrays
    columns: int  # that laws may speak of

    def __call__(self, work: Workspace) -> Iterator[tuple[int, Scores]]:
        yield self.first, law_bits(work, self.laws, self.columns)


def bits_of(laws: LawArrays, columns: int, engine: Engine) -> Scores:
    """The bits of each law; NaN where a limit ended the work."""
    rows, bits = engine.work.rows, np.full(len(laws.kinds), np.nan)
    order = np.lexsort((*laws.targets.T, *laws.sets.T))  # those with like contexts share their partitions
    seconds = len(order) * rows.count * costs.SCORE_STEP
    engine = engine.nearby if seconds < costs.SHORT_SCORES else engine
    parts = [(part.start, order[part]) for part in stretches(len(order), engine)]
    tasks = [RateLaws(first, laws.chosen(places), columns) for first, places in parts]
    for first, some in engine.run(tasks):
        bits[order[first : first + len(some)]] = some
    return bits
