"""Limits end a search cleanly: what is proven stays, the smallest laws first, and the reason is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.csv import write_csv

import complete
import lawful
import naive
from examples import examples
from lawful import LawfulError
from lawful.costs import LONG_TABLE
from lawful.discovery import Progress, Search
from lawful.engine import Threads
from lawful.laws.codec import FD_KIND, LawArrays
from lawful.laws.targets import splits
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from small_tables import Found, found, lines_of, minimal_laws, random_rows, rows_of, space_with, tables

NAMES = [f"c{number}" for number in range(14)]


@pytest.fixture(scope="module")
def rows() -> RankedRows:
    """14 columns of chance: some 50,000 laws of 6 to 9 attributes."""
    return random_rows(14, 200, 4)


@pytest.fixture(scope="module")
def full(rows: RankedRows) -> Found:
    return found(NAMES, rows, workers=2)


def numbers(result: Found) -> set[tuple[int, ...]]:
    return {*lines_of([result.laws._laws])}


def assert_smallest_first(result: Found, full: Found) -> None:
    """All are true laws, and where there is one of size k, all smaller ones are there."""
    assert numbers(result) <= numbers(full)
    largest = int(result.laws.sizes.max(initial=0))
    assert (result.laws.sizes < largest).sum() == (full.laws.sizes < largest).sum()


# 60 columns of chance: nobody can list their FDs. The process may take a little more than it has.
CAPPED = """
import resource, psutil, lawful
import numpy as np, pyarrow as pa
random = np.random.default_rng(0)
table = pa.table({f"c{number}": random.integers(0, 12, 300) for number in range(60)})
lawful.discover(table, "fd", all=True, max_size=2)
most = psutil.Process().memory_info().vms + 250_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
laws = lawful.discover(table, "fd", all=True, workers=2)
print(laws.facts.reason, len(laws) > 100 and not laws.complete)
"""


@pytest.mark.slow
def test_all_laws_of_a_wide_table_end_with_the_memory_that_is_free() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CAPPED], capture_output=True, text=True, timeout=300, cwd=Path.home()
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "memory limit True"


@examples(150)
@given(tables(), st.integers(0, 6), st.sampled_from([None, 1e6]), st.sampled_from([0, LONG_TABLE]))
def test_max_size_gives_exactly_the_laws_up_to_that_size(
    table: naive.Table, max_size: int, time_limit: float | None, long: int
) -> None:
    everything = minimal_laws(table)
    result = found(table.columns, rows_of(table), max_size=max_size, time_limit=time_limit, long=long)
    assert set(result.laws) == {law for law in everything if law.size <= max_size}
    assert len(result.laws) == len(set(result.laws))
    assert result.progress.reason in (None, "max size")
    if len(result.laws) < len(everything):
        assert result.progress.reason == "max size"
    if max_size >= len(table.columns):
        assert result.progress.reason is None


def test_a_limit_of_size_chooses_among_many_laws(rows: RankedRows, full: Found) -> None:
    small = found(NAMES, rows, workers=2, max_size=8)
    assert numbers(small) == numbers(Found(full.laws.filter(max_size=8), full.progress, []))
    assert small.progress.reason == "max size"


def test_deepening_proves_the_smaller_laws_first(rows: RankedRows, full: Found) -> None:
    result = found(NAMES, rows, workers=2, time_limit=1e6)
    assert numbers(result) == numbers(full)
    assert len(result.laws) == len(full.laws)
    largest = 0
    for sizes in result.sizes:
        assert int(sizes.min()) >= largest
        largest = max(largest, int(sizes.max()))


@pytest.mark.parametrize(
    ("limit", "reason"),
    [({"time_limit": 1e-9}, "time limit"), ({"memory_limit": 1}, "memory limit")],
    ids=["time", "memory"],
)
def test_a_limit_that_strikes_leaves_the_smallest_laws(
    limit: dict[str, Any], reason: str, rows: RankedRows, full: Found
) -> None:
    result = found(NAMES, rows, workers=2, **limit)
    assert result.progress.reason == reason
    assert len(result.laws) < len(full.laws)
    assert_smallest_first(result, full)


@pytest.fixture
def handler() -> Iterator[Any]:
    """A handler of Ctrl-C that is not Python's own."""

    def handle(number: int, frame: FrameType | None) -> None:
        raise AssertionError("the search must handle Ctrl-C while it runs")

    before = signal.signal(signal.SIGINT, handle)
    yield handle
    signal.signal(signal.SIGINT, before)


def press_ctrl_c_twice(progress: Progress) -> None:
    if progress.found:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


def press_ctrl_c_once(progress: Progress) -> None:
    if progress.found and not hasattr(progress, "pressed"):
        progress.pressed = True  # type: ignore[attr-defined]
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_found(workers: int, rows: RankedRows, full: Found, handler: Any) -> None:
    result = found(NAMES, rows, workers, press_ctrl_c_once)
    assert signal.getsignal(signal.SIGINT) is handler
    again = found(NAMES, rows, workers)
    assert result.progress.reason == "interrupted"
    assert not result.laws.complete
    assert 0 < len(result.laws) < len(full.laws)
    assert numbers(result) <= numbers(full)
    assert again.progress.reason is None
    assert numbers(again) == numbers(full)


def test_ctrl_c_while_laws_are_scored_keeps_the_laws(handler: Any) -> None:
    rows = random_rows(14, 100_000, 20, 0)
    triples = list(combinations(range(rows.columns), 3))
    laws = LawArrays(
        np.full(len(triples), FD_KIND),
        splits([0] * len(triples)),
        np.array([[sum(1 << column for column in triple)] for triple in triples], np.uint64),
    )
    search = Search(Threads(Workspace(rows), 2), space_with(NAMES, rows), complete.options())

    def press_when_it_is_handled() -> None:
        while signal.getsignal(signal.SIGINT) is handler:
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press_when_it_is_handled)
    thread.start()
    scores = search.scores(laws)
    thread.join()
    assert search.progress.reason == "interrupted"
    assert len(scores) == len(triples)
    assert np.isnan(scores).any()


def test_a_second_ctrl_c_interrupts_at_once(rows: RankedRows, handler: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        found(NAMES, rows, 1, press_ctrl_c_twice)
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_with_a_deepening_search_leaves_the_smallest_laws(
    rows: RankedRows, full: Found, handler: Any
) -> None:
    result = found(NAMES, rows, 2, press_ctrl_c_once, time_limit=1e6)
    assert result.progress.reason == "interrupted"
    assert_smallest_first(result, full)


def test_a_search_in_another_thread_leaves_ctrl_c_alone(rows: RankedRows, handler: Any) -> None:
    seen: list[Any] = []
    thread = threading.Thread(
        target=lambda: found(
            NAMES, rows, 1, lambda progress: seen.append(signal.getsignal(signal.SIGINT)), max_size=3
        )
    )
    thread.start()
    thread.join()
    assert seen
    assert set(seen) == {handler}


def arrow_table(rows: RankedRows) -> pa.Table:
    return pa.table({f"c{number}": ranks for number, ranks in enumerate(rows.ranks)})


def test_a_limit_of_time_counts_reading(rows: RankedRows, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_csv(arrow_table(rows), path)
    facts = lawful.discover(path, all=True, time_limit=1e-9).facts
    assert facts.reason == "time limit"
    assert facts.notes[0].endswith(" s of the time went into reading: --time-limit counts that, too")


@pytest.mark.parametrize("limit", [{}, {"time_limit": 1e6}], ids=["all at once", "deepening"])
def test_closing_a_stream_ends_its_threads(rows: RankedRows, limit: dict[str, Any], handler: Any) -> None:
    before = set(threading.enumerate())
    laws = complete.stream(arrow_table(rows), workers=3, **limit)
    assert next(laws).size > 0
    laws.close()  # type: ignore[attr-defined]
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_stream_brings_every_law_once() -> None:
    table = arrow_table(random_rows(7, 60, 3))
    assert sorted(complete.stream(table)) == sorted(complete.discover(table))


def test_an_error_in_on_progress_ends_the_search(rows: RankedRows, handler: Any) -> None:
    before = set(threading.enumerate())

    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        found(NAMES, rows, 3, fail)
    assert signal.getsignal(signal.SIGINT) is handler
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()


def test_progress_grows_and_ends_with_nothing_left(rows: RankedRows) -> None:
    seen: list[tuple[int, int, int]] = []
    result = found(
        NAMES,
        rows,
        2,
        lambda progress: seen.append((progress.found, progress.validated, progress.left)),
        max_size=8,
    )
    assert [counts[:2] for counts in seen] == sorted(counts[:2] for counts in seen)
    assert seen[-1] == (len(result.laws), result.progress.validated, 0)
    assert all(left >= 0 for _, _, left in seen)


# A table whose laws nobody can list: many columns of two values, and a constant that is found at once.
ENDLESS = """
import numpy as np
import pyarrow as pa
import lawful
ranks = np.random.default_rng(0).integers(0, 2, ({width}, {rows}), np.int32)
columns = {{f"c{{number}}": column for number, column in enumerate(ranks)}}
table = pa.table({{"constant": np.zeros({rows}, int), **columns}})
"""
LIMITED = """
laws = lawful.discover(table, {kinds}, all=True, time_limit={limit}, workers=2)
print(laws.facts.reason)
"""
CLOSED = """
laws = lawful.stream(table, ["fd"], all=True, workers=2)
first = next(laws)
laws.close()
print(first.kind, "closed")
"""
INTERRUPTED = """
import os, signal, threading
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
laws = lawful.discover(table, {kinds}, all=True, workers=2)
print(laws.facts.reason)
"""


def output_of(program: str) -> str:
    """What a Python program prints; it is ended, and the test fails, if it takes more than a minute."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=Path.home()
        )
    except subprocess.TimeoutExpired:
        pytest.fail("the search did not end")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_a_time_limit_ends_a_search_that_would_never_end() -> None:
    program = ENDLESS.format(width=70, rows=1000)
    assert output_of(program + LIMITED.format(kinds=["key", "fd", "od"], limit=1)) == "time limit"


@pytest.mark.slow
def test_a_time_limit_ends_a_level_without_laws_that_would_never_end() -> None:
    """1,500 columns, no key of three among some 500 million sets: the search meets no leaf for minutes."""
    program = ENDLESS.format(width=1500, rows=60)
    assert output_of(program + LIMITED.format(kinds=["key"], limit=4)) == "time limit"


@pytest.mark.slow
def test_ctrl_c_ends_a_search_that_would_never_end() -> None:
    program = ENDLESS.format(width=70, rows=1000) + INTERRUPTED.format(kinds=["key", "fd"])
    assert output_of(program) == "interrupted"


FIRST_RUN = """
import os, signal
from numba.core.caching import NullCache
import lawful
from lawful.kernels import told_of_compiling
from lawful.validate.batch import score_group
score_group._cache = NullCache()  # where nothing is kept, it must be compiled
pressed, table = [], lawful.datasets.employees(50)

def press():
    if score_group._compiling_counter and not pressed:
        pressed.append(os.kill(os.getpid(), signal.SIGINT))

with told_of_compiling(press):
    cut = lawful.discover(table, "fd", all=True, workers={workers})
print(cut.facts.reason, cut.scores[len(cut) // 2], score_group.signatures, end=" ")
print(set(cut) == set(lawful.discover(table, "fd", all=True, workers={workers})) != set())
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_while_a_kernel_is_compiled_keeps_the_laws(workers: int) -> None:
    """It is not waited for, and what needs it can be had later."""
    assert output_of(FIRST_RUN.format(workers=workers)) == "interrupted nan [] True"


@pytest.mark.slow
def test_closing_a_stream_ends_a_search_that_would_never_end() -> None:
    assert output_of(ENDLESS.format(width=70, rows=1000) + CLOSED) == "fd closed"


@pytest.mark.parametrize(
    "bad",
    [
        {"kinds": []},
        {"kinds": ["key", "ind"]},
        {"max_size": -1},
        {"time_limit": 0},
        {"time_limit": -1.0},
        {"time_limit": float("nan")},
        {"memory_limit": 0},
        {"min_score": -0.1},
        {"min_score": 1.1},
        {"min_score": float("nan")},
        {"sample_rows": -1},
        {"pairs_kept": 0},
        {"seed": -1},
        {"top": -1},
        {"workers": -1},
    ],
    ids=str,
)
def test_bad_options_are_refused_in_one_line(bad: dict[str, Any]) -> None:
    with pytest.raises(LawfulError) as told:
        lawful.discover(pa.table({"a": [1, 2]}), **bad)
    assert "\n" not in str(told.value)


def test_a_search_leaves_no_handler_behind_when_it_is_never_started(rows: RankedRows, handler: Any) -> None:
    Search(Threads(Workspace(rows), 1), space_with(NAMES, rows), complete.options()).laws()
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(642, 103), (2000, 2)])
def test_a_limit_of_time_holds_on_wide_tables(columns: int, rows: int) -> None:
    """To set out for each of half a million targets took a minute, limit or not."""
    wide = random_rows(columns, rows, 10, 0)
    started = time.monotonic()
    result = found([f"c{number}" for number in range(columns)], wide, workers=2, time_limit=1)
    assert result.progress.reason == "time limit"
    assert time.monotonic() - started < 15, "with room for a busy machine"
