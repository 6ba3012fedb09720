"""What the search asks of an engine."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from lawful.engine.watch import Limits
from lawful.table.ranked import RankedRows

SHARING = 16  # neighbours that a task has at least where there is work to share

Result = TypeVar("Result")
Task = Callable[[RankedRows], Iterator[Result]]


class Engine(Protocol):
    """Runs independent tasks on a table, each a function of its ranked rows that brings some results."""

    limits: Limits
    """What ends tasks early; whoever starts a search sets it."""

    @property
    def whole(self) -> bool:
        """Whether tasks see all rows of the table."""

    @property
    def nearby(self) -> "Engine":
        """An engine of this process, for work too short to send away."""

    def parted(self, column: int) -> "Engine":
        """An engine that runs each task on all parts of the table; rows equal in the column share a part."""

    @property
    def tasks(self) -> int:
        """Into how many tasks to cut a batch: enough that the workers end together, but coarse ones."""

    def run(self, tasks: Sequence[Task[Result]]) -> Iterator[Result]:
        """Run all tasks; their results as they come, in any order.

        A task that ends early because of a limit sets the halt flag of the table here.
        """


def dealt(items: int, engine: Engine) -> list[range]:
    """Deal items out to tasks, every n-th item to the same: neighbours tend to take equally long."""
    tasks = min(items, engine.tasks)
    return [range(first, items, tasks) for first in range(tasks)]


def stretches(items: int, engine: Engine, sharing: int = SHARING) -> list[slice]:
    """Cut a sorted list of items, whose neighbours share work, into tasks of at least `sharing` items."""
    tasks = min(-(-items // sharing), engine.tasks)
    cuts = [items * k // tasks for k in range(tasks + 1)] if tasks else [0]
    return [slice(start, end) for start, end in pairwise(cuts)]
