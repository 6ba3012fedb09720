"""Watches the limits of a search and ends it at the next safe place, here and in the workers of a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import NamedTuple, Self

from lawful.halting import INTERRUPTED, MEMORY, TIME, UNWANTED
from lawful.kernels import TICK
from lawful.machine import free_bytes, held_bytes
from lawful.table.workspace import Workspace

MEMORY_TICK = 0.25  # between two looks at memory: each takes a millisecond
NEAR = 0.8  # of the limit of memory: from there on it is short
# Of the free memory: what a search takes without a limit. To rate its laws and put them in order takes half
# as much again, and as much where they are all that it holds.
MOST_MEMORY = 0.4

TIME_LIMIT, BY_CTRL_C = "time limit", "interrupted"
_REASONS = {TIME: TIME_LIMIT, MEMORY: "memory limit", INTERRUPTED: BY_CTRL_C}


class Limits(NamedTuple):
    """What ends a search early. Plain values, which travel with a task to wherever it runs."""

    ends: float | None = None  # the time of day, as time.time() tells it
    memory: int | None = None  # bytes that a process may hold; None: most of what is free where it runs
    kept: int | None = None  # bytes of partitions that a process may keep
    wanted: str | None = None  # a file without which nobody wants the results

    def over(self) -> int:
        """Whether there is no more time or nobody who wants the results, as the halt flag says it."""
        if self.wanted is not None and not os.path.exists(self.wanted):
            return UNWANTED
        return TIME if self.ends is not None and time.time() >= self.ends else 0


NO_LIMITS = Limits()


class Memory:
    """How much of the memory that a process may take is taken, as it was when last looked at."""

    def __init__(self, limit: int | None) -> None:
        self._limit, self._free = limit, 0 if limit else free_bytes()
        self._looked = 0.0
        self._taken = 0.0

    def taken(self) -> float:
        """As a share of all that."""
        if time.monotonic() >= self._looked + MEMORY_TICK:
            self._looked = time.monotonic()
            if self._limit:
                self._taken = held_bytes() / self._limit
            else:
                self._taken = (self._free - free_bytes()) / max(MOST_MEMORY * self._free, 1)
        return self._taken


class Watch:
    """Raises the halt flag of a search when a limit is reached, and drops what it keeps when memory is short.

    With `interrupts` also on Ctrl-C, of which a second one interrupts at once.
    """

    def __init__(self, work: Workspace, limits: Limits, interrupts: bool = False) -> None:
        self._work, self._limits, self._interrupts = work, limits, interrupts
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="lawful-watch", daemon=True)
        self._previous: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Self:
        self._work.halt[0], self._work.short[0] = 0, False
        if self._limits.kept is not None:
            self._work.kept.limit(self._limits.kept)
        self._thread.start()
        if self._interrupts and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def end(self) -> None:
        """Let no task run on."""
        if not self._work.halted:
            self._work.halt[0] = UNWANTED

    @property
    def reason(self) -> str | None:
        """Which limit ended the search, if one did."""
        return _REASONS.get(int(self._work.halt[0]))

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._work.halt[0] not in (0, UNWANTED):
            raise KeyboardInterrupt
        self._work.halt[0] = INTERRUPTED

    def _look(self) -> None:
        memory = None
        while not self._over.wait(TICK):
            memory = memory or Memory(self._limits.memory)  # not for a search that is over sooner
            taken = memory.taken()
            self._work.short[0] = taken > NEAR
            if taken > NEAR:
                self._work.kept.clear()
            reached = self._limits.over() or (MEMORY if taken > 1 else 0)
            if reached and not self._work.halt[0]:  # the first reason counts
                self._work.halt[0] = reached
