"""What there is to know of a law: from laws alone, and from the rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lawful
import naive
from examples import examples
from law_samples import laws_of
from lawful.checking.checked_laws import CheckedLaw
from lawful.checking.checks import checked
from lawful.checking.nearest_laws import Neighbourhood
from lawful.cli import main
from lawful.laws import parse
from lawful.laws.neighbours import stronger
from small_tables import tables

ORDERS = pa.table(
    {
        "id": [*range(60)],
        "shop": [number % 6 for number in range(60)],
        "city": ["Oslo" if number % 6 < 3 else "Rome" for number in range(60)],
        "floor": [number % 6 // 2 for number in range(60)],
        "door": [number % 6 // 2 * 10 + (number == 59) for number in range(60)],
    }
)


@pytest.fixture(scope="module")
def laws() -> lawful.Laws:
    return lawful.discover(ORDERS, "key,fd")


def test_a_law_that_follows(laws: lawful.Laws) -> None:
    told = lawful.explain(ORDERS, "{shop, door} -> city", laws=laws)
    assert told.holds
    assert told.proof == (parse("{shop} -> city"),)
    assert [str(one.law) for one in told.nearest if isinstance(one, CheckedLaw)] == ["{shop} -> city"]
    assert "It follows from\n  {shop} -> city  rows with the same shop have the same city\n" in str(told)


def test_a_law_that_fails(laws: lawful.Laws) -> None:
    told = lawful.explain(ORDERS, "{floor} -> door", laws=laws)
    assert told.holds is False
    assert told.proof is None
    assert told.verdict is not None
    assert (told.verdict.error.removals, told.verdict.error.pairs) == (1, 19)
    assert "    door = 21: 1 row, likely wrong, at 60\n" in str(told)
    assert str(told).endswith("No law near it holds, but for those with a key on the left.")


def test_a_larger_law_that_holds(laws: lawful.Laws) -> None:
    told = lawful.explain(ORDERS, "{city} -> floor", laws=laws)
    assert [str(one.law) for one in told.nearest if isinstance(one, CheckedLaw)] == [
        "{door} -> floor",
        "{shop} -> floor",
    ]
    key = lawful.explain(ORDERS, "key {shop}", laws=laws)
    assert str(key).endswith("Laws that hold and come nearest:\n  key {id}; a fact")


def test_few_bits_may_be_chance(laws: lawful.Laws) -> None:
    few = pa.table({"a": [1, 1, 2, 3], "b": [1, 1, 2, 2], "c": [1, 2, 3, 4]})
    assert ", which may be chance.\n" in str(lawful.explain(few, "{a} -> b"))
    assert "chance" not in str(lawful.explain(ORDERS, "{id} -> city", laws=laws)), "it follows"
    assert "chance" not in str(lawful.explain(ORDERS, "{shop} -> city", laws=laws))
    assert "chance" not in str(lawful.explain(ORDERS, "key {id}", laws=laws))


def test_rows_are_likely_wrong_only_where_they_are_few() -> None:
    table = pa.table({"a": [1] * 10, "b": [*range(4)] + [9] * 6, "c": [0, *[1] * 9]})
    most, few = lawful.explain(table, "{a} -> b"), lawful.explain(table, "{a} -> c")
    assert "likely wrong" not in str(most)
    assert "    c = 0: 1 row, likely wrong, at 1\n" in str(few)
    marks = lawful.violations(table, ["{a} -> b", "{a} -> c"]).to_pylist()
    assert {(line["_law"], line["_row"]) for line in marks if line["_likely_wrong"]} == {("{a} -> c", 1)}


def test_without_a_table(laws: lawful.Laws) -> None:
    assert laws.explain("{id} -> city").proof == (parse("key {id}"),)
    unknown = laws.explain("{city} -> shop")
    assert (unknown.holds, unknown.proof) == (None, None)
    assert "The table can tell" in str(unknown)
    everything = lawful.discover(ORDERS, "key,fd", all=True)
    assert everything.explain("{city} -> shop").holds is False
    assert [*map(str, everything.explain("{city} -> floor").nearest)] == []
    with pytest.raises(lawful.LawfulError, match="no column 'town'"):
        laws.explain("{id} -> town")


@examples(15)
@given(st.data(), tables(min_columns=2, max_columns=3, max_rows=6, nulls="equal"))
def test_neighbours_on_a_table(data: st.DataObject, table: naive.Table) -> None:
    law = data.draw(laws_of(table.columns))
    columns = zip(*table.rows, strict=True) if table.rows else ([] for _ in table.columns)
    arrays = {name: pa.array(column, pa.int64()) for name, column in zip(table.columns, columns, strict=True)}
    verdicts = checked(pa.table(arrays), [law])
    plain = naive.Table(table.columns, table.rows)
    near = Neighbourhood(verdicts, verdicts[0])
    if not verdicts[0].holds:
        assert all(naive.holds(one, plain) for one in near.larger())
        return
    smaller = near.smaller()
    assert all(naive.holds(one, plain) for one in smaller)
    assert not any(naive.holds(less, plain) for one in smaller or [law] for less in stronger(one))


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, laws: lawful.Laws
) -> None:
    monkeypatch.chdir(tmp_path)
    laws.save("laws.json")
    monkeypatch.setattr(sys, "argv", ["lawful", "explain", "laws.json", "{id} -> door", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0
    assert (told["holds"], told["follows_from"]) == (True, ["key {id}"])
    assert told["meaning"] == "rows with the same id have the same door"
