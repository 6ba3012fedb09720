"""What cells of two columns may get if one of these is shuffled: tables for all literals."""

import numpy as np
import numpy.typing as npt

from lawful.cover.cell_worth import NONE, Cells
from lawful.cover.literal_worth import LiteralSpace
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.laws.comparisons import ACROSS, EQUAL, UNEQUAL, Flags, Ints, mirrored_outcomes
from lawful.validate.shuffled import Bits, bits_unless


def cells_of(laws: ShuffledLaws, literals: LiteralSpace) -> Cells:
    """How many values literals of two columns leave, beside each row and beside any."""
    rows, lines = laws.rows, _lines_of(laws, literals)
    kind, left, right, excluded = lines.T
    places, fewest = np.full((len(lines), 2), NONE), np.zeros(len(lines), np.int64)
    known, found = dict[tuple[int, int, int], int](), [np.zeros(rows.count)]
    for literal in np.flatnonzero((left != right) & ~_without_order(excluded)):
        line = lines[literal]
        sides = (line[1], line[2], line[3]), (line[2], line[1], mirrored_outcomes(line[3]))
        for side, asked in enumerate(sides):
            if asked not in known:
                known[asked] = len(found)
                found.append(laws.column(asked[0]).within(laws.shares_in_rows(line, asked[0])))
            places[literal, side] = known[asked]
        if kind[literal] == ACROSS:
            fewest[literal] = laws.column(line[1]).within(laws.share(*line[1:].tolist()))
    across = kind == ACROSS
    as_s = [np.where(across, one, other) for one, other in ((right, left), (left, right))]
    outcomes = np.where(across, mirrored_outcomes(excluded), excluded)
    joins = np.stack([lines[:, 1:], np.column_stack([*as_s, outcomes])], axis=1)
    logs = np.log2(np.maximum(np.arange(rows.count + 1), 1))
    left_over = np.array(found).astype(np.int32)
    return Cells(rows.ranks, rows.orders, left_over, places, fewest, kind.copy(), joins, logs)


def literals_kept(cells: Cells, kept: Flags) -> Cells:
    """The cells of some literals."""
    return cells._replace(
        lines=cells.lines[kept], fewest=cells.fewest[kept], kind=cells.kind[kept], joins=cells.joins[kept]
    )


def most_across(laws: ShuffledLaws, literals: LiteralSpace, cells: Cells) -> Bits:
    """[literal, rows]: what so many rows can be worth at most for a literal of two columns."""
    rows, lines = laws.rows.count, _lines_of(laws, literals)
    most, pairs = np.zeros((len(lines), rows + 1)), np.arange(rows + 1) // 2
    for literal, (kind, left, right, excluded) in enumerate(lines.tolist()):
        if left == right:
            continue
        if excluded in (EQUAL, UNEQUAL):
            bits = float(bits_unless(laws.share(left, right, excluded)))
            sides = [laws.column(column).at_best(bits)[pairs] for column in (left, right)]
            most[literal] = np.minimum(*sides)
        elif kind == ACROSS:
            most[literal] = _nested(np.full(rows, cells.fewest[literal]), cells.logs)
        else:
            sides = [_nested(np.sort(cells.left[line]), cells.logs) for line in cells.lines[literal]]
            most[literal] = np.minimum(*sides)
    return most


def _nested(left: npt.NDArray[np.integer], logs: Bits) -> Bits:
    """What k cells are worth that get one of so many values each, the fewest first."""
    k = np.arange(len(left))
    each: Bits = logs[len(left) - k] - logs[np.maximum(left - k, 1)]
    return np.append(0.0, np.cumsum(np.maximum(each, 0.0)))


def _lines_of(laws: ShuffledLaws, literals: LiteralSpace) -> Ints:
    """The literals as lines of kind, left column, right column, what is excluded."""
    own = [part[literals.comparison] for part in laws.comparisons[:3]]
    return np.column_stack([*own, literals.excluded])


def _without_order(excluded: Ints) -> Flags:
    without: Flags = (excluded == EQUAL) | (excluded == UNEQUAL)
    return without
