"""Bits against the definition: shuffle a column of a law, and see how often the law still holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

import naive
from lawful.discovery import DEFAULT_KINDS, Options, Search
from lawful.engine import Threads
from lawful.laws import FD, OD, Law
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, LawArrays, joined
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, as_targets, split, swap
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import bit_tables, place_numbers, place_of
from lawful.validate.candidates import bits_of_candidates, log_candidates
from lawful.validate.law_bits import law_bits, without_columns
from lawful.validate.rating import SIDES, Shuffles, in_order, rated
from lawful.validate.side_bits import bits_between
from naive_bits import shuffled_share
from small_tables import rows_of, space_with

SHUFFLES = 20_000
SURE = 4  # standard deviations that chance is granted
SEEDS, TABLES, LAWS = 6, 6, 6  # tests, tables of each, laws of each table
CLOSE = {"context": 0.75, "side of fd": 0.5, "side of od": 1.5}  # bits too few, on average
FEW = 8  # are no average


class Measured(NamedTuple):
    law: Law
    shuffled: str
    bits: float
    share: float  # of shuffles that the law survives

    @property
    def most(self) -> float:
        """The bits that a share as small as this one may stand for."""
        least = self.share - SURE * math.sqrt(self.share * (1 - self.share) / SHUFFLES)
        return -math.log2(least) if least > 0 else math.inf

    @property
    def low(self) -> float | None:
        """By how many bits too few speak for it, where shuffling can tell."""
        return -math.log2(self.share) - self.bits if self.share > 10 / SHUFFLES else None

    @property
    def part(self) -> str:
        """Which part of the law was shuffled."""
        sides: tuple[str, ...] = (self.law.rhs,) if isinstance(self.law, FD) else ()
        sides = (self.law.left, self.law.right) if isinstance(self.law, OD) else sides
        return f"side of {self.law.kind}" if self.shuffled in sides else "context"


def _table(rng: np.random.Generator) -> naive.Table:
    rows, columns = int(rng.integers(4, 20)), int(rng.integers(2, 5))
    values: list[list[int | None]] = []
    for place in range(columns):
        distinct = int(rng.choice([2, 2, 3, 4, 6, rows]))
        column = rng.choice(
            distinct, rows, p=rng.dirichlet(np.full(distinct, rng.choice([0.5, 2, 50])))
        ).tolist()
        if place and rng.random() < 0.4:
            divisor, sign, modulus = [(2, 1, 99), (1, -1, 99), (1, 1, 3)][rng.integers(3)]
            earlier = values[rng.integers(place)]
            column = [None if x is None else sign * (x // divisor) % modulus for x in earlier]
        values.append([None if rng.random() < 0.05 else x for x in column])
    nulls = ["equal", "distinct"][rng.integers(2)]
    names = [f"c{number}" for number in range(columns)]
    return naive.Table(
        names, list(zip(*values, strict=True)), None, "equal" if nulls == "equal" else "distinct"
    )


def _shuffles(laws: LawArrays) -> tuple[Shuffles, Shuffles]:
    """All columns of the contexts of some laws, and all of their sides."""
    several = np.bitwise_count(laws.sets).sum(axis=1) > 1
    chosen = np.flatnonzero(several | (laws.targets[:, RIGHT] >= 0))
    numbers, columns = np.nonzero(np.unpackbits(laws.sets[chosen].view(np.uint8), axis=1, bitorder="little"))
    places, sides = np.nonzero(laws.targets[:, [LEFT, RIGHT]] >= 0)
    of_sides = laws.targets[places, np.array([LEFT, RIGHT])[sides]]
    return without_columns(chosen[numbers], laws.sets, columns), Shuffles(places, laws.sets[places], of_sides)


def _measured(rng: np.random.Generator) -> Iterator[Measured]:
    """Some laws of a table with their bits, for one of their columns or for their sides."""
    table = _table(rng)
    rows = rows_of(table)
    space = space_with(table.columns, rows)
    search = Search(Threads(Workspace(rows), 1), space, Options(DEFAULT_KINDS, min_bits=0))
    laws = joined(search.laws(), space.codec.words)
    work, found = Workspace(rows), list(space.codec.decode(laws))
    for shuffles in _shuffles(laws):
        order, some = in_order(shuffles, laws.targets, np.zeros(len(found)), rows)
        bits = rated(work, some)
        for place in rng.permutation(len(bits))[:LAWS].tolist():
            number, column = shuffles.laws[order[place]], some.columns[place]
            law, name = found[number], table.columns[column]
            share = shuffled_share(law, table, name, SHUFFLES, rng)
            yield Measured(law, name, float(bits[place]), share)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_bits_are_those_of_shuffling_or_a_little_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    measured = [one for _ in range(TABLES) for one in _measured(rng)]
    for one in measured:
        assert one.bits <= one.most + 0.05, one
    for part, most in CLOSE.items():
        low = [one.low for one in measured if one.low is not None and one.part == part]
        assert sum(low) <= most * max(len(low), FEW), part


@pytest.mark.parametrize("seed", range(SEEDS))
def test_bits_are_those_of_the_column_with_the_fewest(seed: int) -> None:
    """Columns are shuffled until one shows that a law is chance; the others are shuffled to the last."""
    rng = np.random.default_rng(seed)
    a, b, c, noise = (rng.integers(distinct, size=300) for distinct in (3, 5, 8, 40))
    of_three, rising = rng.integers(4, size=(3, 5, 8))[a, b, c], noise // 4 * (a + 1)
    rows = RankedRows(np.array([a, b, c, noise, of_three, rising], np.int32), [True] * 6)
    space = space_with([f"c{number}" for number in range(rows.columns)], rows)
    search = Search(Threads(Workspace(rows), 1), space, Options(DEFAULT_KINDS, min_bits=0))
    laws = joined(search.laws(), space.codec.words)
    fewest = np.full(len(laws.kinds), np.inf)
    for shuffles in _shuffles(laws):
        order, some = in_order(shuffles, laws.targets, np.full(len(fewest), -1.0), rows)
        np.minimum.at(fewest, shuffles.laws[order], rated(Workspace(rows), some))
    expected = np.maximum(fewest - bits_of_candidates(laws, rows.columns), 0.0)
    bits = law_bits(Workspace(rows), laws, rows.columns)
    shuffled = np.isfinite(fewest)
    assert bits[shuffled] == pytest.approx(expected[shuffled])
    several = np.bitwise_count(laws.sets).sum(axis=1) > 2
    assert (bits[several] > 0).any()
    assert (bits[several] == 0).any()


def test_laws_that_no_shuffle_breaks_have_no_bits() -> None:
    table = naive.Table(["id", "one", "of"], [(number, 1, number % 2) for number in range(50)])
    rows = rows_of(table)
    space = space_with(table.columns, rows)
    search = Search(Threads(Workspace(rows), 1), space, Options(DEFAULT_KINDS, min_bits=0))
    laws = joined(search.laws(), space.codec.words)
    bits = dict(
        zip(map(str, space.codec.decode(laws)), search.bits(laws, search.scores(laws)).tolist(), strict=True)
    )
    assert bits["key {id}"] == bits["{} -> one"] == bits["{id} -> of"] == 0


def test_large_classes_have_no_more_bits_than_there_are_shuffles() -> None:
    rows = 4000
    halves = np.arange(rows, dtype=np.int32) % 2
    work = Workspace(RankedRows(np.stack([halves, halves]), [True] * 2))
    laws = space_with(["a", "b"], work.rows).codec.encode([FD({"a"}, "b")])
    exactly = math.log2(math.comb(rows, rows // 2)) - 1 - log_candidates(FD_KIND, 1, 2)
    assert exactly - 2 <= law_bits(work, laws, 2)[0] <= exactly + 1e-6


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_scores_tell_and_shared_partitions_change_no_bits(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(TABLES):
        count, columns = int(rng.integers(20, 300)), int(rng.integers(3, 6))
        ranks = np.stack([rng.integers(0, rng.integers(2, 12), count) for _ in range(columns)])
        ranks[0] = ranks[1] // 2 + ranks[2] % 2
        if rng.integers(2):
            ranks -= 1  # the least value is a NULL that equals nothing
        dense = [np.unique(line, return_inverse=True)[1] + line.min() for line in ranks]
        rows = RankedRows(np.stack(dense).astype(np.int32), [True] * columns)
        space = space_with([f"c{number}" for number in range(columns)], rows)
        search = Search(Threads(Workspace(rows), 1), space, Options(DEFAULT_KINDS, min_bits=0))
        laws = joined(search.laws(), space.codec.words)
        bits = search.bits(laws, search.scores(laws))
        for crowded in (0, math.inf):
            monkeypatch.setattr("lawful.validate.rating.CROWDED", crowded)
            assert bits == pytest.approx(law_bits(Workspace(rows), laws, columns), abs=1e-6)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_enough_changes_no_bits_below_it(seed: int) -> None:
    rng, told = np.random.default_rng(seed), 0
    for _ in range(TABLES):
        ranks = np.stack([rng.integers(0, rng.integers(2, 9), 400) for _ in range(4)]).astype(np.int32)
        rows = RankedRows(ranks - int(rng.integers(2)), [True] * 4)
        targets = as_targets([DUPLICATE, split(3), swap(2, 3, False), swap(2, 3, True)])
        laws = LawArrays(np.array([KEY, FD_KIND, OD_KIND, OD_KIND]), targets, np.full((4, 1), 3, np.uint64))
        for shuffles in _shuffles(laws):
            floors, enough = np.full(4, -1.0), rng.uniform(0, 300, 4)
            exactly = rated(Workspace(rows), in_order(shuffles, targets, floors, rows)[1])
            _, some = in_order(shuffles, targets, floors, rows, enough)
            perhaps, less = rated(Workspace(rows), some), exactly <= some.enough
            assert perhaps[less] == pytest.approx(exactly[less])
            assert (perhaps[~less] > some.enough[~less]).all()
            assert (perhaps <= exactly + 1e-6).all()
            told += int((perhaps < exactly - 1e-6).sum())
    assert told


@pytest.mark.parametrize("crowded", [0, math.inf])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_does_not_count_changes_no_bits_beyond_it(
    seed: int, crowded: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lawful.validate.rating.CROWDED", crowded)
    rng, few = np.random.default_rng(seed), 0
    for _ in range(TABLES):
        count = int(rng.integers(20, 1000))
        distinct = [*rng.integers(2, 9, 2), *rng.choice([2, 8, count], 2)]
        ranks = np.stack([rng.integers(0, most, count) for most in distinct]).astype(np.int32)
        alike = rng.integers(2, size=count) * rng.integers(2, 20, count) < rng.integers(1, 20)
        ranks[rng.integers(2, 4), alike] = 0  # most rows of a side, so that it is alike in many classes
        rows = RankedRows(ranks - int(rng.integers(2)), [True] * 4)
        targets = as_targets([swap(2, 3, False), swap(2, 3, True)])
        for sides in (SIDES, 2, 3):
            shuffles = Shuffles(np.arange(2), np.full((2, 1), 3, np.uint64), np.full(2, sides))
            exactly = rated(Workspace(rows), in_order(shuffles, targets, np.full(2, -1.0), rows)[1])
            _, some = in_order(shuffles, targets, exactly * rng.uniform(0.7, 1.5, 2), rows)
            perhaps, more = rated(Workspace(rows), some), exactly > some.floors
            assert perhaps[more] == pytest.approx(exactly[more])
            assert (perhaps[~more] <= some.floors[~more] + 1e-9).all()
            few += int((~more).sum())
    assert few


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 0), (3, 0), (3, 1), (2, 2)])
def test_tables_of_nothing_have_tables_of_bits(shape: tuple[int, int]) -> None:
    tables = bit_tables(RankedRows(np.zeros(shape, np.int32), [True] * shape[0]))
    assert all(np.isfinite(table).all() and (table >= 0).all() for table in tables)


def test_a_trillion_pairs_give_numbers() -> None:
    rows = 1_000_000
    ranks = np.array([np.arange(rows) // 2, np.arange(rows) // 2 % 7, np.arange(rows) % 1000], np.int32)
    work = Workspace(RankedRows(ranks, [True] * 3))
    space = space_with(["half", "week", "day"], work.rows)
    laws = space.codec.encode([FD({"half"}, "week"), OD({"week"}, "half", "day", False)])
    bits = law_bits(work, laws, 3)
    assert bits[0] > rows
    assert np.isfinite(bits).all()


def test_places_are_in_order() -> None:
    numbers = place_numbers(1_000_000)
    assert (np.diff(numbers) > 0).all()
    assert numbers[-1] > 1_000_000
    assert [int(place_of(int(number))) for number in numbers] == [*range(len(numbers))]
    assert int(place_of(int(numbers[100] - 1))) == 99


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 2, 3, 10, 223])
def test_larger_laws_have_as_many_candidates_at_least(kind: int, columns: int) -> None:
    counts = [log_candidates(kind, size, columns) for size in range(columns + 1)]
    assert counts == sorted(counts)
    assert counts[0] >= 0


def test_the_bits_between_equivalent_columns_are_those_of_the_laws_between_them() -> None:
    rng = np.random.default_rng(3)
    targets, sets = as_targets([split(1), swap(0, 1, descending=False)]), np.array([[1], [0]], np.uint64)
    laws = LawArrays(np.array([FD_KIND, OD_KIND]), targets, sets)
    for rows in [*range(2, 60)]:
        values = rng.integers(0, rng.integers(2, rows + 2), rows)
        ranks = np.unique(values, return_inverse=True)[1].astype(np.int32)
        if rng.integers(2):
            ranks -= np.int32(1)  # the least value is a NULL that equals nothing
        if (ranks >= 0).any():
            both = Workspace(RankedRows(np.stack([ranks, ranks]), [True, True]))
            assert bits_between(ranks, 9) == pytest.approx(law_bits(both, laws, 9), rel=1e-12)
