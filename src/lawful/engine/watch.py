"""Watches the limits of a search and ends it at the next safe place, here and in the workers of a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import NamedTuple, Self

import psutil

from lawful.table.workspace import Workspace

TICK = 0.05  # seconds between two looks at the limits
NEAR = 0.8  # of the limit of memory: from there on it is short

# What the halt flag says: why kernels stop. 1 is for whoever wants no more results.
UNWANTED, TIME, MEMORY, INTERRUPTED = 1, 2, 3, 4
_REASONS = {TIME: "time limit", MEMORY: "memory limit", INTERRUPTED: "interrupted"}


class Limits(NamedTuple):
    """What ends a search early. Plain values, which travel with a task to wherever it runs."""

    ends: float | None = None  # the time of day, as time.time() tells it
    memory: int | None = None  # bytes that a process may hold
    kept: int | None = None  # bytes of partitions that a process may keep
    wanted: str | None = None  # a file without which nobody wants the results

    @property
    def strike(self) -> bool:
        """Whether any of them may end a search."""
        return self._replace(kept=None) != NO_LIMITS

    def reached(self) -> int:
        """Which limit is reached, as the halt flag says it; 0 where none is."""
        if self.wanted is not None and not os.path.exists(self.wanted):
            return UNWANTED
        if self.ends is not None and time.time() >= self.ends:
            return TIME
        return MEMORY if self.memory is not None and held_bytes() > self.memory else 0

    def memory_is_short(self) -> bool:
        """Whether the limit of memory is near."""
        return self.memory is not None and held_bytes() > NEAR * self.memory


NO_LIMITS = Limits()


def held_bytes() -> int:
    """How much memory this process holds."""
    held: int = psutil.Process().memory_info().rss
    return held


class Watch:
    """Raises the halt flag of a search when a limit is reached, and drops what it keeps when memory is short.

    With `interrupts` also on Ctrl-C, of which a second one interrupts at once.
    """

    def __init__(self, work: Workspace, limits: Limits, interrupts: bool = False) -> None:
        self._work, self._limits, self._interrupts = work, limits, interrupts
        self._over = threading.Event()
        self._previous: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Self:
        self._work.halt[0] = 0
        if self._limits.kept is not None:
            self._work.kept.limit(self._limits.kept)
        if self._limits.strike:
            threading.Thread(target=self._look, name="lawful-watch", daemon=True).start()
        if self._interrupts and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over.set()
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
        if self._work.halt[0]:
            raise KeyboardInterrupt
        self._work.halt[0] = INTERRUPTED

    def _look(self) -> None:
        while not self._over.wait(TICK):
            if self._limits.memory_is_short():
                self._work.kept.clear()
            reached = self._limits.reached()
            if reached:
                if not self._work.halt[0]:  # the first reason counts
                    self._work.halt[0] = reached
                return
