"""Long tables are searched in an order of rows that keeps those alike together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from lawful.table import Relation, read
from lawful.table.rank_files import LONG, arrangement
from lawful.table.ranked import SomeRows, ranked
from lawful.table.store import Codes


def rows_by_chance(rows: int) -> Codes:
    """A number of each row, a place, what the place determines, and what nothing determines."""
    chance = np.random.default_rng(0)
    place = chance.integers(0, 500, rows)
    return np.array(
        [chance.permutation(rows), place, place % 50, place % 7, chance.integers(0, 2, rows)], "i4"
    )


def in_one_order(ranks: Codes) -> Codes:
    return ranks[:, np.lexsort(ranks)]


def agreement(ranks: Codes) -> int:
    """On how many columns neighbours agree, in all."""
    return int((ranks[:, 1:] == ranks[:, :-1]).sum())


def relation_of(ranks: Codes) -> Relation:
    return read(pa.table({f"c{number}": column for number, column in enumerate(ranks)}))


def test_rows_of_a_place_come_together_and_no_row_is_lost() -> None:
    relation = relation_of(rows_by_chance(LONG))
    arranged = ranked(relation).ranks
    assert np.array_equal(in_one_order(arranged), in_one_order(relation.ranks()))
    assert agreement(arranged) > 2 * agreement(relation.ranks())
    assert (np.diff(arranged[1]) >= 0).all(), "the column that determines most is the one to order by"


def test_the_order_follows_the_rows_as_they_come_and_go() -> None:
    relation = relation_of(rows_by_chance(LONG))
    ranked(relation)
    relation.delete(range(0, LONG, 3))
    assert np.array_equal(ranked(relation).ranks, relation.ranks()), "too short now"
    relation.append(relation.rows(relation.row_ids[: LONG // 2]))
    assert np.array_equal(in_one_order(ranked(relation).ranks), in_one_order(relation.ranks()))
    assert (np.diff(ranked(relation).ranks[1]) >= 0).all()


def test_rows_lead_back_to_their_ids() -> None:
    """Whatever their order, whatever is gone, in a part of the table too."""
    relation = relation_of(rows_by_chance(LONG + 100))
    relation.delete(range(0, 100, 2))
    rows = ranked(relation)
    assert not np.array_equal(rows.ranks, relation.ranks())
    for some in (rows, rows.seen_by(SomeRows(1000, 0))):
        ids = some.row_ids(np.arange(some.count))
        assert len(np.unique(ids)) == some.count
        assert ids.min() >= 1
        chosen = np.linspace(0, some.count - 1, 50).astype(int)
        values = [column.to_numpy() for column in relation.rows(ids[chosen]).columns]
        numbers = chosen if some.numbers is None else some.numbers[chosen]
        for column, name in enumerate(relation.names):
            dictionary = relation.dictionary(name).to_numpy()
            np.testing.assert_array_equal(dictionary[rows.ranks[column, numbers]], values[column])


def test_rows_of_a_short_table_lead_back_to_their_ids() -> None:
    relation = relation_of(rows_by_chance(10))
    assert ranked(relation).row_ids(np.array([3, 9])).tolist() == [3, 9]
    relation.delete([0, 4])
    assert ranked(relation).row_ids(np.array([0, 7])).tolist() == [1, 9]


@pytest.mark.parametrize("first", ["much", "little"])
def test_the_order_is_decided_once_for_all_processes(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It depends on the memory that is free, which changes: nobody may number the rows anew."""
    relation = relation_of(rows_by_chance(LONG))
    free = {"much": 1 << 40, "little": 0}
    decided = []
    for amount in (first, *free):
        monkeypatch.setattr("psutil.virtual_memory", lambda amount=amount: Memory(free[amount]))
        decided += [ranked(relation).ranks, ranked(Relation.open(relation.folder)).ranks]
    for ranks in decided[1:]:
        np.testing.assert_array_equal(ranks, decided[0])
    assert np.array_equal(decided[0], relation.ranks()) == (first == "little")


@dataclass
class Memory:
    available: int


def test_a_file_in_a_good_order_stays_so() -> None:
    ranks = rows_by_chance(LONG)
    assert arrangement(ranks) is not None
    assert arrangement(ranks[:, np.argsort(ranks[1])]) is None


def test_rows_that_nothing_brings_together_stay_as_they_are() -> None:
    chance = np.random.default_rng(0)
    keys = np.array([chance.permutation(LONG) for _ in range(3)], np.int32)
    assert arrangement(keys) is None
    assert arrangement(np.zeros((2, LONG), np.int32)) is None
