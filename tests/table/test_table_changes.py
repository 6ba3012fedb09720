"""Appended and deleted rows: always what reading everything anew would give."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rank_oracle import assert_same, values

from examples import examples
from lawful.errors import LawfulError
from lawful.table import Place, Relation, SourceOptions, read

CELLS = st.sampled_from(
    ["", "1", "01", "1.0", "2.50", "10", "9", "1e1", "nan", "x", "2024-01-02", "2024-01-02T00:00Z"]
)
ROWS = st.lists(st.tuples(CELLS, st.sampled_from(["1", "2", "3", "", "0"])), max_size=4)
TYPED = st.lists(st.tuples(st.floats() | st.none(), st.sampled_from(["a", "b", None, "c"])), max_size=4)


def write(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """A CSV file with the columns a and b."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    return path


def surviving(rows: list[Any], gone: set[int]) -> list[Any]:
    """The rows that are left."""
    return [row for number, row in enumerate(rows) if number not in gone]


@given(st.data(), st.lists(ROWS, min_size=1, max_size=4), st.sampled_from(["equal", "distinct"]))
@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts(
    tmp_path: Path, data: st.DataObject, batches: list[Any], nulls: Literal["equal", "distinct"]
) -> None:
    relation = read(write(tmp_path / "0.csv", batches[0]), SourceOptions(nulls=nulls))
    everything, gone = list(batches[0]), set[int]()
    for number, batch in enumerate(batches[1:], 1):
        ids = relation.append(write(tmp_path / f"{number}.csv", batch))
        assert ids.tolist() == list(range(len(everything), len(everything) + len(batch)))
        everything += batch
        anew = read(write(tmp_path / "all.csv", everything), SourceOptions(nulls=nulls))
        kept = [column.type for column in relation.columns]
        assert kept == [column.type for column in anew.columns]
        new = data.draw(st.sets(st.sampled_from(relation.row_ids.tolist()))) if relation.n_rows else set()
        relation.delete(new)
        gone |= new
        # Deleting never narrows a type, so it is given here; what was inferred was compared above.
        types = {name: kind for name, kind in zip("ab", kept, strict=True) if kind != "null"}
        left = write(tmp_path / "left.csv", surviving(everything, gone))
        assert relation.row_ids.tolist() == surviving(list(range(len(everything))), gone)
        check_same(relation, read(left, SourceOptions(nulls=nulls, types=types)))
        check_same(Relation.open(relation.folder), relation)


def check_same(one: Relation, other: Relation) -> None:
    """Equal ranks and values."""
    np.testing.assert_array_equal(one.ranks(), other.ranks())
    for name in one.names:
        assert values(one, name) == values(other, name)


@given(st.lists(TYPED, min_size=2, max_size=4))
@examples(60)
def test_typed_values(batches: list[Any]) -> None:
    tables = [
        pa.table(
            {
                "a": pa.array([row[0] for row in rows], pa.float64()),
                "b": pa.array([row[1] for row in rows], pa.string()),
            }
        )
        for rows in batches
    ]
    relation = read(tables[0])
    for table in tables[1:]:
        relation.append(table)
    assert_same(relation, read(pa.concat_tables(tables)))


def test_an_inferred_type_becomes_more_general(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "0.csv", [("1", "1"), ("1.0", "2"), ("10", "3")]))
    assert relation.ranks()[0].tolist() == [0, 0, 1]
    relation.append(write(tmp_path / "1.csv", [("x", "4")]))
    assert relation.columns[0].type == "string"
    assert relation.ranks()[0].tolist() == [0, 1, 2, 3]


def test_a_fixed_type_does_not(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "0.csv", [("1", "1")]), SourceOptions(types={"a": "integer"}))
    files = sorted(relation.folder.iterdir())
    with pytest.raises(LawfulError, match="column 'a' holds 'x', which is no integer"):
        relation.append(write(tmp_path / "1.csv", [("x", "4")]))
    assert sorted(relation.folder.iterdir()) == files
    assert relation.n_rows == 1


def test_other_kinds_of_source(tmp_path: Path, spark: SparkSession) -> None:
    relation = read(write(tmp_path / "0.csv", [("1", "x"), ("2.5", "")]))
    relation.append(pa.table({"b": ["y"], "a": [2]}))
    relation.append(spark.sql("select 0.25D as a, 'x' as b"))
    assert relation.ranks().tolist() == [[1, 3, 2, 0], [1, 0, 2, 1]]
    assert relation.columns[0].type == "float"
    assert relation.locate([1, 2, 3]) == [Place(str(tmp_path / "0.csv"), 2), Place("", 1), Place("", 1)]
    assert relation.rows([2, 0]).to_pylist() == [{"a": 2.0, "b": "y"}, {"a": 1.0, "b": "x"}]


def test_codes_of_old_rows_are_not_written_again(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "0.csv", [("5", "1"), ("7", "2")]))
    first = relation.folder / "codes-0.npy"
    before = first.stat()
    relation.append(write(tmp_path / "1.csv", [("6", "1")]))
    assert (first.stat().st_ino, first.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert relation.ranks().tolist() == [[0, 2, 1], [0, 1, 0]]


def test_what_cannot_be_changed(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "0.csv", [("5", "1"), ("7", "2")]))
    with pytest.raises(LawfulError, match="the new rows differ in column 'b'"):
        relation.append(pa.table({"a": [1], "c": [1]}))
    relation.delete([0])
    for ids in ([0], [2], [-1]):
        with pytest.raises(LawfulError, match=f"there is no row {ids[0]}"):
            relation.delete(ids)
    assert relation.row_ids.tolist() == [1]
