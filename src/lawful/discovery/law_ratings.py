"""The scores and bits of many laws, in tasks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from lawful import costs
from lawful.discovery.findings import Scores, Sets
from lawful.engine import SHARING, Engine, stretches
from lawful.laws.codec import LawArrays
from lawful.table.workspace import Workspace
from lawful.validate.batch import score_contexts
from lawful.validate.contexts import refinement_for
from lawful.validate.known_sides import may_have_bits
from lawful.validate.law_bits import law_bits
from lawful.validate.rating import InOrder, rated
from lawful.words import numbered_lines

TOGETHER = 1 << 21  # rows of laws that one task looks at: a hundredth of a second
BESIDE = 4  # laws that it looks at anyway, sharing partitions

PORTION = 1 << 20  # laws that are rated at once: meanwhile each takes up to a kilobyte

Rate = Callable[[Workspace], Scores]


@dataclass(frozen=True)
class RateSome:
    """A task: numbers for a stretch of things; `first` is the place of the first."""

    first: int
    rate: Rate

    def __call__(self, work: Workspace) -> Iterator[tuple[int, Scores]]:
        yield self.first, self.rate(work)


def portions_of(count: int) -> Iterator[slice]:
    """So many laws cut into parts, each as many as are rated at once."""
    return (slice(first, first + PORTION) for first in range(0, count, PORTION))


def rated_in_stretches(
    count: int, engine: Engine, rate: Callable[[slice], Rate], sharing: int = SHARING
) -> Scores:
    """A number for each of so many things, neighbours of which share work; NaN where a limit ended that."""
    numbers = np.full(count, np.nan)
    tasks = [RateSome(part.start, rate(part)) for part in stretches(count, engine, sharing)]
    for first, some in engine.run(tasks):
        numbers[first : first + len(some)] = some
    return numbers


def _engine_for(count: int, engine: Engine) -> Engine:
    """A cluster is asked only for what takes long."""
    short = count * engine.work.rows.count * costs.SCORE_STEP < costs.SHORT_SCORES
    return engine.nearby if short else engine


def scores_of(sets: Sets, engine: Engine) -> Scores:
    """The score of each of some contexts, of which many may be the same: each is computed once."""
    distinct, numbers = numbered_lines(sets)
    refinement = refinement_for(distinct, engine.work.rows)
    keys = refinement.keys(distinct)
    order = np.lexsort(keys.T[::-1])
    keys, scores = np.ascontiguousarray(keys[order]), np.empty(len(keys))
    scores[order] = rated_in_stretches(
        len(keys),
        _engine_for(len(keys), engine),
        lambda part: partial(score_contexts, keys=keys[part], refinement=refinement),
    )
    of_each: Scores = scores[numbers]
    return of_each


def bits_of(laws: LawArrays, columns: int, scores: Scores, sides: Scores, engine: Engine) -> Scores:
    """The bits of each law, of which the score is known, and perhaps what its sides are worth, else NaN; NaN
    where a limit ended the work."""
    if not len(scores):
        return np.zeros(0)
    work = engine.work
    doubted = np.flatnonzero(may_have_bits(work.rows, laws, columns, scores))
    bits = np.zeros(len(scores))
    some = laws.chosen(doubted)
    bits[doubted] = law_bits(work, some, columns, rate=partial(rated_by, engine), sides=sides[doubted])
    return bits


def rated_by(engine: Engine, shuffles: InOrder) -> Scores:
    """The bits of shuffled columns of keys, FDs and ODs, by an engine."""
    count, sharing = len(shuffles.fixed), max(BESIDE, TOGETHER // max(engine.work.rows.count, 1))
    return rated_in_stretches(
        count,
        _engine_for(count, engine),
        lambda part: partial(rated, shuffles=shuffles.only(part)),
        sharing,
    )
