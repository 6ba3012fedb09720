"""Ranks on one scale for columns that are compared with each other, wherever a task runs."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from lawful.engine import Engine, Limits, Task
from lawful.engine.protocol import Result
from lawful.table.ranked import RankedRows

Scale = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Scales:
    """For some columns the new rank of each old one; `name` tells scales apart that travelled."""

    of: Mapping[int, Scale]
    name: str


def named(scales: Mapping[int, Scale]) -> Scales:
    """Scales under a name of their own."""
    digest = sha256()
    for column, scale in sorted(scales.items()):
        digest.update(column.to_bytes(8, "little") + scale.tobytes())
    return Scales(scales, digest.hexdigest())


_rescaled: WeakKeyDictionary[RankedRows, tuple[str, RankedRows]] = WeakKeyDictionary()
_making = threading.Lock()


def rescaled(rows: RankedRows, scales: Scales) -> RankedRows:
    """The same rows on other scales, made once; a halt of one is a halt of the other."""
    if not scales.of:
        return rows
    with _making:
        name, known = _rescaled.get(rows, ("", rows))
        if name != scales.name:
            ranks = np.array(rows.ranks)
            for column, scale in scales.of.items():
                present = ranks[column] >= 0
                ranks[column, present] = scale[ranks[column, present]]
            known = RankedRows(ranks, rows.ordered)
            known.halt, known.numbers = rows.halt, rows.numbers
            _rescaled[rows] = (scales.name, known)
    return known


@dataclass(frozen=True)
class OnScales(Generic[Result]):
    """A task on rows whose ranks are on the given scales."""

    task: Task[Result]
    scales: Scales

    def __call__(self, rows: RankedRows) -> Iterator[Result]:
        return self.task(rescaled(rows, self.scales))


class ScaledEngine:
    """An engine whose tasks see the rows on the given scales."""

    def __init__(self, engine: Engine, scales: Scales) -> None:
        self._engine, self._scales = engine, scales

    @property
    def limits(self) -> Limits:
        return self._engine.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._engine.limits = limits

    @property
    def whole(self) -> bool:
        return self._engine.whole

    def parted(self, column: int) -> "ScaledEngine":
        """The same on parts of the table."""
        return ScaledEngine(self._engine.parted(column), self._scales)

    @property
    def tasks(self) -> int:
        return self._engine.tasks

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        return self._engine.run([OnScales(task, self._scales) for task in tasks])
