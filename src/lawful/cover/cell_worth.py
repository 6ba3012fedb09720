"""What a literal of two columns can be worth at most, told cell by cell.

If one of its columns is shuffled, a row of the pairs that only this literal excludes may get those values
that do not satisfy it: as many as the best of its partners leaves. Each other literal of the law says which
partners these are at most, without a look at any pair: an end of the rows in the order of a column, say.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import excludes
from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, Ints

NONE = -1  # where cells tell nothing


class Cells(NamedTuple):
    """How many values cells may get, and what tells which rows are partners."""

    ranks: npt.NDArray[np.int32]  # [column, row]; negative ones equal nothing
    orders: npt.NDArray[np.int32]  # [column, row]: the rows in the order of the column
    left: npt.NDArray[np.int32]  # [line, row]: how many values a literal leaves beside a row's other one
    lines: Ints  # [literal, side]: where that stands for the left column, for the right one
    fewest: Ints  # [literal]: it leaves so many values beside any row
    kind: Ints  # [literal]: on which rows it is
    joins: Ints  # [literal, way]: if the row is t, or s: its column, its partner's, and what is excluded
    logs: npt.NDArray[np.float64]  # of numbers of rows, to the base of 2


@kernel
def may_cells_be_worth(cells, literal, chosen, count, wanted, room):
    """Whether the cells of a literal beside the others chosen may be worth what is wanted, whichever side.

    They tell nothing of a literal of one column, or without an order.
    """
    for side in range(2):
        line = cells.lines[literal, side]
        if line != NONE:
            alone = cells.kind[literal] != ACROSS
            second = cells.kind[literal] == IN_SECOND or (not alone and side == 1)
            for row in range(room.shape[1]):
                room[0, row] = cells.left[line, row] if alone else cells.fewest[literal]
            for k in range(count):
                if chosen[k] != literal:
                    keep_partners(cells, chosen[k], int(second), line, alone, room)
            if not are_cells_worth(cells, room[0], wanted, room[2]):
                return False
    return True


@kernel
def keep_partners(cells, other, way, line, alone, room):
    """Raise the numbers of values for cells of rows whose partners must satisfy another literal with them.

    The rows are t or, if the way is 1, s; partners of a literal that is `alone` with its row do not count.
    """
    left, total = cells.left[line], room.shape[1]
    own, theirs, excluded = cells.joins[other, way]
    kind = cells.kind[other]
    if kind == (IN_FIRST, IN_SECOND)[way]:
        for row in range(total):
            if excludes(excluded, cells.ranks[own, row], cells.ranks[theirs, row]):
                room[0, row] = total
        return
    for row in range(total):
        room[1, row] = total
    if kind != ACROSS:
        least = total
        for row in range(total):
            if not excludes(excluded, cells.ranks[own, row], cells.ranks[theirs, row]):
                least = min(least, 0 if alone else left[row])
        for row in range(total):
            room[1, row] = least
    else:
        meet(cells, own, theirs, excluded, left, alone, room[1])
    for row in range(total):
        room[0, row] = max(room[0, row], room[1, row])


@kernel
def meet(cells, own, theirs, excluded, left, alone, least):
    """Write for each row the least number of values that a partner leaves which a literal allows."""
    total, known, missing, found = least.shape[0], 0, least.shape[0], 0
    ranks, partners, rows = cells.ranks[theirs], cells.orders[theirs], cells.orders[own]
    while known < total and ranks[partners[known]] < 0:
        missing = min(missing, 0 if alone else left[partners[known]])
        known += 1
    if excluded & GREATER == 0:
        found, at = total, known
        for row in rows:
            x = cells.ranks[own, row]
            while at < total and ranks[partners[at]] < x:
                found = min(found, 0 if alone else left[partners[at]])
                at += 1
            least[row] = min(least[row], found)
    if excluded & LESS == 0:
        found, at = total, total - 1
        for k in range(total - 1, -1, -1):
            x = cells.ranks[own, rows[k]]
            if x < 0:
                break
            while at >= 0 and ranks[partners[at]] > x:
                found = min(found, 0 if alone else left[partners[at]])
                at -= 1
            least[rows[k]] = min(least[rows[k]], found)
    if excluded & EQUAL == 0:
        at, last = known, -1
        for row in rows:
            x = cells.ranks[own, row]
            found = found if x == last else total
            while at < total and ranks[partners[at]] <= x:
                if ranks[partners[at]] == x:
                    found = min(found, 0 if alone else left[partners[at]])
                at += 1
            least[row] = min(least[row], found if x >= 0 else total)
            last = x
    if excluded == EQUAL:
        everything = missing
        for at in range(known, total):
            everything = min(everything, 0 if alone else left[partners[at]])
        for row in range(total):
            least[row] = min(least[row], everything if cells.ranks[own, row] < 0 else missing)


@kernel
def are_cells_worth(cells, left, wanted, counts):
    """Whether cells are worth what is wanted if each gets one of so many values, the fewest first."""
    total, filled, bits = left.shape[0], 0, 0.0
    for k in range(total):
        counts[k] = 0
    for number in left:
        if number < total:
            counts[number] += 1
    for number in range(total):
        for _ in range(counts[number]):
            bits += cells.logs[total - filled] - cells.logs[max(number - filled, 1)]
            filled += 1
        if bits >= wanted:
            return True
    return bits >= wanted
