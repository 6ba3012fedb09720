"""The very first search compiles its kernels, in two processes.

The other process compiles into the cache that kernels are taken from, beginning with what takes longest. What
one of them compiles the other one waits for (`lawful.kernels`), so nothing is compiled twice.
"""

import atexit
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import typeof

from lawful import costs
from lawful.cover.atoms import atoms_of_columns
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.findings import Phase
from lawful.discovery.settle import SettleTargets, nothing_done, settle
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.evidence.evidence_set import EvidenceTable
from lawful.kernels import TICK, is_known
from lawful.laws.codec import FD_KIND, KEY, LawArrays
from lawful.laws.comparisons import atom_words, comparisons_of
from lawful.laws.targets import DUPLICATE, as_targets, split
from lawful.machine import usable_cores
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.batch import score_contexts
from lawful.validate.contexts import refinement_for
from lawful.validate.law_bits import law_bits
from lawful.validate.pair_graphs import chains_of
from lawful.validate.rating import rate_group
from lawful.words import bit_set, numbered_lines


class Practice(NamedTuple):
    """What another process does to have kernels compiled, of which this one takes longest."""

    kernel: Callable[..., Any]
    function: str  # of this module


SETTLING = Practice(settle, "compile_settle")
RATING = Practice(rate_group, "compile_rating")
DENYING = Practice(chains_of, "compile_denials")

_begun: dict[Practice, subprocess.Popen[bytes]] = {}


def practices_for(kinds: Collection[str], rows: int, columns: int) -> list[Practice]:
    """Those for a search of such a table for laws that have bits, what is needed first before others."""
    chosen = []
    if {"key", "fd", "od"} & {*kinds}:
        # A small table has a simpler search, and what takes longest is that of bits.
        chosen.append(RATING if costs.is_small(rows, columns) else SETTLING)
    if {"pod", "dc"} & {*kinds}:
        chosen += [RATING, DENYING]
    return list(dict.fromkeys(chosen))


def compile_elsewhere(practices: Iterable[Practice]) -> None:
    """Let another process compile what was never compiled, if there is a core for it."""
    wanted = [one for one in practices if one not in _begun and not is_known(one.kernel)]
    if not wanted or usable_cores() < 2 or not Path(sys.executable).stem.startswith("python"):
        return
    program = f"from {__name__} import *; " + "; ".join(f"{one.function}()" for one in wanted)
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    nowhere = subprocess.DEVNULL
    other = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
    )
    atexit.register(other.poll)  # its CPU seconds are those of a child of this process
    _begun.update(dict.fromkeys(wanted, other))


def wait_for(practice: Practice, work: Workspace) -> None:
    """Wait until the other process has compiled a kernel, and compile meanwhile what is needed later."""
    other = _begun.pop(practice, None)
    if other is None:
        return
    compile_scores()
    while not is_known(practice.kernel) and other.poll() is None and not work.halted:
        time.sleep(TICK)


def compile_scores() -> None:
    """Score a table for practice."""
    rows = _a_table()
    sets, _ = numbered_lines(np.ones((1, 1), np.uint64))
    refinement = refinement_for(sets, rows)
    score_contexts(Workspace(rows), refinement.keys(sets), refinement)


def compile_rating() -> None:
    """Rate a law for practice."""
    fd = LawArrays(np.array([FD_KIND]), as_targets([split(1)]), np.ones((1, 1), np.uint64))
    law_bits(Workspace(_a_table()), fd, 2)


def compile_denials() -> None:
    """Rate denial constraints for practice: `a = a and b != b`, and `a >= a and b < b`."""
    rows = RankedRows(np.array([[0, 0, 1, 1], [0, 0, 0, 1]], np.int32), [True, True])
    comparisons = comparisons_of([0, 1], np.ones(2, np.bool_), [])
    atoms = ((0, 2, 4), (0, 4, 5))  # of each comparison: it is not less, not equal, not greater
    laws = np.array([bit_set(np.array(some), atom_words(comparisons)) for some in atoms])
    DCBits(ShuffledLaws(rows, comparisons)).of(laws, np.zeros(1, np.int64))


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
