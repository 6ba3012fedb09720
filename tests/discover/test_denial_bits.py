"""Bits of denial constraints: the oracle is to shuffle and count; and the search for laws of some bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lawful
import naive
from denial_tables import comparisons_with, crossed_tables, denials, found_denials, joint_rows
from examples import examples
from lawful import costs, datasets
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.shown_denials import SEED
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.laws import DC, POD, Cell, Predicate, parse
from lawful.laws.implication import without_echoes
from lawful.laws.targets import as_targets, split, swap
from lawful.report.collection import Laws
from lawful.table.ranked import SomeRows
from lawful.table.workspace import Workspace
from lawful.validate.rating import Shuffles, in_order, rated
from naive_bits import exact_share, shuffled_share
from small_tables import rows_of, space_with, tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_HALT = np.zeros(1, np.int64)
Crossed = list[naive.CrossColumns]


class Rated:
    """The bits of laws of a made table, as some of its rows tell them."""

    def __init__(self, table: naive.Table, crossed: Crossed, some: int = 5000, pods: bool = False) -> None:
        rows, comparisons = joint_rows(table), comparisons_with(table, crossed)
        self.codec = space_with(table.columns, rows, comparisons).codec
        rated = rows if some >= rows.count else rows.seen_by(SomeRows(some, SEED))
        self.bits, self.table = DCBits(ShuffledLaws(rated, comparisons), pointwise=pods), table

    def of(self, laws: list[DC]) -> list[float]:
        bits: list[float] = self.bits.of(self._sets(laws), NO_HALT).tolist()
        return bits

    def of_column(self, law: DC, column: str) -> float:
        return self.bits.of_column(self._sets([law])[0], self.table.columns.index(column), NO_HALT)

    def _sets(self, laws: list[DC]) -> Any:
        words = -(-3 * len(self.codec.comparisons.kind) // 64)
        return np.ascontiguousarray(self.codec.encode(laws).sets[:, : max(words, 1)])


@examples(10)
@given(crossed_tables(max_rows=6))
def test_no_column_has_more_bits_than_shuffling_tells(made: tuple[naive.Table, Crossed]) -> None:
    table, crossed = made
    rated = Rated(table, crossed)
    laws = sorted(naive.minimal_dcs(table, crossed))[:12]
    for law in laws:
        for column in sorted(law.columns):
            bits = rated.of_column(law, column)
            assert bits >= 0
            assert math.copysign(1, bits) > 0
            assert exact_share(law, table, column) <= 2**-bits * (1 + 1e-9)
    for law, bits in zip(laws, rated.of(laws), strict=True):
        assert 0 <= bits <= min([rated.of_column(law, column) for column in law.columns], default=0)


@examples(10)
@given(tables(min_columns=2, max_columns=3, max_rows=30), st.integers(0, 2**32))
def test_longer_tables_have_not_more_bits_either(table: naive.Table, seed: int) -> None:
    rated, shuffles = Rated(table, []), 4000
    laws = sorted(denials(found_denials(table).laws))[:4]
    for law in laws:
        for column in sorted(law.columns):
            chance = 2 ** -rated.of_column(law, column)
            share = shuffled_share(law, table, column, shuffles, np.random.default_rng(seed))
            assert share <= chance + 5 * math.sqrt(chance / shuffles) + 5 / shuffles


def _column(values: str) -> list[int]:
    return [int(value) for value in values]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("not(t.a = s.a and t.b != s.b)", "a"),
        ("not(t.a = s.a and t.b != s.b)", "b"),
        ("not(t.a = s.a and t.d = s.d)", "a"),
        ("not(t.a = s.a and t.d = s.d)", "d"),
        ("not(t.b < s.b and t.f > s.f)", "b"),
        ("not(t.b < s.b and t.f > s.f)", "f"),
        ("not(t.e = s.e and t.g < s.g and t.h > s.h)", "g"),
        ("not(t.e = s.e and t.g < s.g and t.h >= s.h)", "g"),
        ("not(t.e <= s.e and t.g < s.g and t.h > s.h and t.i <= s.i)", "g"),
        ("not(t.g >= t.j)", "g"),
        ("not(t.g >= t.j)", "j"),
        ("not(t.e = s.e and t.g < s.g and t.g >= t.j)", "j"),
    ],
)
def test_bits_are_near_the_truth(text: str, column: str) -> None:
    columns = {
        "a": _column("0011223344556677"),
        "b": _column("1100110011001100"),
        "d": _column("0123452301450123"),
        "e": _column("0000111122223333"),
        "f": _column("2200221022102200"),
        "g": _column("0123012301230123"),
        "h": _column("1357025714670246"),
        "i": _column("3333222211110000"),
        "j": _column("1234325414352344"),
    }
    rows = list(zip(*columns.values(), strict=True))
    table = naive.Table([*columns], rows)
    law = parse(text)
    assert isinstance(law, DC)
    assert naive.holds(law, table)
    share = shuffled_share(law, table, column, 100_000, np.random.default_rng(1))
    assert share > 0
    bits = Rated(table, [("tt", "g", "j")]).of_column(law, column)
    sampling = -math.log2(max(1 - 3 / math.sqrt(share * 100_000), 0.7))  # of the share, in bits
    assert -math.log2(share) - 2 <= bits <= -math.log2(share) + sampling


def test_a_law_has_the_bits_of_what_it_states() -> None:
    rng = np.random.default_rng(5)
    town, price = rng.integers(0, 9, 60), rng.integers(0, 30, 60)
    columns = {
        "town": town,
        "state": town // 3,
        "price": price,
        "tax": price // 4,
        "part": rng.permutation(60),
    }
    rows = [*zip(*(values.tolist() for values in columns.values()), strict=True)]
    table = naive.Table([*columns], rows)
    ranked = rows_of(table)
    for law, column, target in (
        ("not(t.town = s.town and t.state != s.state)", "state", split(1)),
        ("not(t.price < s.price and t.tax > s.tax)", "tax", swap(2, 3, descending=False)),
    ):
        denial = parse(law)
        assert isinstance(denial, DC)
        context = np.array([[1 if "town" in law else 0]], np.uint64)
        shuffles = Shuffles(np.zeros(1, np.int64), context, np.array([table.columns.index(column)]))
        _, some = in_order(shuffles, as_targets([target]), np.array([-1.0]), ranked)
        (stated,) = rated(Workspace(ranked), some)
        assert Rated(table, []).of_column(denial, column) >= stated > 60


class Measured(NamedTuple):
    law: DC
    column: str
    bits: float
    share: float  # of shuffles that the law survives


SHUFFLES = 10_000


def _measured(rng: np.random.Generator) -> Iterator[Measured]:
    """Some laws of a table by chance, each with the columns that it compares with themselves only."""
    rows, values = int(rng.integers(5, 16)), list[list[int]]()
    for place in range(int(rng.integers(2, 5))):
        column = rng.choice(int(rng.choice([2, 3, 6, 2 * rows])), rows).tolist()
        if place and rng.random() < 0.6:
            earlier, how = values[rng.integers(place)], rng.integers(3)
            column = [[x // 2, -x, 3 * x + int(rng.integers(0, 3))][how] for x in earlier]
        values.append(column)
    table = naive.Table([f"c{k}" for k in range(len(values))], list(zip(*values, strict=True)))
    laws, ranking = sorted(denials(found_denials(table).laws)), Rated(table, [])
    for law in [laws[k] for k in rng.permutation(len(laws))[:6]]:
        for name in sorted(law.columns):
            share = shuffled_share(law, table, name, SHUFFLES, rng)
            yield Measured(law, name, ranking.of_column(law, name), share)


@pytest.mark.parametrize("seed", range(3))
def test_bits_are_those_of_shuffling_or_a_little_less(seed: int) -> None:
    rng, low = np.random.default_rng(seed), []
    for one in [one for _ in range(8) for one in _measured(rng)]:
        least = one.share - 4 * math.sqrt(one.share * (1 - one.share) / SHUFFLES)
        assert least <= 0 or one.bits <= -math.log2(least) + 0.05, one
        if 10 / SHUFFLES < one.share < 0.7:
            low.append(-math.log2(one.share) - one.bits)
    assert np.mean(low) < 1.25


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("nulls", ["equal", "distinct"])
def test_tables_of_no_use_have_no_bits(rows: int, nulls: Any) -> None:
    table = naive.Table(["a", "b"], [(None, 1)] * rows, nulls=nulls)
    laws = sorted(naive.minimal_dcs(table))
    assert Rated(table, []).of(laws) == [0.0] * len(laws)
    found = found_denials(table, min_bits=1.0)
    assert denials(found.laws) <= set(laws)
    assert found.progress.reason is None


def expected_of(table: naive.Table, crossed: Crossed, least: float, some: int, kind: str) -> set[DC]:
    """Of all minimal laws those of enough bits, and facts, without what follows from the ones before."""
    rated = Rated(table, crossed, some, kind == "pod")
    laws = sorted(as_denials(found_denials(table, crossed, kinds=(kind,)).laws))
    bits = dict(zip(laws, rated.of(laws), strict=True))
    kept = [law for law in laws if bits[law] >= least or len(law.columns) <= 1]
    ranks = joint_rows(table).ranks
    ordered = {
        name
        for number, name in enumerate(table.columns)
        if table.is_ordered(name) and ranks[number].min(initial=0) >= 0
    }
    words = {law: tuple(rated._sets([law])[0].tolist()) for law in kept}
    kept.sort(key=lambda law: (law.size, -round(bits[law], 6), words[law]))
    return set(without_echoes(kept, frozenset(ordered)))


@examples(10)
@given(
    tables(min_columns=2, max_columns=4, max_rows=40),
    st.sampled_from([0.01, 1.0, 4.0, 10.0]),
    st.sampled_from([5, 15, 5000]),
    st.integers(1, 3),
    st.sampled_from(["pod", "dc"]),
)
def test_laws_of_some_bits_are_those_among_all(
    table: naive.Table, least: float, some: int, workers: int, kind: str
) -> None:
    assert_pruned(table, [], least, some, workers, kind)


@examples(10)
@given(
    crossed_tables(max_rows=30, max_columns=3),
    st.sampled_from([0.01, 1.0, 4.0]),
    st.sampled_from([5, 10, 5000]),
    st.integers(1, 3),
)
def test_so_are_those_across_columns(
    made: tuple[naive.Table, Crossed], least: float, some: int, workers: int
) -> None:
    assert_pruned(*made, least, some, workers)


def assert_pruned(
    table: naive.Table, crossed: Crossed, least: float, some: int, workers: int, kind: str = "dc"
) -> None:
    """Compare with the filter, where some rows tell bits and what they show is validated on all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "RATED_ROWS", some)
        asked: Any = {"all_pairs": False, "sampled": False, "min_bits": least}
        found = found_denials(table, crossed, workers, kinds=(kind,), **asked)
    assert found.progress.reason is None
    assert as_denials(found.laws) == expected_of(table, crossed, least, some, kind)
    assert found.progress.found == len(found.laws)


def as_denials(laws: Laws) -> set[DC]:
    """DCs, and PODs as such."""
    return {law.as_dc().canonical() for law in laws if isinstance(law, POD)} | denials(laws)


@examples(10)
@given(
    crossed_tables(max_rows=30, max_columns=3),
    st.sampled_from([5, 10, 5000]),
    st.sampled_from(["pod", "dc"]),
)
def test_many_laws_are_rated_as_each_would_be(
    made: tuple[naive.Table, Crossed], some: int, kind: str
) -> None:
    table, crossed = made[0], made[1] if kind == "dc" else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "RATED_ROWS", some)
        patch.setattr(costs, "FEW_RATED", 0)  # so that pairs of rows tell which may have bits
        found = found_denials(table, crossed, kinds=(kind,), min_bits=0)
    laws = [law.as_dc() if isinstance(law, POD) else law for law in found.laws]
    each = Rated(table, crossed, some, kind == "pod").of([law for law in laws if isinstance(law, DC)])
    np.testing.assert_allclose(found.laws.bits, each)


def planted(rows: int, seed: int) -> pa.Table:
    """Three laws among columns by chance: an FD, an order, and one column below another."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 30, rows)
    start = rng.integers(0, 1000, rows)
    return pa.table(
        {
            "town": town,
            "state": (town * 7) % 11 + 20_000,
            "start": start,
            "end": start + rng.integers(1, 500, rows),
            "age": rng.integers(100_000, 100_080, rows),
            "noise": rng.integers(-9, 0, rows),
        }
    )


@pytest.mark.parametrize("seed", range(2))
def test_planted_laws_are_found_and_nothing_else(seed: int) -> None:
    laws = set(lawful.discover(planted(300, seed), "dc", min_bits=10, max_size=2))
    start, end = Cell("t", "start"), Cell("t", "end")
    assert DC(frozenset([Predicate(start, ">=", end)])).canonical() in laws
    assert parse("not(t.town = s.town and t.state != s.state)") in laws
    assert all(law.columns <= {"town", "state"} or law.columns <= {"start", "end"} for law in laws)


def test_shuffled_tables_have_no_laws_worth_telling() -> None:
    for seed in range(4):
        table, rng = planted(200, seed), np.random.default_rng(seed)
        shuffled = pa.table({name: rng.permutation(table[name].to_numpy()) for name in table.column_names})
        laws = lawful.discover(shuffled, "dc", min_bits=10, max_size=2)
        assert [str(law) for law in laws if len(law.columns) > 1] == []


def test_employees_end_by_themselves() -> None:
    laws = [str(law) for law in lawful.discover(datasets.employees(300), "dc", min_bits=10)]
    assert "not(t.department = s.department and t.floor != s.floor)" in laws
    assert "not(t.id = s.id)" in laws
    assert len(laws) < 60


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_engines_find_the_same_laws_of_some_bits(engine: str, spark: SparkSession) -> None:
    relation = lawful.read(planted(120, 0))
    here = lawful.discover(relation, ["dc"], workers=1, max_size=2, min_bits=5)
    there = lawful.discover(relation, ["dc"], engine=engine, session=spark, max_size=2, min_bits=5)
    assert [*here] == [*there]
    assert len(here) > 1
