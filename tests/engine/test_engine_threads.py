"""Every task's result comes once, and items are dealt out without loss."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawful.engine import Limits, Task, Threads, Watch, dealt, stretches
from lawful.machine import held_bytes
from lawful.table.ranked import RankedRows, SomeRows
from lawful.table.workspace import Workspace


def some_work() -> Workspace:
    return Workspace(RankedRows(np.arange(6, dtype=np.int32).reshape(2, 3), [True, True]))


def task(number: int) -> Task[tuple[int, int]]:
    return lambda work: iter([(number, int(work.rows.ranks.sum()))])


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("tasks", [0, 1, 2, 7, 100])
def test_threads_return_every_result_once(workers: int, tasks: int) -> None:
    engine = Threads(some_work(), workers)
    assert engine.workers == workers
    assert sorted(engine.run([task(number) for number in range(tasks)])) == [(n, 15) for n in range(tasks)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_may_bring_any_number_of_results(workers: int) -> None:
    engine = Threads(some_work(), workers)
    counts: list[Task[int]] = [lambda work, n=n: iter([n] * n) for n in range(5)]  # type: ignore[misc]
    assert sorted(engine.run(counts)) == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]


def test_results_come_before_their_task_is_over() -> None:
    """The second result is made only after the caller has seen the first."""
    seen = threading.Event()

    def two(work: Workspace) -> Iterator[int]:
        yield 1
        assert seen.wait(60)
        yield 2

    results = Threads(some_work(), 2).run([two, lambda work: iter(())])
    assert next(results) == 1
    seen.set()
    assert list(results) == [2]


@pytest.mark.parametrize("workers", [2, 4])
def test_threads_run_at_the_same_time(workers: int) -> None:
    """Each task waits for all the others to have started."""
    together = threading.Barrier(workers, timeout=60)
    waiting: Task[int] = lambda work: iter([together.wait()])  # noqa: E731
    results = Threads(some_work(), workers).run([waiting] * workers)
    assert sorted(results) == list(range(workers))


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_a_task_reaches_the_caller_and_ends_all_threads(workers: int) -> None:
    def fail(work: Workspace) -> Iterator[tuple[int, int]]:
        raise ZeroDivisionError

    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError):
        list(Threads(some_work(), workers).run([task(1), fail, task(2)]))
    assert set(threading.enumerate()) <= before


def test_threads_use_the_cores_of_this_process_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Threads(some_work()).workers == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS
    assert Threads(some_work()).workers == os.cpu_count()


def test_a_search_has_a_flag_and_a_budget_of_its_own() -> None:
    """Two searches in one table do not end each other, nor do views of one search part from it."""
    work = some_work()
    other, seen = Workspace(work.rows), work.seen_by(SomeRows(2, 0))
    with Threads(work).watched(Limits(kept=0)):
        work.keep("something", lambda: (np.zeros(1),))
        other.keep("something", lambda: (np.zeros(1),))
    assert work.halted
    assert seen.halted
    assert not other.halted
    assert (work.kept.held, other.kept.held) == (0, 8)
    assert seen.kept is work.kept


@given(st.integers(0, 500), st.integers(1, 8))
def test_items_are_dealt_out_without_loss(items: int, workers: int) -> None:
    engine = Threads(some_work(), workers)
    shares = dealt(items, engine)
    assert sorted(item for share in shares for item in share) == list(range(items))
    assert all(len(share) > 0 for share in shares)
    assert max(map(len, shares), default=0) - min(map(len, shares), default=0) <= 1


@given(st.integers(0, 500), st.integers(1, 8))
def test_stretches_follow_each_other_without_gap(items: int, workers: int) -> None:
    parts = stretches(items, Threads(some_work(), workers))
    assert [item for part in parts for item in range(items)[part]] == list(range(items))
    assert all(part.stop > part.start for part in parts)


def test_tasks_run_one_at_a_time_when_memory_is_short() -> None:
    """Each task takes note of how many run beside it."""
    engine = Threads(some_work(), 4)
    engine.work.short[0] = True
    running: set[int] = set()
    together: list[int] = []

    def look(number: int) -> Task[int]:
        def task(work: Workspace) -> Iterator[int]:
            running.add(number)
            for _ in range(1000):
                together.append(len(running))
            running.remove(number)
            yield number

        return task

    assert sorted(engine.run([look(number) for number in range(20)])) == list(range(20))
    assert set(together) == {1}


def test_a_watch_that_is_over_holds_no_rows() -> None:
    """Tables are large: nobody may wait for the garbage collector to let go of them."""
    work = some_work()
    alive = weakref.ref(work.rows)
    gc.disable()
    try:
        with Watch(work, Limits()):
            pass
        del work
        assert alive() is None
    finally:
        gc.enable()


def test_what_is_kept_goes_when_memory_is_short() -> None:
    work = some_work()
    work.keep("something", lambda: (np.zeros(1),))
    with Watch(work, Limits(memory=held_bytes() + 1)):
        while work.kept.held:
            pass
    assert work.kept.dropped == 1


def test_a_budget_for_what_is_kept_counts_while_a_search_runs() -> None:
    work = some_work()
    with Watch(work, Limits(kept=0)):
        work.keep("something", lambda: (np.zeros(1),))
        assert work.kept.held == 0
