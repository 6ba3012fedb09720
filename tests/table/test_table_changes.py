"""Appended and deleted rows: always what reading everything anew would give."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
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
from lawful.table.store import new_codes

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
    with pytest.raises(
        LawfulError, match="the new rows lack column 'b' and have column 'c', which the table lacks"
    ):
        relation.append(pa.table({"a": [1], "c": [1]}))
    wide = pa.table({f"c{number}": [1] for number in range(11)})
    with pytest.raises(
        LawfulError, match=r"have 11 columns \('c0', 'c1', 'c2' and 8 more\), which the table"
    ):
        relation.append(wide.append_column("a", [[1]]).append_column("b", [[1]]))
    with pytest.raises(
        LawfulError, match=r"the new rows lack 11 columns \('c0', 'c1', 'c2' and 8 more\): give"
    ):
        read(wide.append_column("a", [[1]])).append(pa.table({"a": [1]}))
    relation.delete([0])
    for ids in ([0], [2], [-1]):
        with pytest.raises(LawfulError, match=f"there is no row {ids[0]}"):
            relation.delete(ids)
    assert relation.row_ids.tolist() == [1]


SCHEMA = pa.schema({"a": pa.int64(), "b": pa.string()})
PAIRS = st.lists(st.tuples(st.integers(0, 5) | st.none(), st.sampled_from(["x", "y", None])), max_size=5)


def pairs(rows: list[Any]) -> pa.Table:
    """Rows as a typed table."""
    return pa.Table.from_pylist([dict(zip("ab", row, strict=True)) for row in rows], SCHEMA)


@given(st.data(), st.lists(PAIRS, min_size=3, max_size=8), st.sampled_from(["equal", "distinct"]))
@examples(15)
def test_prepared_versions(
    data: st.DataObject, batches: list[Any], nulls: Literal["equal", "distinct"]
) -> None:
    options = SourceOptions(nulls=nulls)
    relation, rows = read(pairs(batches[0]), options), dict(enumerate(batches[0]))
    ever = len(rows)
    for batch in batches[1:]:
        gone = data.draw(st.sets(st.sampled_from([*rows]))) if rows else set()
        prepared = relation.prepare(pairs(batch), delete=gone, frozen=data.draw(st.booleans()))
        assert prepared.appended.tolist() == list(range(ever, ever + len(batch)))
        assert prepared.deleted.tolist() == sorted(gone)
        new = {row: rows[row] for row in rows if row not in gone} | dict(enumerate(batch, ever))
        before = relation.version
        for opened, there in ((Relation.open(relation.folder), rows), (relation, rows)):
            check_rows(opened, there, options)
        check_rows(Relation.open(relation.folder, prepared.version), new, options)
        if data.draw(st.booleans()):
            continue  # given up
        relation.turn_to(prepared)
        check_rows(Relation.open(relation.folder), rows, options)
        relation.publish()
        check_rows(Relation.open(relation.folder, before), rows, options)
        if data.draw(st.booleans()):
            relation.clean()
        check_rows(Relation.open(relation.folder), new, options)
        check_rows(relation, new, options)
        rows, ever = new, ever + len(batch)


def check_rows(relation: Relation, rows: dict[int, Any], options: SourceOptions) -> None:
    """A relation that has exactly these rows, by their ids."""
    assert relation.row_ids.tolist() == [*rows]
    assert relation.n_rows == len(rows)
    assert relation.rows([*rows]).to_pylist() == pairs([*rows.values()]).to_pylist()
    assert_same(relation, read(pairs([*rows.values()]), options))


def test_a_version_that_is_not_there(tmp_path: Path) -> None:
    relation = read([{"a": 1}], folder=tmp_path / "relation")
    relation.append([{"a": 2}])
    with pytest.raises(LawfulError, match="holds no version 0"):
        Relation.open(relation.folder, version=0)


def test_an_older_version_goes_on(tmp_path: Path) -> None:
    """As after a crash between the switch of the relation and that of what uses it."""
    relation = read([{"a": 1}], folder=tmp_path / "relation")
    relation.turn_to(relation.prepare([{"a": 2}]))
    relation.publish()
    older = Relation.open(relation.folder, version=0)
    older.append([{"a": 0}])
    assert older.version == 2
    assert older.ranks().tolist() == Relation.open(relation.folder).ranks().tolist() == [[1, 0]]


def test_a_change_of_another_version() -> None:
    relation = read([{"a": 1}])
    prepared = relation.prepare(delete=[0])
    relation.append([{"a": 2}])
    with pytest.raises(LawfulError, match="prepared for version 0, and the present one is 2"):
        relation.turn_to(prepared)
    assert relation.ranks().tolist() == [[0, 1]]


def test_files_of_a_version_that_was_half_removed(tmp_path: Path) -> None:
    relation = read([{"a": 1}, {"a": 3}], folder=tmp_path / "relation")
    given_up = relation.prepare([{"a": 0}])
    Relation.open(relation.folder, given_up.version).ranks()
    (relation.folder / f"relation-{given_up.version}.json").unlink()  # killed while it cleaned up
    relation.append([{"a": 2}])
    assert relation.ranks().tolist() == [[0, 2, 1]]


FROZEN: dict[str, tuple[list[str], Any, Any]] = {
    "integer": (["1", "20"], 1.5, 3.0),
    "decimal": (["1.5", "20"], "1e5", 2.125),
    "float": (["1e9", "2"], "x", 3),
    "boolean": (["true", "false"], 1, True),
    "date": (["2024-01-02"], "2024-13-01", "2024-01-03"),
    "timestamp": (["2024-01-02T10:00"], "soon", "2024-01-03 11:00"),
    "null": ([""], 0, None),
}


@pytest.mark.parametrize("kind", FROZEN)
def test_frozen_types(tmp_path: Path, kind: str) -> None:
    texts, bad, good = FROZEN[kind]
    relation = read(write(tmp_path / "0.csv", [(text, "b") for text in texts]))
    assert relation.columns[0].type == kind
    files = sorted(relation.folder.iterdir())
    for row in (bad, str(bad)):
        rows = [{"a": None, "b": "x"}, {"a": row, "b": "x"}]
        with pytest.raises(LawfulError, match=r"^row 2 has .* in column 'a', which (is no|had no value)"):
            relation.prepare(rows, delete=[0], frozen=True)
    source = write(tmp_path / "1.csv", [("", "x"), ("", "x"), (str(bad), "x")])
    with pytest.raises(LawfulError, match=rf"1\.csv: row 3 has '{bad}' in column 'a'"):
        relation.prepare(source, frozen=True)
    assert sorted(relation.folder.iterdir()) == files
    relation.turn_to(relation.prepare([{"a": good, "b": "x"}], frozen=True))
    relation.turn_to(relation.prepare(write(tmp_path / "2.csv", [(texts[0], "y")]), frozen=True))
    assert relation.columns[0].type == kind
    assert relation.rows([relation.row_ids[0]])["a"].equals(relation.rows([relation.row_ids[-1]])["a"])


def test_a_file_that_is_mapped_has_its_room_at_once(tmp_path: Path) -> None:
    """A write to a map that finds the disk full would kill the process."""
    new_codes(tmp_path / "codes.npy", (10, 100_000))
    file = (tmp_path / "codes.npy").stat()
    assert file.st_blocks * 512 >= file.st_size > 4_000_000


def test_a_column_without_values_can_have_a_type(tmp_path: Path) -> None:
    source = write(tmp_path / "0.csv", [("", "b")])
    with pytest.raises(LawfulError, match="as in --type a=string"):
        read(source).prepare([{"a": "x", "b": "x"}], frozen=True)
    relation = read(source, SourceOptions(types={"a": "string"}))
    relation.turn_to(relation.prepare([{"a": "x", "b": "x"}], frozen=True))
    assert relation.rows(relation.row_ids)["a"].to_pylist() == [None, "x"]


def test_frozen_timestamps_keep_their_zone() -> None:
    plain = datetime(2024, 1, 2)
    for first, other, wanted in (
        (plain, plain.replace(tzinfo=UTC), "without a zone"),
        (plain.replace(tzinfo=UTC), plain, "with a zone"),
    ):
        with pytest.raises(LawfulError, match=f"as timestamp {wanted}$"):
            read([{"at": first}]).prepare([{"at": other}], frozen=True)


def test_frozen_floats_stay_apart(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "0.csv", [("1e9", ""), ("0.1", "")]))
    with pytest.raises(LawfulError, match=r"row 1 has '0\.1000000000000000001' in column 'a'"):
        relation.prepare(write(tmp_path / "1.csv", [("0.1000000000000000001", "")]), frozen=True)
    relation.append(write(tmp_path / "1.csv", [("0.1000000000000000001", "")]))
    assert relation.columns[0].type == "string"


def test_frozen_categories() -> None:
    sizes = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["S", "L"]), ordered=True)
    relation = read(pa.table({"size": sizes}))
    with pytest.raises(LawfulError, match="row 1 has 'M' in column 'size', which is no category"):
        relation.prepare([{"size": "M"}], frozen=True)
    relation.append([{"size": "S"}])
    assert relation.ranks().tolist() == [[0, 1, 0]]


@contextmanager
def killed_children(folder: Path) -> Iterator[Callable[[str], bool]]:
    """A function that has a child change a relation up to some moment, and tells whether it was killed."""
    program = [sys.executable, str(Path(__file__).with_name("killed_child.py")), str(folder)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin, process.stdout

        def run(moment: str) -> bool:
            print(moment, file=to, flush=True)
            status = int(back.readline())
            assert status in (0, 9)
            return status == 9

        yield run


def test_killed_at_every_touch_of_a_file(tmp_path: Path) -> None:
    relation = read([{"a": 0, "b": "v0"}, {"a": 1, "b": "v1"}], folder=tmp_path / "relation")
    ids, switches = relation.row_ids.tolist(), 0
    with killed_children(relation.folder) as changed_until:
        for moment in count():
            killed = changed_until(str(moment))
            switches += check_either(relation.folder, ids)
            if not killed:
                break
    assert moment > 10
    assert switches > 3


def test_killed_at_any_time(tmp_path: Path) -> None:
    relation = read([{"a": 0, "b": "v0"}, {"a": 1, "b": "v1"}], folder=tmp_path / "relation")
    with killed_children(relation.folder) as changed_for:
        for seed in range(10):
            assert changed_for(str(random.Random(seed).uniform(0.02, 0.2)))
            now = Relation.open(relation.folder)
            check_rows(now, numbered(now.row_ids.tolist()), SourceOptions())


def numbered(ids: list[int]) -> dict[int, Any]:
    """The rows of the child that is killed: two that follow each other."""
    assert ids[1:] == [ids[0] + 1]
    return {row: (row, f"v{row}") for row in ids}


def check_either(folder: Path, ids: list[int]) -> bool:
    """Whether a folder has the rows after a change, whose ids these are to be then; else those before."""
    relation = Relation.open(folder)
    check_rows(relation, numbered(relation.row_ids.tolist()), SourceOptions())
    switched = bool(relation.row_ids.tolist() != ids)
    if switched:
        ids[:] = [row + 1 for row in ids]
    assert relation.row_ids.tolist() == ids
    return switched
