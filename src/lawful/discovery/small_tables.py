"""The targets of small tables: all pairs of rows are evidence, and its covers are the laws.

Nothing is left to validate. So it takes fewer kernels than the search of a larger table, and the very first
run compiles what it needs.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from lawful.cover.atoms import Atoms
from lawful.discovery.bits_of_laws import rated_by
from lawful.discovery.findings import NOBODY, Findings, Phase
from lawful.discovery.first_run import RATING, wait_for
from lawful.discovery.target_covers import CoverTargets
from lawful.engine import Engine, dealt
from lawful.evidence.evidence_set import EvidenceSet


def settle_small(phase: Phase, evidence: EvidenceSet, atoms: Atoms, engine: Engine) -> Iterator[Findings]:
    """Settle the targets of a phase by the outcomes of all pairs of rows."""
    numbers = np.arange(len(phase.targets))
    tasks = [
        CoverTargets(phase, numbers[list(share)], evidence.table, atoms)
        for share in dealt(len(numbers), engine)
    ]
    found = _found(phase, tasks, engine)
    yield from phase.looked_at_together(found, engine.work, partial(rated_by, engine))


def _found(phase: Phase, tasks: Sequence[CoverTargets], engine: Engine) -> Iterator[Findings]:
    for number, sets, cut, over in engine.run(tasks):
        settled = np.array([number]) if over else NOBODY
        wait_for(RATING, engine.work)
        laws = Findings(np.full(len(sets), number), sets, validated=len(sets), cut=cut, settled=settled)
        yield laws._replace(doubted=phase.doubts)
