"""What laws that hold almost are worth: the bits saved by writing a table down with them.

An FD saves, for each row but the first that has the value that most rows of its class have, what it takes to
write that value, and costs what it takes to say which rows are exceptions. Each column on its left must save
some of that itself: what counts is the least that the law saves over the law without one of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from lawful.laws.codec import FD_KIND
from lawful.laws.comparisons import Ints
from lawful.table.workspace import Workspace
from lawful.validate.candidates import log_candidates
from lawful.validate.contexts import partition_of
from lawful.validate.removals import saved_in_classes


def bits_of_fd(left: Iterable[int], right: int, work: Workspace, columns: int, enough: float = 0.0) -> float:
    """The bits of an FD, exact or not, over so many columns; never negative.

    Of one that has not enough it is only told that these are too few.
    """
    context = tuple(sorted(left))
    needed = enough + log_candidates(FD_KIND, len(context), columns)
    saved = saved_by_fd(context, right, work)
    least = saved
    for one in reversed(context):  # the partition without the last column is at hand
        if least < needed:
            break
        least = min(least, saved - saved_by_fd(tuple(c for c in context if c != one), right, work))
    return max(0.0, least - needed + enough)


def saved_by_fd(context: tuple[int, ...], right: int, work: Workspace) -> float:
    """The bits saved by an FD; 0 where it saves none."""
    column, total = work.rows.ranks[right], work.rows.count
    (prices,) = work.keep(("prices", right), lambda: (_prices(work.rows.sizes[right], total),))
    rows, ends = partition_of(context, work)
    saved, exceptions = saved_in_classes(rows, ends, column, prices, work.rows.counts)
    return max(0.0, float(saved) - total * entropy(exceptions / max(total, 1)))


def _prices(sizes: Ints, total: int) -> npt.NDArray[np.float64]:
    """What it takes to write each value of a column; `sizes` are their numbers of rows."""
    prices: npt.NDArray[np.float64] = -np.log2(np.maximum(sizes, 1) / max(total, 1))
    return prices


def entropy(share: float) -> float:
    """The bits it takes to say of something that is so in such a share of cases whether it is so."""
    if share in (0.0, 1.0):
        return 0.0
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)
