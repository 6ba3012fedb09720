"""What the tasks of one search share in one process: the rows, a halt flag, partitions that are kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
import numpy.typing as npt

from lawful.caching import Arrays, Cache
from lawful.halting import UNWANTED, Flag
from lawful.table.ranked import RankedRows, View

# Times the size of the ranks: what may be kept of partitions, unless a limit says otherwise; and by a process
# that has the machine to itself: so tax of 3,000,000 rows takes a tenth less time (benchmarks/growth.py).
KEPT, KEPT_ALONE = 1, 4


class Workspace:
    """One search's place of work at a table; its threads share it."""

    def __init__(self, rows: RankedRows, halt: Flag | None = None, kept: int = KEPT) -> None:
        self.rows = rows
        # Kernels stop at the next safe place when this is not zero; who gives one is halted together with it.
        self.halt: Flag = np.zeros(1, np.int64) if halt is None else halt
        # Whether memory is: no more at once than must be.
        self.short: npt.NDArray[np.bool_] = np.zeros(1, np.bool_)
        self.kept = Cache(kept * rows.ranks.nbytes)
        self._seen_through: tuple[View, ...] = ()

    @property
    def halted(self) -> bool:
        """Whether the search is to end."""
        return bool(self.halt[0])

    def go_on(self) -> None:
        """Take back that nobody wants results of the tasks that were running."""
        if self.halt[0] == UNWANTED:
            self.halt[0] = 0

    def seen_by(self, view: View) -> Workspace:
        """The same with what a view makes of the rows: halted together, with one budget."""
        other = Workspace(self.rows.seen_by(view), self.halt)
        other.short, other.kept = self.short, self.kept
        other._seen_through = (*self._seen_through, view)
        return other

    def for_another_search(self) -> Workspace:
        """The same rows, with what is kept of them; one search may be halted without the other."""
        other = Workspace(self.rows)
        other.kept, other._seen_through = self.kept, self._seen_through
        return other

    def keep(self, name: Hashable, make: Callable[[], Arrays]) -> Arrays:
        """What has been made of these rows under a name, or is made now; kept as long as there is room."""
        return self.kept.get((self._seen_through, name), make)
