"""The bits of many laws, in tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from lawful import costs
from lawful.discovery.findings import Scores
from lawful.engine import Engine, stretches
from lawful.laws.codec import LawArrays
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits, may_have_bits
from lawful.validate.rating import InOrder, rated

TOGETHER = 1 << 20  # rows of laws that one task looks at: a hundredth of a second


@dataclass(frozen=True)
class RateShuffles:
    """A task: the bits of some shuffled columns of keys, FDs and ODs; `first` is the number of the first."""

    first: int
    shuffles: InOrder

    def __call__(self, work: Workspace) -> Iterator[tuple[int, Scores]]:
        yield self.first, rated(work, self.shuffles)


def bits_of(laws: LawArrays, columns: int, scores: Scores, engine: Engine) -> Scores:
    """The bits of each law, of which the score is known; NaN where a limit ended the work."""
    if not len(scores):
        return np.zeros(0)
    work = engine.work
    doubted = np.flatnonzero(may_have_bits(work, laws, columns, scores))
    bits = np.zeros(len(scores))
    some = laws.chosen(doubted)
    bits[doubted] = law_bits(work, some, columns, rate=partial(rated_by, engine), scored=True)
    return bits


def rated_by(engine: Engine, shuffles: InOrder) -> Scores:
    """The bits of shuffles, by an engine."""
    rows, bits = max(engine.work.rows.count, 1), np.full(len(shuffles.fixed), np.nan)
    engine = engine.nearby if len(bits) * rows * costs.SCORE_STEP < costs.SHORT_SCORES else engine
    parts = stretches(len(bits), engine, max(1, TOGETHER // rows))
    for first, some in engine.run([RateShuffles(part.start, shuffles.only(part)) for part in parts]):
        bits[first : first + len(some)] = some
    return bits
