"""Equivalent columns: found by the definition, one of each group searched, the laws of all by exchange."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import lawful
import naive
from examples import examples
from lawful import Laws, SourceOptions
from lawful.discovery.column_classes import same_classes
from lawful.laws import FD, OD, Law
from lawful.report.ratings import Rating
from small_tables import ranks_of, tables

KINDS = ("key", "fd", "od")


@st.composite
def tables_with_twins(draw: st.DrawFn, max_rows: int = 16) -> naive.Table:
    """Tables with columns that have the same classes as others: in the same, the reverse or any order."""
    table = draw(tables(max_columns=3, max_rows=max_rows))
    names, ordered = [*table.columns], [*map(table.is_ordered, table.columns)]
    columns: list[Sequence[Any]] = [*zip(*table.rows, strict=True)] or [()] * len(names)
    for number in range(draw(st.integers(1, 3))):
        twin = draw(st.integers(0, len(names) - 1))
        values: list[Any] = sorted({*columns[twin]} - {None})
        places = draw(st.sampled_from([values, values[::-1], draw(st.permutations(values))]))
        place = {None: None, **dict(zip(values, places, strict=True))}
        columns.append([place[value] for value in columns[twin]])
        names.append(f"t{number}")
        ordered.append(draw(st.sampled_from([True, True, True, False])))
    order = draw(st.permutations(range(len(names))))
    rows = list(zip(*(columns[k] for k in order), strict=True)) if table.rows else []
    return naive.Table([names[k] for k in order], rows, [ordered[k] for k in order], table.nulls)


def relation_of(table: naive.Table) -> lawful.Relation:
    columns = [pa.array([row[k] for row in table.rows], pa.int64()) for k in range(len(table.columns))]
    unordered = tuple(name for name in table.columns if not table.is_ordered(name))
    return lawful.read(
        pa.table(columns, names=[*table.columns]), SourceOptions(unordered=unordered, nulls=table.nulls)
    )


def found(relation: lawful.Relation, kinds: Collection[str], bits: float, **more: Any) -> Laws:
    return lawful.discover(relation, kinds, min_bits=bits, workers=1, **more)


def rated(laws: Laws) -> dict[Law, Rating]:
    return dict(laws.items())


def assert_same_ratings(some: dict[Law, Rating], others: dict[Law, Rating]) -> None:
    """To a millionth of a bit, to which bits are rounded."""
    assert some.keys() == others.keys()
    for law, rating in some.items():
        assert rating == pytest.approx(others[law], abs=2e-6, nan_ok=True), law


# What columns have the same classes, by the definition


@examples(40)
@given(tables_with_twins())
def test_the_same_classes(table: naive.Table) -> None:
    groups = same_classes(ranks_of(table), range(len(table.columns)))
    together = {pair for group in groups for pair in combinations(group.columns, 2)}
    for left, right in combinations(range(len(table.columns)), 2):
        a, b = table.columns[left], table.columns[right]
        alike = naive.holds(FD({a}, b), table) and naive.holds(FD({b}, a), table)
        constant = naive.holds(FD(frozenset(), a), table)
        missing = table.nulls == "distinct" and any(
            (row[left] is None) != (row[right] is None) for row in table.rows
        )
        assert ((left, right) in together) == (alike and not constant and not missing)


@examples(40)
@given(tables_with_twins())
def test_the_same_order(table: naive.Table) -> None:
    values = naive.Table(table.columns, table.rows, None, table.nulls)  # ranks always have an order
    for group in same_classes(ranks_of(table), range(len(table.columns))):
        for left, right in combinations(group.columns, 2):
            a, b = table.columns[left], table.columns[right]
            same = not naive.violations(OD(frozenset(), a, b), values)
            reverse = not naive.violations(OD(frozenset(), a, b, descending=True), values)
            first, second = group.orders[left], group.orders[right]
            assert (first.digest == second.digest) == (same or reverse)
            if same != reverse:
                assert (first.turned == second.turned) == same


# All laws follow by exchange


@examples(30)
@given(tables_with_twins(), st.sampled_from([0.01, 1.0, 4.0]), st.sampled_from([KINDS, KINDS[:2], KINDS[2:]]))
def test_all_laws_follow_by_exchange(table: naive.Table, bits: float, kinds: Sequence[str]) -> None:
    relation = relation_of(table)
    some, everything = found(relation, kinds, bits), found(relation, kinds, bits, all=True)
    assert everything.facts.equivalents == ()
    assert_same_ratings(rated(some.expanded()), rated(everything))
    assert {*some} <= {*everything}


@examples(30)
@given(tables_with_twins(max_rows=9), st.sampled_from([0.01, 4.0]), st.booleans())
def test_what_follows_by_exchange_are_dcs(table: naive.Table, bits: float, crossed: bool) -> None:
    """Minimal ones, with the same bits. Not all: many follow from others, which are not the same where every
    column is searched."""
    settings: dict[str, Any] = {"cross_columns": "auto" if crossed else "off", "max_size": 3}
    relation = relation_of(table)
    some = lawful.discover(relation, ["dc"], min_bits=bits, workers=1, **settings)
    everything = rated(lawful.discover(relation, ["dc"], all=True, workers=1, **settings))
    expanded = rated(some.expanded())
    assert expanded.keys() <= everything.keys()
    assert_same_ratings(expanded, {law: everything[law] for law in expanded})
    groups = [{*group["columns"]} for group in some.facts.equivalents]
    shown = lawful.discover(relation, ["dc"], min_bits=bits, all=True, workers=1, **settings)
    assert {law for law in shown if all(len(group & law.columns) < 2 for group in groups)} <= expanded.keys()


# What people meet


def columns_by_chance(rows: int = 300) -> dict[str, list[Any]]:
    """Some columns without a law among them."""
    chance = np.random.default_rng(0)
    size, home = chance.integers(0, 20, rows).tolist(), chance.integers(0, 9, rows).tolist()
    return {"size": size, "home": [f"town {value}" for value in home]}


def equivalents(table: Any, kinds: Collection[str] | str = KINDS, **settings: Any) -> list[list[str]]:
    laws = lawful.discover(pa.table(table), kinds, min_bits=10, **settings)
    return [group["columns"] for group in laws.facts.equivalents]


def test_a_column_under_another_name() -> None:
    table = columns_by_chance()
    table |= {"same": table["size"], "turned": [-value for value in table["size"]], "square": table["size"]}
    table |= {"square": [value * value for value in table["size"]], "town": [*map(str.upper, table["home"])]}
    laws = lawful.discover(pa.table(table), min_bits=10)
    size, home = laws.facts.equivalents
    assert (size["columns"], size["reversed"]) == (["size", "same", "turned", "square"], ["turned"])
    assert (home["columns"], home["reversed"]) == (["home", "town"], [])
    assert size["ordered"]
    assert home["ordered"]
    everything = {str(law) for law in laws.expanded()}
    assert {"{same} -> square", "{town} -> home", "{}: size asc ~ turned desc"} <= everything
    assert "{}: square asc ~ turned desc" in everything
    assert laws.counts["fd"] == laws.counts["od"] == 0
    assert laws.expanded().counts["fd"] == 12 + 2
    assert laws.expanded().counts["od"] == 6 + 1
    assert laws.filter(kind="od").expanded().counts == {"od": 7}
    assert laws.expanded().complete
    assert laws.expanded().facts.equivalents == ()
    bounded = lawful.discover(pa.table(table), min_bits=10, max_size=1)
    assert len(bounded.facts.equivalents) == 2
    assert len(bounded.expanded()) == 0


def test_every_column_is_shown_on_demand() -> None:
    table = columns_by_chance()
    table["copy"] = table["size"]
    for every, bits in ((True, None), (False, 0), (True, 10)):
        laws = lawful.discover(pa.table(table), "fd", all=every, min_bits=bits)
        assert laws.facts.equivalents == ()
        assert {"{size} -> copy", "{copy} -> size"} <= {*map(str, laws)}


def test_codes_and_their_names_are_equivalent_but_for_order() -> None:
    """`beta` comes before `gamma`, but not in the order of the codes."""
    names = {1: "gamma", 2: "alpha", 3: "delta", 4: "beta"}
    code = np.random.default_rng(0).integers(1, 5, 200)
    price = code * 10 + np.random.default_rng(1).integers(0, 5, 200)
    table = pa.table({"code": code, "name": [*map(names.get, code.tolist())], "price": price})
    laws = lawful.discover(table, min_bits=10)
    [group] = laws.facts.equivalents
    assert (group["columns"], group["ordered"], group["kinds"]) == (["code", "name"], False, ["fd"])
    assert "{price} -> code" in map(str, laws)
    assert "{price} -> name" not in map(str, laws)
    assert "{price} -> name" in map(str, laws.expanded())
    assert "{}: code asc ~ price asc" in map(str, laws.expanded())
    assert "{}: name asc ~ price asc" not in map(str, laws.expanded())


def test_keys_stay_keys() -> None:
    """Nothing but chance says that one determines another, unless they are in order."""
    rows = 200
    shuffled = np.random.default_rng(1).permutation(rows)
    table = pa.table(
        {"id": range(rows), "uuid": shuffled, "at": range(0, -rows, -1), **columns_by_chance(rows)}
    )
    keys = ["key {id}", "key {uuid}", "key {at}"]
    assert equivalents(table, ("key", "fd")) == []
    laws = lawful.discover(table, min_bits=10)
    assert [str(law) for law in laws.filter(kind="key")] == keys
    [group] = laws.facts.equivalents
    assert (group["columns"], group["reversed"], group["kinds"]) == (["id", "at"], ["at"], ["od"])
    assert {law.kind for law in laws.expanded()} == {"key", "od"}
    assert "{}: at asc ~ id desc" in map(str, laws.expanded())


def test_constants_and_what_chance_explains_stay_apart() -> None:
    rare = [0] * 299 + [1]
    table = {"none": [None] * 300, "one": [1] * 300, "rare": rare, "again": rare, **columns_by_chance()}
    assert equivalents({**table, "none": pa.nulls(300)}) == []
    assert equivalents({"a": [1], "b": [1]}) == []
    assert equivalents({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}) == []


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
def test_nulls(nulls: str) -> None:
    size = columns_by_chance()["size"]
    some = [value or None for value in size]
    table = {"size": size, "some": some, "half": [None if value is None else value / 2 for value in some]}
    told = {"equal": ["size", "some", "half"], "distinct": ["some", "half"]}
    assert equivalents(table, nulls=nulls) == [told[nulls]]


def test_unordered_columns_stand_for_no_side() -> None:
    table = columns_by_chance()
    table |= {"loose": table["size"], "copy": table["size"]}
    laws = lawful.discover(pa.table(table), min_bits=10, unordered=("loose",))
    groups = {(*group["columns"],): group["kinds"] for group in laws.facts.equivalents}
    assert groups == {("size", "copy"): ["od"], ("size", "loose", "copy"): ["fd"]}


def test_laws_about_a_column_that_another_stands_for() -> None:
    table = columns_by_chance()
    table |= {"copy": table["size"], "coarse": [value // 2 for value in table["size"]]}
    for about in ("copy", "size"):
        laws = lawful.discover(pa.table(table), "fd", min_bits=10, about=about)
        assert "{size} -> coarse" in map(str, laws)
        assert [*lawful.stream(pa.table(table), "fd", min_bits=10, about=about)] == [*laws]
    everything = lawful.discover(pa.table(table), "fd", min_bits=10)
    assert [*everything.filter(column="copy")] == [*everything.filter(column="size")] != []
    assert len(everything.filter(column="home")) == 0


def test_chosen_columns_stand_for_each_other() -> None:
    table = columns_by_chance()
    table |= {"copy": table["size"], "coarse": [value // 2 for value in table["size"]]}
    assert equivalents(table, "fd", exclude=("size",)) == []
    laws = lawful.discover(pa.table(table), "fd", min_bits=10, columns=("copy", "coarse"))
    assert [*map(str, laws)] == ["{copy} -> coarse"]


def test_columns_that_dcs_compare_with_others_are_searched() -> None:
    """Each day ends a week later, so that all are in one order: but that it ends later is a law."""
    start = np.random.default_rng(0).integers(0, 50, 60)
    table = pa.table({"start": start, "end": start + 7, "copy": start, "far": start * 10_000})
    laws = lawful.discover(table, "dc", min_bits=10, max_size=2)
    groups = {(*group["columns"],): group["kinds"] for group in laws.facts.equivalents}
    assert groups == {("start", "end", "copy", "far"): ["equal", "order"], ("start", "copy"): ["dc"]}
    assert "not(t.end <= t.start)" in map(str, laws)
    assert not {"not(t.far < s.far and t.start >= s.start)", "not(t.end < s.end and t.start >= s.start)"} & {
        *map(str, laws)
    }
    off = lawful.discover(table, "dc", min_bits=10, max_size=2, cross_columns="off")
    assert [group["columns"] for group in off.facts.equivalents] == [["start", "end", "copy", "far"]]
    assert {column for law in off for column in law.columns} <= {"start"}


def test_what_dcs_say_of_equivalent_columns_is_said_once() -> None:
    """A code and its name, one of them without order, and a size under two names, compared with a third."""
    chance = np.random.default_rng(0)
    code, size = chance.integers(0, 9, 300), chance.integers(10, 40, 300)
    table = {"name": [f"town {value * 7 % 9}" for value in code], "code": code, "floor": code * 5 % 9 // 3}
    table |= {"size": size, "double": 2 * size, "limit": size + chance.integers(1, 9, 300)}
    laws = lawful.discover(pa.table(table), ["pod", "dc"], min_bits=10, max_size=2)
    groups = {(*group["columns"],): group["kinds"] for group in laws.facts.equivalents}
    assert groups == {("name", "code"): ["equal"], ("size", "double"): ["equal", "order"]}
    shown = {*map(str, laws)}
    assert "not(t.floor != s.floor and t.name = s.name)" in shown
    assert "not(t.limit <= t.size)" in shown
    assert (
        not {"not(t.code = s.code and t.floor != s.floor)", "not(t.code = s.code and t.name != s.name)"}
        & shown
    )
    assert "not(t.code = s.code and t.floor != s.floor)" in map(str, laws.expanded())
    assert not any({"size", "double"} <= law.columns for law in laws if law.kind == "pod")


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "parquet"])
def test_files_keep_the_groups(tmp_path: Path, ending: str) -> None:
    table = columns_by_chance()
    table |= {"copy": table["size"], "turned": [-value for value in table["size"]]}
    laws = lawful.discover(pa.table(table), min_bits=10, out=tmp_path / f"laws.{ending}")
    loaded = Laws.load(tmp_path / f"laws.{ending}")
    assert loaded.facts.equivalents == laws.facts.equivalents
    assert [*loaded.expanded()] == [*laws.expanded()] != []


def test_a_resumed_search_has_the_same_groups(tmp_path: Path) -> None:
    table, out = columns_by_chance(), tmp_path / "laws.jsonl"
    table |= {"copy": table["size"], "coarse": [value // 2 for value in table["size"]]}
    whole = lawful.discover(pa.table(table), min_bits=10, out=out)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(line for line in lines if '"facts"' not in line))
    resumed = lawful.discover(pa.table(table), min_bits=10, out=out, resume=True, about="copy")
    assert resumed.facts.stats["resumed"] > 0
    assert resumed.facts.equivalents == whole.facts.equivalents
    assert [*resumed] == [*whole.filter(column="copy")] != []


def test_engines_agree(spark: SparkSession) -> None:
    table = columns_by_chance()
    table |= {"copy": table["size"], "turned": [-value // 2 for value in table["size"]]}
    relation = lawful.read(pa.table(table))
    here = lawful.discover(relation, (*KINDS, "dc"), min_bits=10, max_size=3)
    there = lawful.discover(relation, (*KINDS, "dc"), min_bits=10, max_size=3, engine="spark", session=spark)
    assert [*here.items()] == [*there.items()] != []
    assert here.facts.equivalents == there.facts.equivalents
