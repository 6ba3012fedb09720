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
from lawful.cover.mmcs import Bounds, Enumeration
from lawful.discovery.findings import Phase
from lawful.discovery.settle import Descent, Question, SettleTargets, begin, settle
from lawful.evidence.evidence_set import EvidenceTable
from lawful.laws.codec import KEY
from lawful.laws.comparisons import comparisons_of
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.machine import usable_cores
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate import partition
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
    compile_the_rest()
    while not work.halted:
        try:
            other.wait(TICK)
            return
        except subprocess.TimeoutExpired:
            continue


def compile_the_rest() -> None:
    """What a search calls before and after `settle`."""
    question, _ = _in_kind()
    compiled: Any = begin
    compiled.compile(_types([question, 1]))
    rows, sets = RankedRows(np.zeros((1, 2), np.int32), [True]), np.ones((1, 1), np.uint64)
    refinement = refinement_for(sets, rows)
    score_contexts(Workspace(rows), refinement.keys(sets), refinement)


def compile_settle() -> None:
    """Compile `settle` for what it is called with, without a call."""
    _, arguments = _in_kind()
    compiled: Any = settle
    compiled.compile(_types(arguments))


def _in_kind() -> tuple[Question, tuple[Any, ...]]:
    """A question and the arguments of `settle`, of the right types and of no meaning."""
    sets, numbers, some = np.empty((0, 1), np.uint64), np.empty(0, np.int64), np.empty(0, np.int32)
    rows, targets = RankedRows(np.zeros((1, 2), np.int32), [True]), as_targets([DUPLICATE])
    phase = Phase("", np.array([KEY]), targets, np.ones(1, np.int64), numbers, 1, 1, [sets])
    evidence, atoms = EvidenceTable(sets, sets, sets), atoms_of_columns(np.zeros(1, np.int64), 1)
    task = SettleTargets(phase, [0], comparisons_of([0], np.ones(1, np.bool_), []), evidence, atoms)
    search = Enumeration(sets, sets, sets, sets[None], sets, sets, numbers, sets.ravel(), numbers)
    descent = Descent(search, partition.Path(some, some, numbers, numbers, numbers, some[None]))
    work = Workspace(rows)
    question = task.question(work, 0)
    return question, task.arguments(work, question, descent, Bounds(1))


def _types(arguments: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(typeof, arguments))
