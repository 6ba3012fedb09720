"""The errors of laws by tasks, wherever they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lawful.checking.denials import Denial
from lawful.checking.law_errors import Counts, LawError, counts_of
from lawful.discovery.rounds import shares
from lawful.engine import Engine, stretches
from lawful.laws.comparisons import Ints
from lawful.table.workspace import Workspace
from lawful.words import Words, bit_set, words_for


@dataclass(frozen=True)
class MeasureLaws:
    """A task: what is counted of some laws, each with its number."""

    denials: Sequence[tuple[int, Denial]]

    def __call__(self, work: Workspace) -> Iterator[tuple[int, Counts]]:
        for number, denial in self.denials:
            counted = counts_of(denial, work)
            if work.halted:  # not all may be counted
                return
            yield number, counted


def errors_of(denials: Sequence[Denial], engine: Engine) -> list[LawError | None]:
    """How far each of some laws is from holding; None where a halt came first."""
    counts, counted = [Counts() for _ in denials], np.zeros(len(denials), np.bool_)
    for run_by, numbers in shares(engine, _contexts(denials, engine.work.rows.columns)):
        some = np.zeros(len(denials), np.bool_)
        for number, one in run_by.run(_tasks(denials, numbers, run_by)):
            counts[number], some[number] = counts[number].plus(one), True
        if not engine.work.halted:
            some[numbers] = True  # where the parts of a table have no class of a law's context, it holds
        elif run_by is not engine:
            some[:] = False  # who knows which parts are missing
        counted |= some
    total, known = engine.work.rows.count, counted.tolist()
    return [
        LawError.of(denial, one, total) if known[number] else None
        for number, (denial, one) in enumerate(zip(denials, counts, strict=True))
    ]


def _tasks(denials: Sequence[Denial], numbers: Ints, engine: Engine) -> list[MeasureLaws]:
    """Laws with like contexts share their partitions."""
    order = sorted(numbers.tolist(), key=lambda number: denials[number].context)
    parts = stretches(len(order), engine, sharing=1)
    return [MeasureLaws([(number, denials[number]) for number in order[part]]) for part in parts]


def _contexts(denials: Sequence[Denial], columns: int) -> Words:
    sets = [bit_set(np.array(denial.context, np.int64), words_for(columns)) for denial in denials]
    return np.array(sets, np.uint64).reshape(-1, words_for(columns))
