"""The very first search compiles its kernels, in two processes: one of them takes as long as the others.

The other process compiles that one into the cache that kernels are taken from. For a large table it is the
search, for a small one, which has a simpler search, that of bits.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import typeof

from lawful import costs
from lawful.cover.atoms import atoms_of_columns
from lawful.discovery.findings import Phase
from lawful.discovery.settle import SettleTargets, nothing_done, settle
from lawful.evidence.evidence_set import EvidenceTable
from lawful.kernels import is_known
from lawful.laws.codec import FD_KIND, KEY, LawArrays
from lawful.laws.comparisons import comparisons_of
from lawful.laws.targets import DUPLICATE, as_targets, split
from lawful.machine import usable_cores
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.contexts import refinement_for
from lawful.validate.coverage import score_contexts
from lawful.validate.law_bits import law_bits
from lawful.validate.rating import rate_group
from lawful.words import numbered_lines

TICK = 0.05  # seconds between two looks whether the search is to end


class Longest(NamedTuple):
    """A kernel that takes as long as the others of a search, and what of this module compiles it."""

    kernel: Callable[..., Any]
    compiled_by: str

    @property
    def program(self) -> str:
        """What another process runs."""
        return f"from {__name__} import {self.compiled_by} as compile; compile()"


SETTLING = Longest(settle, "compile_settle")
RATING = Longest(rate_group, "compile_rating")


def longest_for(rows: int, columns: int) -> Longest:
    """That of the search of such a table for keys, FDs and ODs."""
    return RATING if costs.is_small(rows, columns) else SETTLING


@cache
def compile_elsewhere(longest: Longest) -> subprocess.Popen[bytes] | None:
    """Let another process compile a kernel, where it was never compiled and there is a core for it."""
    package = Path(__file__).parents[2]
    if is_known(longest.kernel) or usable_cores() < 2 or not Path(sys.executable).stem.startswith("python"):
        return None
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-c", longest.program],
        env={**os.environ, "PYTHONPATH": path},
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
    )


def wait_for(longest: Longest, work: Workspace) -> None:
    """Wait until the other process is done, and compile meanwhile what is needed later."""
    other = compile_elsewhere(longest)
    if other is None or other.poll() is not None:
        return
    if longest is SETTLING:
        compile_scores()
    while not work.halted:
        try:
            other.wait(TICK)
            return
        except subprocess.TimeoutExpired:
            continue


def compile_scores() -> None:
    """Score a table for practice."""
    rows = _a_table()
    sets, _ = numbered_lines(np.ones((1, 1), np.uint64))
    refinement = refinement_for(sets, rows)
    score_contexts(Workspace(rows), refinement.keys(sets), refinement)


def compile_rating() -> None:
    """Rate a law for practice, then score a table: both walk through contexts."""
    fd = LawArrays(np.array([FD_KIND]), as_targets([split(1)]), np.ones((1, 1), np.uint64))
    law_bits(Workspace(_a_table()), fd, 2)
    compile_scores()


def compile_settle() -> None:
    """Compile `settle` for what it is called with, without a call: of the right types, of no meaning."""
    sets, zero = np.empty((0, 1), np.uint64), np.zeros(1, np.int64)
    phase = Phase("", np.array([KEY]), as_targets([DUPLICATE]), zero, zero, 1, 1, [sets])
    evidence, atoms = EvidenceTable(sets, sets, sets), atoms_of_columns(zero, 1)
    task = SettleTargets(phase, [0], comparisons_of([0], np.ones(1, np.bool_), []), evidence, atoms)
    arguments: Sequence[Any] = task.arguments(Workspace(_a_table()), 0, nothing_done(), 0)
    compiled: Any = settle
    compiled.compile(tuple(map(typeof, arguments)))


def _a_table() -> RankedRows:
    """Of one row, so that hardly anything else is compiled."""
    return RankedRows(np.zeros((2, 1), np.int32), [True, True])
