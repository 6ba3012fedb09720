"""Kernels are compiled once: for Python as a whole, inside other kernels as parts, and then kept in files."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import runtime
from numba.core.errors import TypingError
from rich.console import Console

from lawful import kernels
from lawful.discovery import first_run
from lawful.discovery.settle import settle
from lawful.halting import MEMORY, TIME, heeding, until_halted
from lawful.kernels import told_of_compiling
from lawful.report.progress_bar import COMPILING, shown_progress

Kernel = Callable[[Callable[..., Any]], Callable[..., Any]]

A_SEARCH = """
import numpy as np
from lawful.kernels import told_of_compiling
from lawful.words import distinct_lines
told = []
with told_of_compiling(lambda: told.append(1)):
    assert distinct_lines(np.array([[7], [5], [7]], np.uint64)).tolist() == [[7], [5]]
print(len(told))
"""

SEARCHES = """
import pyarrow as pa
import lawful
from lawful import costs
from lawful.discovery import first_run
from lawful.discovery.settle import settle
from lawful.validate.batch import score_group
from lawful.validate.pair_graphs import bits_of_blocks, chains_of, conflicts_of, connected
from lawful.validate.rating import rate_group
table = pa.table({"a": [1, 2, 2], "b": [1, 1, 2]})
for costs.SMALL_ROWS in (0, 3):
    lawful.discover(table)
lawful.discover(lawful.datasets.employees(12), ["dc"], cross_columns="off")
first_run.compile_settle()
first_run.compile_scores()
first_run.compile_rating()
first_run.compile_denials()
for compiled in (settle, rate_group, score_group, chains_of, conflicts_of, connected, bits_of_blocks):
    assert len(compiled.signatures) == 1, (compiled, compiled.signatures)
"""


TWO_KERNELS = """
import sys
import numpy as np
from lawful.kernels import kernel

@kernel
def in_order(values):
    values.sort()
    return values

@kernel
def places(values):
    return np.argsort(values)

for name in sys.argv[1:]:
    print(globals()[name](np.array([30, 10, 20])).tolist())
"""
IN_ORDER, PLACES = "[10, 20, 30]\n", "[1, 2, 0]\n"


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Makes kernels that no file is kept of, so that they are compiled whenever the test runs."""
    monkeypatch.setattr(kernels, "CACHE", None)
    return kernels.kernel


def test_a_kernel_is_the_same_inside_another_one(kernel: Kernel) -> None:
    @kernel
    def squares(numbers):  # type: ignore[no-untyped-def]
        return numbers * numbers

    @kernel
    def sum_of_squares(numbers):  # type: ignore[no-untyped-def]
        return squares(numbers).sum()

    for numbers in (np.arange(5), np.arange(5) / 2):
        assert sum_of_squares(numbers) == squares(numbers).sum()


def test_a_kernel_is_compiled_once_for_all_integers_that_it_is_called_with(kernel: Kernel) -> None:
    @kernel
    def add(a, b):  # type: ignore[no-untyped-def]
        return a + b

    @kernel
    def add_several(a):  # type: ignore[no-untyped-def]
        return add(a, 0) + add(1, b=a) + add(a, len((a, a)))

    told: list[None] = []
    with told_of_compiling(lambda: told.append(None)):
        assert add_several(7) == 7 + 8 + 9
        assert len(told) == 2
        assert add_several(8) == 8 + 9 + 10
    assert len(told) == 2
    assert add(1, 2) == 3
    assert len(told) == 2  # nobody listens


def test_errors_of_a_kernel_leave_the_one_that_calls_it(kernel: Kernel) -> None:
    @kernel
    def quotient(a, b):  # type: ignore[no-untyped-def]
        return a // b

    @kernel
    def next_quotient(a, b):  # type: ignore[no-untyped-def]
        return quotient(a, b) + 1

    assert next_quotient(7, 2) == 4
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        next_quotient(7, 0)


def test_arrays_that_kernels_hand_to_each_other_are_freed(kernel: Kernel) -> None:
    @kernel
    def doubled(numbers):  # type: ignore[no-untyped-def]
        return np.concatenate((numbers, numbers))

    @kernel
    def grown(numbers, least):  # type: ignore[no-untyped-def]
        while numbers.shape[0] < least:
            numbers = doubled(numbers)
        return numbers

    assert grown(np.arange(2), 8).tolist() == [0, 1] * 4
    numba_runtime: Any = runtime
    numba_runtime._nrt_python.memsys_enable_stats()
    before = numba_runtime.rtsys.get_allocation_stats()
    for _ in range(10):
        grown(np.arange(2), 100)
    after = numba_runtime.rtsys.get_allocation_stats()
    numba_runtime._nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_the_next_process_compiles_nothing(tmp_path: Path) -> None:
    def compiled() -> int:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        run = subprocess.run(
            [sys.executable, "-c", A_SEARCH], env=environment, capture_output=True, check=True
        )
        return int(run.stdout)

    assert compiled() > 0
    assert compiled() == 0


def test_kernels_that_two_processes_compiled_do_not_mix(tmp_path: Path) -> None:
    """Numba sorts and finds places by functions of the same names; what they do differs."""
    file, environment = tmp_path / "two_kernels.py", {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    file.write_text(TWO_KERNELS)

    def told(*names: str) -> str:
        return subprocess.check_output([sys.executable, file, *names], env=environment, text=True)

    assert (told("in_order"), told("places")) == (IN_ORDER, PLACES)
    assert told("in_order", "places") == IN_ORDER + PLACES
    assert told("places", "in_order") == PLACES + IN_ORDER


def test_a_module_is_compiled_anew_when_something_changes_that_it_imports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sources = {
        "lawful.ground": b"SIZE = 3\n",
        "lawful.middle": b"from lawful.ground import (\n    SIZE,\n)\n",
        "lawful.top": b"    from lawful import middle, words as w\nfrom lawful.beside import nothing\n",
        "lawful.words": b"ONE = 1\n",
        "lawful.beside": b"",
        "lawful.other": b"from numpy import ground\n",
    }

    def versions() -> dict[str, str]:
        kernels._imports.cache_clear()
        kernels._version.cache_clear()
        return {name: kernels._version(name) for name in sources}

    monkeypatch.setattr(kernels, "SOURCES", sources)
    before = versions()
    assert versions() == before
    sources["lawful.ground"] = b"SIZE = 4\n"
    after = versions()
    monkeypatch.undo()
    versions()
    changed = {name for name in sources if after[name] != before[name]}
    assert changed == {"lawful.ground", "lawful.middle", "lawful.top"}


@pytest.mark.parametrize("compiles", [False, True])
def test_the_terminal_tells_when_kernels_are_compiled(kernel: Kernel, compiles: bool) -> None:
    @kernel
    def next_number(number):  # type: ignore[no-untyped-def]
        return number + 1

    out = StringIO()
    if not compiles:
        next_number(1)
    with shown_progress(Console(file=out, force_terminal=True)):
        assert next_number(1) == 2
    assert (COMPILING in out.getvalue()) == compiles


def test_processes_that_need_the_same_kernel_wait_for_the_one_that_compiles_it(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.Popen([sys.executable, "-c", A_SEARCH], env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    compiled = sorted(int(run.communicate(timeout=120)[0]) for run in runs)
    assert compiled[0] == compiled[1] == 0 < compiled[2]


def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "CACHE", tmp_path)

    @kernels.kernel
    def wrong(number):  # type: ignore[no-untyped-def]
        return number + "text"

    with pytest.raises(TypingError):
        wrong(1)
    (lock,) = tmp_path.rglob("*.lock")
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if somebody has it


def test_nothing_is_compiled_for_what_is_halted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "CACHE", tmp_path)

    @kernels.kernel
    def next_number(number):  # type: ignore[no-untyped-def]
        return number + 1

    halt = np.ones(1, np.int64)
    with heeding(halt):
        next_number(1)
        pytest.fail("the block goes on")
    assert [*until_halted(map(next_number, [1]), halt)] == []
    (lock,) = tmp_path.rglob("*.lock")
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with heeding(halt):
            next_number(1)
            pytest.fail("it waits for whoever compiles")
    with heeding(halt), heeding(np.zeros(1, np.int64)):
        assert next_number(1) == 2
    with heeding(halt):
        assert next_number(1) == 2  # is known by now


def test_what_finds_no_memory_is_left_and_halts_the_others() -> None:
    halt = np.zeros(1, np.int64)
    with heeding(halt):
        np.empty(1 << 50)
        pytest.fail("the block goes on")
    assert halt[0] == MEMORY
    halt[0] = TIME
    with heeding(halt):
        np.empty(1 << 50)
    assert halt[0] == TIME  # the first reason counts


@pytest.mark.slow
def test_another_process_compiles_for_what_a_search_calls_with() -> None:
    """Else the first run would compile its longest kernels twice."""
    subprocess.run([sys.executable, "-c", SEARCHES], check=True, cwd=Path(__file__).parent)


def test_a_second_process_is_started_only_where_nothing_was_compiled_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "CACHE", tmp_path)
    monkeypatch.setattr(first_run, "_begun", {})
    soon = first_run.SETTLING._replace(function="compile_scores")  # takes less long
    file = tmp_path / kernels._version(settle.__module__) / "settle.settle-1.py.nbi"
    file.parent.mkdir()
    file.touch()
    first_run.compile_elsewhere([soon])
    assert not first_run._begun
    file.unlink()
    first_run.compile_elsewhere([soon])
    other = first_run._begun[soon]
    assert other.wait(60) == 0
    first_run.compile_elsewhere([soon])
    assert first_run._begun == {soon: other}
    monkeypatch.setattr(first_run, "_begun", {})
    monkeypatch.setattr(first_run, "usable_cores", lambda: 1)
    first_run.compile_elsewhere([soon])
    assert not first_run._begun


def test_what_another_process_practises_depends_on_the_kinds_of_law() -> None:
    settling, rating, denying = first_run.SETTLING, first_run.RATING, first_run.DENYING
    assert first_run.practices_for(["key", "fd"], 50, 5) == [rating]
    assert first_run.practices_for(["od"], 1_000_000, 5) == [settling]
    assert first_run.practices_for(["key", "dc"], 50, 5) == [rating, denying]
    assert first_run.practices_for(["pod"], 50, 5) == [rating, denying]
