"""What cells tell of literals of two columns: beside a plain definition, and never less than the bits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from denial_tables import comparisons_with, crossed_tables, joint_rows
from examples import examples
from lawful.cover.cell_worth import NONE, Cells, may_cells_be_worth
from lawful.discovery.cell_tables import cells_of
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.laws.comparisons import ACROSS, IN_FIRST, IN_SECOND, Ints, atom_words
from lawful.validate.dc_matching import satisfied
from lawful.validate.shuffled import ROUNDING

NO_HALT = np.zeros(1, np.int64)
Made = tuple[naive.Table, list[naive.CrossColumns]]


class Chosen(NamedTuple):
    """Some literals of a table, by their numbers and as lines of kind, left and right column, excluded."""

    laws: ShuffledLaws
    cells: Cells
    numbers: Ints
    lines: Ints

    def may_be_worth(self, literal: int, wanted: float) -> bool:
        room = np.empty((3, self.laws.rows.count), np.int32)
        asked = self.cells, self.numbers[literal], self.numbers, len(self.numbers), wanted, room
        return bool(may_cells_be_worth(*asked))


def chosen(made: Made, draw: st.DataObject) -> Chosen | None:
    """Some literals, each of another comparison; None where the table has too few."""
    comparisons = comparisons_with(*made)
    laws = ShuffledLaws(joint_rows(made[0]), comparisons)
    literals = DCBits(laws).literals(np.zeros((1, atom_words(comparisons)), np.uint64))
    count = len(comparisons.kind)
    if count < 2 or not laws.rows.count:
        return None
    some = draw.draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=4, unique=True))
    own = [np.flatnonzero(literals.comparison == one).tolist() for one in some]
    numbers = np.array([draw.draw(st.sampled_from(which)) for which in own])
    line = [part[literals.comparison[numbers]] for part in comparisons[:3]]
    lines = np.column_stack([*line, literals.excluded[numbers]])
    return Chosen(laws, cells_of(laws, literals), numbers, lines)


def by_definition(case: Chosen, literal: int, side: int) -> float:
    """What the cells of a literal are worth if its left column (side 0) or its right one is shuffled."""
    line, rows, ranks = case.lines[literal], case.laws.rows.count, case.laws.rows.ranks
    shuffled, is_across = case.laws.column(line[1 + side]), line[0] == ACROSS
    left = shuffled.within(case.laws.shares_in_rows(line, int(line[1 + side])))
    is_s = line[0] == IN_SECOND or (is_across and side == 1)
    least = float(shuffled.within(case.laws.share(*line[1:].tolist())))
    cells = np.full(rows, least) if is_across else left.copy()
    for other in np.delete(case.lines, literal, axis=0):
        on_itself = other[0] == (IN_SECOND if is_s else IN_FIRST)
        for row in range(rows):
            pairs = [(partner, row) if is_s else (row, partner) for partner in range(rows)]
            partners = [k for k, pair in enumerate(pairs) if satisfied(ranks, other.reshape(1, -1), *pair)]
            leaves = left if is_across and not on_itself else np.zeros(rows)
            cells[row] = max(cells[row], min((leaves[k] for k in partners), default=rows))
    k = np.arange(rows)
    return float(np.log2((rows - k) / np.maximum(np.sort(cells) - k, 1)).sum())


@examples(100)
@given(crossed_tables(max_rows=12), st.data())
def test_cells_are_worth_what_their_partners_leave(made: Made, data: st.DataObject) -> None:
    case = chosen(made, data)
    for literal in range(len(case.lines) if case else 0):
        assert case is not None
        if case.cells.lines[case.numbers[literal], 0] == NONE:
            assert case.may_be_worth(literal, 1e9)
            continue
        least = min(by_definition(case, literal, side) for side in range(2))
        assert case.may_be_worth(literal, least - ROUNDING)
        assert not case.may_be_worth(literal, least + ROUNDING)


@examples(100)
@given(crossed_tables(max_rows=12), st.data())
def test_no_literal_has_more_bits_than_its_cells_tell(made: Made, data: st.DataObject) -> None:
    case = chosen(made, data)
    for literal in range(len(case.lines) if case else 0):
        assert case is not None
        some: Any = np.arange(len(case.lines)) == literal
        columns = np.unique(case.lines[literal, 1:3]).tolist()
        least = min(case.laws.bits(case.lines, some, column, NO_HALT) for column in columns)
        assert case.may_be_worth(literal, least - ROUNDING)
