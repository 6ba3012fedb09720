"""What the search asks of an engine, also of one whose tasks see another table: some rows, or other ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from lawful.engine.watch import NO_LIMITS, Limits, Watch
from lawful.table.ranked import View
from lawful.table.workspace import Workspace

SHARING = 16  # neighbours that a task has at least where there is work to share

Result = TypeVar("Result")
Task = Callable[[Workspace], Iterator[Result]]


class Engine(ABC):
    """Runs the independent tasks of one search, each a function of a workspace that brings some results."""

    sees_all_rows = True  # whether each task does

    def __init__(self, work: Workspace, limits: Limits = NO_LIMITS) -> None:
        self.work, self.limits = work, limits

    @property
    @abstractmethod
    def tasks(self) -> int:
        """Into how many tasks to cut a batch: enough that the workers end together, but coarse ones."""

    @abstractmethod
    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come, in any order.

        A task that ends early because of a limit raises the halt flag of the workspace here.
        """

    @property
    def nearby(self) -> Engine:
        """An engine of this process, for work too short to send away."""
        return self

    def parted(self, column: int) -> Engine:
        """An engine that runs each task on all parts of the table; rows equal in the column share a part."""
        return self

    @contextmanager
    def watched(self, limits: Limits) -> Iterator[Watch]:
        """Within the block limits and Ctrl-C end tasks; after it no task runs on."""
        self.limits = limits
        with Watch(self.work, limits, interrupts=True) as watch:
            try:
                yield watch
            finally:  # also where the caller wants no more
                watch.end()


def dealt(items: int, engine: Engine) -> list[range]:
    """Deal items out to tasks, every n-th item to the same: neighbours tend to take equally long."""
    tasks = min(items, engine.tasks)
    return [range(first, items, tasks) for first in range(tasks)]


def stretches(items: int, engine: Engine, sharing: int = SHARING) -> list[slice]:
    """Cut a sorted list of items, whose neighbours share work, into tasks of at least `sharing` items."""
    tasks = min(-(-items // sharing), engine.tasks)
    cuts = [items * k // tasks for k in range(tasks + 1)] if tasks else [0]
    return [slice(start, end) for start, end in pairwise(cuts)]


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
