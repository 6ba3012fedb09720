"""Scores of contexts, each computed once for all laws that share it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lawful import costs
from lawful.discovery.findings import Scores, Sets
from lawful.engine import Engine, stretches
from lawful.table.workspace import Workspace
from lawful.validate.contexts import Refinement, refinement_for
from lawful.validate.coverage import score_contexts
from lawful.words import numbered_lines


@dataclass(frozen=True)
class ScoreContexts:
    """A task: the scores of the contexts with these sort keys; `first` is the number of the first one."""

    first: int
    keys: Sets
    refinement: Refinement

    def __call__(self, work: Workspace) -> Iterator[tuple[int, Scores]]:
        yield self.first, score_contexts(work, self.keys, self.refinement)


def scores_of(sets: Sets, engine: Engine) -> Scores:
    """The score of each of some contexts, of which many may be the same."""
    rows = engine.work.rows
    distinct, numbers = numbered_lines(sets)
    refinement = refinement_for(distinct, rows)
    keys = refinement.keys(distinct)
    order = np.lexsort(keys.T[::-1])
    keys, scores = np.ascontiguousarray(keys[order]), np.full(len(keys), np.nan)
    engine = engine.nearby if len(keys) * rows.count * costs.SCORE_STEP < costs.SHORT_SCORES else engine
    tasks = [ScoreContexts(part.start, keys[part], refinement) for part in stretches(len(keys), engine)]
    for first, some in engine.run(tasks):
        scores[order[first : first + len(some)]] = some
    of_each: Scores = scores[numbers]
    return of_each
