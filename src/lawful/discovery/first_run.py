"""The very first search compiles its kernels, in two processes: one of them takes as long as all others.

The other process compiles that one into the cache that kernels are taken from.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof

from lawful import kernels
from lawful.cover.atoms import atoms_of_columns
from lawful.discovery.findings import Phase
from lawful.discovery.settle import SettleTargets, nothing_done, settle
from lawful.evidence.evidence_set import EvidenceTable
from lawful.laws.codec import KEY
from lawful.laws.comparisons import comparisons_of
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.machine import usable_cores
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.contexts import refinement_for
from lawful.validate.coverage import score_contexts

TICK = 0.05  # seconds between two looks whether the search is to end
PROGRAM = f"from {__name__} import compile_settle; compile_settle()"


@cache
def compile_elsewhere() -> subprocess.Popen[bytes] | None:
    """Let another process compile `settle`, where it was never compiled and there is a core for it."""
    package = Path(__file__).parents[2]
    known = kernels.CACHE is None or any(Path(kernels.CACHE).rglob("settle.settle-*.nbi"))
    if known or usable_cores() < 2 or not Path(sys.executable).stem.startswith("python"):
        return None
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path},
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
    )


def wait_for_it(work: Workspace) -> None:
    """Wait until the other process is done, and compile meanwhile what is needed later."""
    other = compile_elsewhere()
    if other is None or other.poll() is not None:
        return
    compile_scores()
    while not work.halted:
        try:
            other.wait(TICK)
            return
        except subprocess.TimeoutExpired:
            continue


def compile_scores() -> None:
    """Score a table for practice."""
    rows, sets = _a_table(), np.ones((1, 1), np.uint64)
    refinement = refinement_for(sets, rows)
    score_contexts(Workspace(rows), refinement.keys(sets), refinement)


def compile_settle() -> None:
    """Compile `settle` for what it is called with, without a call: of the right types, of no meaning."""
    sets, zero = np.empty((0, 1), np.uint64), np.zeros(1, np.int64)
    phase = Phase("", np.array([KEY]), as_targets([DUPLICATE]), zero, zero, 1, 1, [sets])
    evidence, atoms = EvidenceTable(sets, sets, sets), atoms_of_columns(zero, 1)
    task = SettleTargets(phase, [0], comparisons_of([0], np.ones(1, np.bool_), []), evidence, atoms)
    arguments: Sequence[Any] = task.arguments(Workspace(_a_table()), 0, nothing_done())
    compiled: Any = settle
    compiled.compile(tuple(map(typeof, arguments)))


def _a_table() -> RankedRows:
    return RankedRows(np.zeros((1, 2), np.int32), [True])
