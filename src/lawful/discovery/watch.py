"""Watches the limits of a search and ends it at the next safe place."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self

import psutil

from lawful.table.ranked import RankedRows

TICK = 0.05  # seconds between two looks at time and memory


class Watch:
    """Sets the rows' halt flag when time or memory runs out, or on Ctrl-C, and remembers why.

    A second Ctrl-C interrupts at once.
    """

    def __init__(self, rows: RankedRows, time_limit: float | None, memory_limit: int | None) -> None:
        self._rows = rows
        self._ends = None if time_limit is None else time.monotonic() + time_limit
        self._memory_limit = memory_limit
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="lawful-watch", daemon=True)
        self._previous: Callable[[int, FrameType | None], object] | int | None = None
        self.reason: str | None = None

    def __enter__(self) -> Self:
        if self._ends is not None or self._memory_limit is not None:
            self._thread.start()
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._over.set()
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def stop(self, reason: str) -> None:
        """End the search; the first reason counts."""
        if self.reason is None:
            self.reason = reason
        self._rows.halt[0] = 1

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.reason is not None:
            raise KeyboardInterrupt
        self.stop("interrupted")

    def _look(self) -> None:
        process = psutil.Process()
        while not self._over.wait(TICK):
            if self._ends is not None and time.monotonic() >= self._ends:
                return self.stop("time limit")
            if self._memory_limit is not None and process.memory_info().rss > self._memory_limit:
                return self.stop("memory limit")
        return None
