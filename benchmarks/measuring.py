"""Measure one search in a process of its own: seconds, CPU seconds, peak memory, and what it found."""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

REPEATED_SECONDS = 1.0  # a short search is repeated for so long, and the fastest of its runs counts
MOST_REPEATS = 5
_REFERENCES = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Run:
    """One run of a search: what it took and what it found; `extra` is what else a benchmark wants to know."""

    seconds: float
    cpu: float
    counts: Mapping[str, int]
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The fastest run of a search and the peak memory of its process in bytes, or why there is none."""

    run: Run | None
    peak: int = 0
    failure: str = ""


Search = Callable[[], Run]
T = TypeVar("T")


def clocked(
    work: Callable[[], T],
    counts: Callable[[T], Mapping[str, int]],
    extra: Callable[[T], Mapping[str, float]] = lambda _: {},
) -> Search:
    """A search of which only `work` is measured; `counts` and `extra` then look at its result."""

    def search() -> Run:
        started, cpu = time.perf_counter(), time.process_time()
        result = work()
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        return Run(seconds, cpu, counts(result), extra(result))

    return search


def measure(
    prepare: Callable[..., Search],
    *arguments: Any,
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> Outcome:
    """Run a search in a fresh process.

    Args:
        prepare: what to do before the clock runs (loading, warming up); it returns the search. A function
            of a module, as the new process must find it.
        *arguments: of `prepare`.
        time_limit: seconds that all of it may take.
        memory_limit: bytes of address space that the process may take.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, memory_limit, prepare, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(time_limit):
            return Outcome(None, peak_memory(process.pid), f"did not finish in {time_limit:.0f} s")
        outcome: Outcome = receiver.recv()
        return outcome
    except EOFError:
        process.join()
        return Outcome(None, failure=f"failed: process ended with {process.exitcode}")
    finally:
        process.kill()
        process.join()


def _answer(
    sender: Connection, memory_limit: int | None, prepare: Callable[..., Search], arguments: tuple[Any, ...]
) -> None:
    """In the new process: prepare, search, send the outcome."""
    if memory_limit is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    try:
        run = _fastest(prepare(*arguments))
        outcome = Outcome(run, peak_memory())
    except MemoryError:
        outcome = Outcome(None, peak_memory(), "failed: out of memory")
    except Exception as problem:
        outcome = Outcome(None, peak_memory(), f"failed: {type(problem).__name__}: {problem}")
    sender.send(outcome)


def _fastest(search: Search) -> Run:
    runs = [search()]
    while len(runs) < MOST_REPEATS and sum(run.seconds for run in runs) < REPEATED_SECONDS:
        runs.append(search())
    return min(runs, key=lambda run: run.seconds)


def peak_memory(process: int | None = None) -> int:
    """The most bytes of memory that a process, by default this one, has held (since `forget_peak`).

    Linux tells it of the program alone; what `getrusage` says may be that of the process that started it.
    """
    status = Path(f"/proc/{process or 'self'}/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return 0 if process else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def forget_peak() -> None:
    """Let the peak of memory begin anew, where the system can."""
    with contextlib.suppress(OSError):
        _REFERENCES.write_text("5")
