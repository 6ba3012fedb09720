"""Cells that are likely wrong: planted errors are found again, in tables whose laws nobody tells."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import lawful
from lawful import datasets
from lawful.cli import main

Cells = set[tuple[int, str]]


def with_errors(table: pa.Table, columns: list[str], share: float) -> tuple[pa.Table, Cells]:
    """The table with some cells exchanged for others of their column, and which these are."""
    random, wrong = np.random.default_rng(0), Cells()
    for name in columns:
        values: list[Any] = table[name].to_pylist()
        for row in random.choice(len(values), int(share * len(values)), replace=False).tolist():
            other = values[random.integers(len(values))]
            if other != values[row]:
                values[row] = other
                wrong.add((row + 1, name))
        table = table.set_column(table.column_names.index(name), name, [values])
    return table, wrong


def test_planted_errors_are_found_again() -> None:
    """Where a value has several laws: one alone cannot tell which of its sides is wrong."""
    numbers = np.random.default_rng(1).integers(0, 50, 1000)
    sides = {name: [f"{name} {number % 40}" for number in numbers] for name in ("site", "town", "phone")}
    clean = pa.table({"id": range(1000), **sides, "noise": np.random.default_rng(2).integers(0, 9, 1000)})
    dirty, wrong = with_errors(clean, ["site", "town", "phone"], 0.03)
    found = {(line["row"], line["column"]) for line in lawful.suspects(dirty).to_pylist()}
    assert len(found & wrong) >= 0.9 * len(found)
    assert len(found & wrong) >= 0.75 * len(wrong)


@pytest.mark.parametrize("made", [datasets.employees, datasets.flights, datasets.tax])
def test_suspects_of_made_tables_are_wrong(made: datasets.Dataset) -> None:
    """Errors are planted in all cells; those that no law speaks of are not found again."""
    dirty, errors = made(1000, errors=0.03)
    wrong = {(line["row"] + 1, line["column"]) for line in errors.to_pylist()}
    found = {(line["row"], line["column"]) for line in lawful.suspects(dirty).to_pylist()}
    assert len(found) >= 0.05 * len(wrong)
    assert len(found & wrong) >= 0.75 * len(found)


def test_a_missing_cell_is_known_from_two_columns() -> None:
    """A wrong one beside it is not: that may be an exception of a law of so many columns."""
    random = np.random.default_rng(3)
    state, status = random.integers(0, 8, 800), random.integers(0, 3, 800)
    exemption = [int(100 * one + 7 * other) % 1300 for one, other in zip(state, status, strict=True)]
    cells: list[int | None] = [*exemption[:5], None, *exemption[6:]]
    cells[7] = exemption[7] + 1
    table = pa.table({"state": state, "status": status, "exemption": cells})
    (found,) = (line for line in lawful.suspects(table).to_pylist() if line["column"] == "exemption")
    assert (found["row"], found["value"], found["expected"]) == (6, None, str(exemption[5]))


def test_what_is_expected_of_a_cell() -> None:
    zips, cities = [1, 2, 3, 4] * 10, ["Oslo", "Rome", "Bern", "Nice"] * 10
    table = pa.table({"zip": zips, "city": [*cities[:5], "Romme", *cities[6:]]})
    (cell,) = lawful.suspects(table).to_pylist()
    assert cell.pop("bits") > 0
    assert cell == {
        "row": 6,
        "column": "city",
        "value": "Romme",
        "expected": "Rome",
        "laws": "{zip} -> city",
    }


def test_missing_values_are_told_by_others_and_tell_nothing() -> None:
    """However many there are: no law is doubted for them, and rows without a zip are not of one city."""
    zips, cities = [row % 20 for row in range(400)], [f"city {row % 20 % 15}" for row in range(400)]
    no_zip, no_city = {*range(3, 400, 7)}, {*range(5, 400, 7)}
    table = pa.table(
        {
            "zip": [None if row in no_zip else zip for row, zip in enumerate(zips)],
            "city": [None if row in no_city else city for row, city in enumerate(cities)],
        }
    )
    found = lawful.suspects(table).to_pylist()
    told = {(one["row"] - 1, one["expected"]) for one in found if one["column"] == "city"}
    assert told == {(row, cities[row]) for row in no_city}
    assert {one["row"] - 1 for one in found if one["column"] == "zip"} <= no_zip


def test_a_value_among_missing_ones_is_no_suspect() -> None:
    """That nothing is known of the others is no reason to doubt it."""
    zips, cities = [row % 20 for row in range(400)], [f"city {row % 20}" for row in range(400)]
    missing = {row for row in range(400) if zips[row] == 7 and row > 7}
    table = pa.table(
        {"zip": zips, "city": [None if row in missing else city for row, city in enumerate(cities)]}
    )
    assert all(one["row"] != 8 for one in lawful.suspects(table).to_pylist())
    assert all(one["expected"] is not None for one in lawful.suspects(table).to_pylist())


def test_a_table_without_laws_or_rows_has_no_suspects() -> None:
    assert lawful.suspects(pa.table({"a": [1, 2, 3], "b": [3, 1, 2]})).num_rows == 0
    assert lawful.suspects(pa.table({"a": pa.array([], pa.int64())})).num_rows == 0


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    zips, cities = [1, 2, 3, 4] * 10, ["Oslo", "Rome", "Bern", "Nice"] * 10
    csv.write_csv(pa.table({"zip": zips, "city": [*cities[:5], "Romme", *cities[6:]]}), "people.csv")
    for name in ("cells.csv", "cells.json", "cells.parquet"):
        monkeypatch.setattr(sys, "argv", ["lawful", "suspects", "people.csv", "--out", name])
        with pytest.raises(SystemExit, match="0"):
            main()
    assert capsys.readouterr().out.endswith("1 suspect cell\n")
    lines = [json.loads(Path("cells.json").read_text())]
    lines += [csv.read_csv("cells.csv").to_pylist(), parquet.read_table("cells.parquet").to_pylist()]
    assert [[(line["row"], line["expected"]) for line in some] for some in lines] == [[(6, "Rome")]] * 3
    assert lines[0][0]["laws"] == ["{zip} -> city"]
    monkeypatch.setattr(sys, "argv", ["lawful", "suspects", "people.csv", "--out", "people.csv", "--force"])
    with pytest.raises(SystemExit, match="2"):
        main()
    for name in ("cells.csv", "cells.json", "cells.parquet"):  # its own files
        monkeypatch.setattr(sys, "argv", ["lawful", "suspects", "people.csv", "-q", "--out", name])
        with pytest.raises(SystemExit, match="0"):
            main()


def test_what_is_not_shown_is_counted_by_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    zips, cities = [1, 2, 3, 4] * 50, ["Oslo", "Rome", "Bern", "Nice"] * 50
    csv.write_csv(pa.table({"zip": zips, "city": [*cities[:5], "Romme", *cities[6:198], "B", "N"]}), path)
    monkeypatch.setattr(sys, "argv", ["lawful", "suspects", str(path), "--top", "1"])
    with pytest.raises(SystemExit, match="0"):
        main()
    out = capsys.readouterr().out
    assert out.endswith("3 suspect cells, the first 1 shown: --out FILE gets all\nby column: city 3\n")
    csv.write_csv(pa.table({"zip": zips, "city": cities}), path)
    monkeypatch.setattr(sys, "argv", ["lawful", "suspects", str(path)])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert capsys.readouterr().out == "no suspect cells: nothing contradicts what most rows say\n"
