"""Denial constraints in collections, tables and files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import complete
from examples import examples
from lawful.laws import DC, FD, OPERATORS, Cell, Key, Law, Predicate, parse
from lawful.laws.equivalents import simpler_form
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Rating
from lawful.report.tables import print_laws

NAMES = ["a", "b b", 'c"', "t", "s"]
TABLE = pa.table(
    {"id": [1, 2, 3, 4], "low": [1, 2, 3, 1], "high": [5, 6, 3, 4], "city": ["x", "x", "y", "y"]}
)


@st.composite
def denials(draw: st.DrawFn) -> DC:
    """Denial constraints of any form, as collections keep them."""
    cells = st.builds(Cell, st.sampled_from(["t", "s"]), st.sampled_from(NAMES))
    chosen: dict[object, Predicate] = {}
    for left, right, operator in draw(
        st.lists(st.tuples(cells, cells, st.sampled_from(OPERATORS)), max_size=4)
    ):
        if left != right and not (left.row == right.row and left.column == right.column):
            predicate = Predicate(left, operator, right)
            chosen[predicate.comparison] = predicate
    return DC(frozenset(chosen.values())).canonical()


@examples(200)
@given(st.lists(denials(), unique=True, max_size=5))
def test_a_collection_gives_back_what_it_was_made_of(laws: list[DC]) -> None:
    others: list[Law] = [Key({"a"}), FD({"b b"}, "t")]
    facts = Facts(kinds=("key", "fd", "dc"))
    kept = Laws.of(NAMES, [(law, Rating(0.5)) for law in [*others, *laws]], facts)
    assert sorted(kept) == sorted([*others, *laws])
    assert kept.counts == {"key": 1, "fd": 1, "dc": len(laws)}
    assert [law.size for law in kept] == kept.sizes.tolist()
    for name in NAMES:
        assert set(kept.filter(column=name)) == {law for law in [*others, *laws] if name in law.columns}
    assert set(kept.filter(kind="dc")) == set(laws)


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".parquet"])
def test_denials_come_back_from_files(ending: str, tmp_path: Path) -> None:
    laws = complete.discover(TABLE, ["dc", "key", "fd"])
    assert laws.counts["dc"] > 5
    laws.save(tmp_path / f"laws{ending}")
    loaded = Laws.load(tmp_path / f"laws{ending}")
    assert sorted(loaded.items()) == sorted(laws.items())
    assert loaded.counts == laws.counts


def test_a_denial_tells_what_it_simpler_form() -> None:
    expected = {
        "not(t.a = s.a and t.b = s.b)": "key {a, b}",
        "not()": "key {}",
        "not(t.a = s.a and t.b != s.b)": "{a} -> b",
        "not(t.a = s.a and t.b < s.b and t.c > s.c)": "{a}: b asc ~ c asc",
        "not(t.a < s.a and t.b < s.b)": "{}: a asc ~ b desc",
        "not(t.a < s.a and t.b <= s.b)": None,
        "not(t.a < s.a)": None,
        "not(t.a = s.b)": None,
        "not(t.a != s.a and t.b != s.b)": None,
    }
    for text, simpler in expected.items():
        found = simpler_form(parse(text))
        assert (None if found is None else str(found)) == simpler
    assert simpler_form(Key({"a"})) is None


def test_tables_and_json_say_it_beside_the_text() -> None:
    laws = complete.discover(TABLE, ["dc"], columns=["id", "low"])
    out = io.StringIO()
    print_laws(laws, Console(file=out, width=200))
    line = next(line for line in out.getvalue().splitlines() if "not(t.id = s.id)" in line)
    assert line.rstrip().endswith("key {id}")
    assert "Denial constraints" in out.getvalue()
    assert "key {id}" in laws._repr_html_()
    table = laws.to_arrow().to_pylist()
    assert {"key {id}", None} <= {law["states"] for law in table}
    assert all(
        "states" not in json.dumps(law) for law in complete.discover(TABLE, ["fd"]).to_arrow().to_pylist()
    )
