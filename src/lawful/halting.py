"""How a search is ended before its end: a flag that kernels look at, and blocks that are left."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

# What the flag says, if not 0: why kernels stop at the next safe place.
UNWANTED, TIME, MEMORY, INTERRUPTED = 1, 2, 3, 4  # nobody wants more results; limits, and Ctrl-C

Flag = npt.NDArray[np.int64]
Item = TypeVar("Item")


class _Halted(BaseException):
    """Raised where a kernel would be compiled for something that is to end."""


_thread = threading.local()  # its `halt`, if any, is the flag that it heeds


@contextmanager
def heeding(halt: Flag) -> Iterator[None]:
    """A block that is left where a kernel would be compiled in it after a flag is raised.

    Kernels look at the flag themselves; to compile one takes seconds, in which nobody else would. Where there
    is no more memory, the flag is raised and the block is left, too.
    """
    before, _thread.halt = getattr(_thread, "halt", None), halt
    try:
        yield
    except _Halted:
        pass
    except MemoryError:
        halt[0] = halt[0] or MEMORY
    finally:
        _thread.halt = before


def until_halted(steps: Iterator[Item], halt: Flag) -> Generator[Item, None, Any]:
    """The same steps, each in such a block; none after one that is left."""
    while True:
        came: list[Item] = []
        with heeding(halt):
            try:
                came.append(next(steps))
            except StopIteration as end:
                return end.value
        if not came:
            return None
        yield came[0]


def leave_if_halted() -> None:
    """Leave the block that this thread is in if its flag is raised."""
    halt = getattr(_thread, "halt", None)
    if halt is not None and halt[0]:
        raise _Halted
