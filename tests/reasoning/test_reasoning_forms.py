"""Normal forms: on paper, and in a database that makes the parts and joins them again."""

from __future__ import annotations

import sqlite3
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from sign_vectors import theories

import naive
from examples import examples
from lawful import LawfulError
from lawful.laws import FD, Law, parse
from lawful.reasoning import Theory, normalized
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Rating
from small_tables import minimal_laws, tables

NAMES = ("a", "b", "c", "d", "e")


def is_in_form(form: str, theory: Theory, columns: tuple[str, ...]) -> bool:
    """The definition: whatever determines another column is a superkey; or that column is part of a key."""
    sets = [frozenset(some) for size in range(len(columns) + 1) for some in combinations(columns, size)]
    superkeys = [some for some in sets if {*columns} <= theory.closure(some)]
    keys = [some for some in superkeys if not any(other < some for other in superkeys)]
    prime = frozenset[str]().union(*keys)
    return all(
        some in superkeys or name in some or (form == "3nf" and name in prime)
        for some in sets
        for name in theory.closure(some) & {*columns}
    )


@pytest.mark.parametrize("form", ["3nf", "bcnf"])
@examples(60)
@given(known=theories(NAMES, 7))
def test_parts_are_in_the_form_and_lose_nothing(form: str, known: list[Law]) -> None:
    theory = Theory.of(NAMES, known)
    found = normalized(theory, form)
    assert found.lossless
    assert {name for part in found.parts for name in part.columns} == {*NAMES}
    assert form == "bcnf" or found.lost == ()
    for part in found.parts:
        assert is_in_form(form, theory, part.columns)
        for key in part.keys:
            assert {*part.columns} <= theory.closure(key)
            assert not any({*part.columns} <= theory.closure({*key} - {name}) for name in key)
    within = [
        FD(lhs, rhs)
        for part in found.parts
        for size in range(len(part.columns))
        for lhs in map(frozenset, combinations(part.columns, size))
        for rhs in (theory.closure(lhs) & {*part.columns}) - lhs
    ]
    checked = Theory.of(NAMES, within)
    assert all(checked.implies(law) for law in found.kept)
    assert not any(checked.implies(law) for law in found.lost)


def test_the_join_of_parts_that_share_no_key_is_lossy() -> None:
    from lawful.reasoning.normal_forms import joins_without_loss

    parts = [frozenset("ab"), frozenset("bc")]
    assert not joins_without_loss("abc", [FD({"a"}, "b")], parts)
    assert joins_without_loss("abc", [FD({"b"}, "c")], parts)


def laws_of(table: naive.Table) -> Laws:
    """The laws of a table, with what a search knows of it."""
    rated = [(law, Rating(0.0, 0.0)) for law in minimal_laws(table)]
    holding = {
        name: sum(row[number] is None for row in table.rows) for number, name in enumerate(table.columns)
    }
    facts = Facts(
        types=dict.fromkeys(table.columns, "integer"),
        nulls={name: count for name, count in holding.items() if count},
        nulls_equal=table.nulls == "equal",
        duplicates=None if naive.minimal_keys(table) else {"example": (1, 2)},
    )
    return Laws.of(list(table.columns), rated, facts)


@pytest.mark.parametrize("form", ["3nf", "bcnf"])
@examples(25)
@given(table=tables(max_columns=4, max_rows=8))
def test_a_database_makes_the_parts_and_joins_them(form: str, table: naive.Table) -> None:
    schema = laws_of(table).normalize(form)
    with sqlite3.connect(":memory:") as database:
        database.execute("PRAGMA foreign_keys = ON")
        columns = ", ".join(f'"{name}" BIGINT' for name in table.columns)
        database.execute(f"CREATE TABLE data ({columns})")
        places = ", ".join("?" * len(table.columns))
        database.executemany(f"INSERT INTO data VALUES ({places})", table.rows)
        database.executescript(schema.sql())
        joined = database.execute("SELECT * FROM data_joined").fetchall()
    assert len(joined) == len({*joined})
    assert {*joined} == {*table.rows}
    if schema.decomposition.distinct:
        assert len(joined) == len(table.rows)


def test_what_is_said_of_a_schema() -> None:
    laws = Laws.of(
        ["street", "city", "zip"],
        [(parse("{street, city} -> zip"), Rating(0.5)), (parse("{zip} -> city"), Rating(0.5))],
        Facts(kinds=("fd",)),
    )
    assert str(laws.normalize("bcnf")).splitlines() == [
        "Boyce-Codd normal form, 2 parts:",
        "1. {city, zip} with key {zip}",
        "2. {street, zip} with key {street, zip}",
        "lossless: the parts joined have the rows of the table and no others (proven by the chase)",
        "kept: {zip} -> city",
        "lost, checked by a join only: {city, street} -> zip",
        "identical rows, if there are any, are stored once: the parts do not count them",
    ]
    assert [part.keys for part in laws.normalize().parts] == [(("street", "city"),)]
    with pytest.raises(LawfulError, match="'4nf' is no normal form: use one of 3nf, bcnf"):
        laws.normalize("4nf")
    with pytest.raises(LawfulError, match="there is no column 'citty': did you mean 'city'"):
        laws.closure("citty")


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".parquet"])
def test_files_know_types_and_nulls(ending: str, tmp_path: Path) -> None:
    facts = Facts(types={"a": "integer", "b": "date"}, nulls={"b": 2}, nulls_equal=False)
    laws = Laws.of(["a", "b"], [(parse("{a} -> b"), Rating(0.5)), (parse("{b} -> a"), Rating(0.5))], facts)
    laws.save(tmp_path / f"laws{ending}")
    loaded = Laws.load(tmp_path / f"laws{ending}")
    assert (loaded.facts.types, loaded.facts.nulls, loaded.facts.nulls_equal) == (
        facts.types,
        facts.nulls,
        False,
    )
    assert loaded.nullable == {"b"}
    assert loaded.sql_theory.laws == (
        parse("{a} -> b"),
    )  # of rows with a NULL in b the other says nothing in SQL
