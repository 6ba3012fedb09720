"""An engine whose tasks see another table than the one it has: some of the rows, or other ranks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from lawful.engine.protocol import Engine, Result, Task
from lawful.engine.watch import Limits
from lawful.table.ranked import RankedRows, View


@dataclass(frozen=True)
class _Seeing(Generic[Result]):
    """A task on what a view shows of the rows."""

    task: Task[Result]
    view: View

    def __call__(self, rows: RankedRows) -> Iterator[Result]:
        return self.task(rows.seen_by(self.view))


class Viewed:
    """Runs tasks on another engine, which shows them what a view makes of its rows."""

    def __init__(self, engine: Engine, view: View) -> None:
        self._engine, self._view = engine, view

    @property
    def limits(self) -> Limits:
        return self._engine.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._engine.limits = limits

    @property
    def whole(self) -> bool:
        return self._engine.whole

    @property
    def nearby(self) -> "Viewed":
        return Viewed(self._engine.nearby, self._view)

    def parted(self, column: int) -> "Viewed":
        """The same on parts of the table."""
        return Viewed(self._engine.parted(column), self._view)

    @property
    def tasks(self) -> int:
        return self._engine.tasks

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        return self._engine.run([_Seeing(task, self._view) for task in tasks])
