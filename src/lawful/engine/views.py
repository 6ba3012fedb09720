"""An engine whose tasks see another table than the one it has: some of the rows, or other ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from lawful.engine.protocol import Engine, Result, Task
from lawful.table.ranked import View
from lawful.table.workspace import Workspace


@dataclass(frozen=True)
class _Seeing(Generic[Result]):
    """A task on what a view shows of the rows."""

    task: Task[Result]
    view: View

    def __call__(self, work: Workspace) -> Iterator[Result]:
        return self.task(work.seen_by(self.view))


class Viewed(Engine):
    """Runs tasks on another engine, which shows them what a view makes of its rows."""

    def __init__(self, engine: Engine, view: View) -> None:
        super().__init__(engine.work.seen_by(view), engine.limits)
        self._engine, self._view = engine, view
        self.sees_all_rows = engine.sees_all_rows

    @property
    def nearby(self) -> Viewed:
        return Viewed(self._engine.nearby, self._view)

    def parted(self, column: int) -> Viewed:
        """The same on parts of the table."""
        return Viewed(self._engine.parted(column), self._view)

    @property
    def tasks(self) -> int:
        return self._engine.tasks

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come."""
        return self._engine.run([_Seeing(task, self._view) for task in tasks])
