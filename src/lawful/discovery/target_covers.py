"""The covers of targets on the evidence alone, as candidates.

A candidate is a line of words: the number of its target, then its set. Of small tables all pairs of rows are
evidence: the covers are the laws, and nothing is left to validate. So that takes fewer kernels than the
search of a larger table, and the very first run compiles what it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from lawful.cover.atoms import Atoms
from lawful.cover.branches import all_sets
from lawful.cover.edges import minimal_edges
from lawful.discovery.findings import NOBODY, Findings, Numbers, Phase, Sets
from lawful.discovery.first_run import RATING, wait_for
from lawful.discovery.law_ratings import rated_by
from lawful.discovery.rounds import Candidates
from lawful.engine import Engine, dealt
from lawful.evidence.evidence_set import EvidenceSet, EvidenceTable
from lawful.kernels import kernel
from lawful.table.workspace import Workspace


class Covered(NamedTuple):
    """The candidates of a target."""

    number: int
    sets: Sets
    cut: bool  # the bound on size left some out
    over: bool  # nothing ended the enumeration early


@kernel
def cover(evidence, target, atoms, forbidden, bounds, halt):
    """The minimal sets of a target without a forbidden one in them, and whether bounds cut some off."""
    edges, usable = minimal_edges(evidence, target, atoms, bounds.most)
    return all_sets(edges, usable, forbidden, bounds, halt)


@dataclass(frozen=True)
class CoverTargets:
    """A task: the candidates of some of a phase's targets."""

    phase: Phase
    numbers: Numbers
    evidence: EvidenceTable
    atoms: Atoms

    def __call__(self, work: Workspace) -> Iterator[Covered]:
        for number in takewhile(lambda _: not work.halted, self.numbers.tolist()):
            bounds = self.phase.bounds(number)
            target, stops = self.phase.targets[number], self.phase.stops(number)
            sets, cut = cover(self.evidence, target, self.atoms, stops, bounds, work.halt)
            yield Covered(number, sets, cut, not work.halted)


def candidates_of(number: int, sets: Sets) -> Candidates:
    """Sets of a target as candidates."""
    return np.concatenate([np.full((len(sets), 1), number, np.uint64), sets], axis=1)


def numbers_of(candidates: Candidates) -> Numbers:
    """The targets of candidates."""
    return candidates[:, 0].astype(np.int64)


def contexts_of(candidates: Candidates) -> Sets:
    """The sets of candidates."""
    return np.ascontiguousarray(candidates[:, 1:])


def settle_small(phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine) -> Iterator[Findings]:
    """Settle the targets of a phase by the outcomes of all pairs of rows."""
    tasks = [
        CoverTargets(phase, np.array(share), evidence.table, atoms)
        for share in dealt(len(phase.targets), engine)
    ]
    found = _found(phase, tasks, engine)
    yield from phase.looked_at_together(found, engine.work, partial(rated_by, engine))


def _found(phase: Phase, tasks: Sequence[CoverTargets], engine: Engine) -> Iterator[Findings]:
    for number, sets, cut, over in engine.run(tasks):
        settled = np.array([number]) if over else NOBODY
        wait_for(RATING, engine.work)
        laws = Findings(np.full(len(sets), number), sets, validated=len(sets), cut=cut, settled=settled)
        yield laws._replace(doubted=phase.doubts)
