"""What took work to make is kept for whoever asks next, as long as it fits a budget of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any

import numpy.typing as npt

Arrays = tuple[npt.NDArray[Any], ...]


class Cache:
    """Arrays by name. Threads may share it: each thing is made by one of them while the others wait.

    When the budget is spent, what was not asked for longest goes. What has gone is made again on demand.
    """

    def __init__(self, budget: int) -> None:
        self._budget, self._held = budget, 0
        self._things: OrderedDict[Hashable, Future[Arrays]] = OrderedDict()
        self._lock = threading.Lock()
        self.made = self.reused = self.dropped = 0

    @property
    def held(self) -> int:
        """Bytes that are kept now."""
        return self._held

    def get(self, name: Hashable, make: Callable[[], Arrays]) -> Arrays:
        """What has this name, made now if it is not there."""
        with self._lock:
            thing = self._things.get(name)
            mine = thing is None
            if thing is None:
                thing = self._things[name] = Future()
            else:
                self._things.move_to_end(name)
                self.reused += 1
        if mine:
            self._fulfil(name, thing, make)
        return thing.result()

    def limit(self, budget: int) -> None:
        """Set the budget."""
        with self._lock:
            self._budget = budget
            self._drop_down_to(budget)

    def clear(self) -> None:
        """Drop everything, as memory is short."""
        with self._lock:
            self._drop_down_to(0)

    def _fulfil(self, name: Hashable, thing: Future[Arrays], make: Callable[[], Arrays]) -> None:
        try:
            arrays = make()
        except BaseException as problem:
            with self._lock:
                self._things.pop(name, None)
            thing.set_exception(problem)
            raise
        with self._lock:
            self.made += 1
            thing.set_result(arrays)
            self._held += _bytes(arrays)
            self._drop_down_to(self._budget)

    def _drop_down_to(self, budget: int) -> None:
        if self._held <= budget:
            return
        for name in [name for name, thing in self._things.items() if thing.done()]:
            if self._held <= budget:
                break
            self._held -= _bytes(self._things.pop(name).result())
            self.dropped += 1


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays)
