"""Each kind of source, with real files, a real database and a real catalog."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from rank_oracle import assert_same

from lawful.table import Place, SourceOptions, handover, read, spans, sparks
from lawful.table.files import find_files
from lawful.table.pieces import Piece, Trouble

TABLE = pa.table(
    {
        "_metadata": pa.array([3, None, 1, 3], pa.int32()),
        "x.y": [0.5, float("nan"), -0.0, 0.0],
        "d": pa.array([Decimal("1.50"), Decimal("2.00"), None, Decimal("1.50")], pa.decimal128(6, 2)),
        "ok": [True, False, None, True],
        "day": [date(2024, 1, 2), date(1999, 12, 31), None, date(2024, 1, 2)],
        "at": pa.array([5, 0, None, 5], pa.timestamp("us", "UTC")),
        "text": ["b", "\U00010000", "\ue000", ""],
    }
)
TYPES = ["integer", "float", "decimal", "boolean", "date", "timestamp", "string"]


MIXED = TABLE.append_column(
    "in_zone", pa.array([5, 0, None, 1_700_000_000_000_001], pa.timestamp("us", "Asia/Tokyo"))
)
for name, column in {
    "local": pa.array([5, None, 1, 5], pa.timestamp("us")),
    "bytes": pa.array([b"\x00\xff", b"", None, b"a"]),
    "small": pa.array([-3, None, 7, 7], pa.int8()),
    "single": pa.array([0.1, None, float("nan"), -0.0], pa.float32()),
    "list": pa.array([[1, None], None, [], [2]], pa.list_(pa.int64())),
    "map": pa.array([[("k", 1.5)], None, [], [("a", None), ("b", -0.0)]], pa.map_(pa.string(), pa.float64())),
    "struct": pa.array(
        [{"z": 1, "a": {"t": 5}, "d": Decimal("1.50")}, None, {"z": None, "a": None, "d": None}, {"z": 0}],
        pa.struct(
            [
                ("z", pa.int32()),
                ("a", pa.struct([("t", pa.timestamp("us", "UTC"))])),
                ("d", pa.decimal128(6, 2)),
            ]
        ),
    ),
    "nothing": pa.array([None] * 4, pa.string()),
}.items():
    MIXED = MIXED.append_column(name, column)


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    """The table as a Parquet file."""
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path)
    return path


@pytest.mark.parametrize("way", ["driver", "workers"])
def test_parquet(parquet: Path, spark: SparkSession, way: str) -> None:
    relation = read(parquet, session=spark, way=way)  # type: ignore[arg-type]
    assert [column.type for column in relation.columns] == TYPES
    assert_same(relation, read(TABLE))
    assert relation.locate([3]) == [Place(str(parquet), 4)]


@pytest.mark.parametrize("maker", ["arrow", "spark"])
@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_all_types_by_all_ways(tmp_path: Path, spark: SparkSession, kind: str, maker: str) -> None:
    """By Arrow, by Spark's workers and through Java's files, from what Arrow or Spark has written."""
    pq.write_table(MIXED, tmp_path / "t.parquet")
    path = tmp_path / "t.parquet"
    if maker == "spark":
        spark.read.parquet(str(path)).coalesce(1).write.format(kind).save(str(tmp_path / "by-spark"))
        path = tmp_path / "by-spark"
    elif kind == "orc":
        path = tmp_path / "t.orc"
        orc.write_table(MIXED, path)
    here, instants = read(path), kind == "orc" and maker == "arrow"
    assert_same(here, read(path, session=spark, way="workers"))
    assert_same(here, read(spark.read.format(kind).load(str(path))))
    if not instants:  # ORC of Arrow's does not tell timestamps with and without a zone apart
        assert_same(here, read(MIXED))


def test_parquet_in_spans(tmp_path: Path, small_blocks: SparkSession) -> None:
    """Files of several row groups, without rows, and of one row group, in the order of their names."""
    rows = pa.table({"n": range(5_000), "t": [f"text {n % 7}" for n in range(5_000)]})
    folder = tmp_path / "many"
    folder.mkdir()
    for name, part, size in (("b", rows.slice(3_000), 9_999), ("a", rows.slice(0, 3_000), 170)):
        pq.write_table(part, folder / f"{name}.parquet", row_group_size=size)
    pq.write_table(rows.slice(0, 0), folder / "aa.parquet")
    assert len(spans.parquet_spans(find_files(str(folder), lambda: small_blocks))) > 10
    relation = read(folder, session=small_blocks, way="workers")
    assert_same(relation, read(folder, way="driver"))
    assert relation.ranks()[0].tolist() == list(range(5_000))
    assert relation.locate([3_000]) == [Place(str(folder / "b.parquet"), 1)]


@pytest.mark.parametrize("way", ["driver", "workers"])
def test_parquet_without_rows(tmp_path: Path, spark: SparkSession, way: str) -> None:
    pq.write_table(TABLE.slice(0, 0), tmp_path / "t.parquet")
    relation = read(tmp_path / "t.parquet", session=spark, way=way)  # type: ignore[arg-type]
    assert ([column.type for column in relation.columns], relation.n_rows) == (TYPES, 0)


def test_files_with_columns_of_their_own(tmp_path: Path, spark: SparkSession) -> None:
    """Arrow leaves these to Spark."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    pq.write_table(pa.table({"a": pa.array([1], pa.int32())}), folder / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([2], pa.int32()), "b": ["x"]}), folder / "2.parquet")
    assert_same(read(folder, session=spark, way="driver"), read(folder, session=spark, way="workers"))


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("at_once", [0, 1 << 29])
def test_pieces_come_in_one_job_or_one_by_one(
    tmp_path: Path, small_blocks: SparkSession, monkeypatch: pytest.MonkeyPatch, at_once: int, seen: bool
) -> None:
    """From workers that see the driver's folder, and from others."""
    monkeypatch.setattr(sparks, "_AT_ONCE", at_once)
    if not seen:
        monkeypatch.setattr(
            sparks, "handover", lambda _: nullcontext(handover.Handover(tmp_path / "elsewhere"))
        )
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{n},{n % 3}\n" for n in range(3_000)))
    relation = read(tmp_path / "t.csv", session=small_blocks, way="workers")
    assert_same(relation, read(tmp_path / "t.csv", way="driver"))


def test_sessions_that_keep_nothing(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """As serverless ones."""
    frame = spark.createDataFrame([(number, number % 3) for number in range(100)], "a int, b int")

    def refuse(*_: Any) -> None:
        raise AnalysisException("[NOT_SUPPORTED_WITH_SERVERLESS] PERSIST TABLE is not supported")

    monkeypatch.setattr(type(frame), "persist", refuse)
    assert_same(read(frame, way="workers"), read(frame, way="driver"))


@pytest.mark.parametrize("seen", [True, False])
def test_pieces_are_handed_over(tmp_path: Path, seen: bool) -> None:
    trouble = Trouble("ragged", 2, 3, "1,2,3")
    batch = pa.record_batch({"c0": pa.array(["x", None, "x"]).dictionary_encode()})
    pieces = [Piece("s", 5, 0, batch), Piece("s", 5, 1, batch.slice(0, 0), trouble)]
    with handover.handover(tmp_path) as place:
        if not seen:
            place.folder.rmdir()
        (first, second) = [batch.to_pylist() for batch in place.packed(pieces)]
        assert [row[0]["file"] is None for row in (first, second)] == [not seen] * 2
        taken = [place.unpacked(tuple(row.values())) for (row,) in (first, second)]
    assert not place.folder.exists()
    assert [(one.source, one.start, one.part, one.trouble) for one in taken] == [
        ("s", 5, 0, None),
        ("s", 5, 1, trouble),
    ]
    assert [one.batch for one in taken] == [batch, batch.slice(0, 0)]


def test_times_of_orc_that_arrow_cannot_hold(tmp_path: Path, spark: SparkSession) -> None:
    spark.sql("select timestamp'9999-12-31 00:00:00Z' as t").write.orc(str(tmp_path / "orc"))
    assert read(tmp_path / "orc").dictionary("t").to_pylist() == [datetime(9999, 12, 31, tzinfo=UTC)]


def test_timestamps_that_a_session_would_cut(spark: SparkSession) -> None:
    key = "spark.sql.parquet.outputTimestampType"
    before = str(spark.conf.get(key))
    spark.conf.set(key, "TIMESTAMP_MILLIS")
    try:
        assert read(spark.sql("select timestamp_micros(id) as t from range(3)")).ranks().tolist() == [
            [0, 1, 2]
        ]
    finally:
        spark.conf.set(key, before)


def test_json_by_all_ways(tmp_path: Path, spark: SparkSession) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"z": 1, "b": {"y": [1, 2.5], "x": "q"}, "n": null, "big": 123456789012345678901, "f": NaN}\n'
        '{"z": -2, "b": {"y": null, "new": true}, "s": "2024-01-01T10:00:00Z", "ok": false, "f": -0.0}\n'
        '{"t": "\\u00e9\\n", "b": {}, "l": [{"k": 1}, {"j": 2}], "z": 9007199254740993, "f": 0}\n'
    )
    here = read(path)
    assert_same(here, read(path, session=spark, way="workers"))
    assert_same(here, read(path, SourceOptions(properties={"mode": "PERMISSIVE"}), session=spark))


def test_orc_and_a_partitioned_folder(parquet: Path, tmp_path: Path, spark: SparkSession) -> None:
    frame = spark.read.parquet(str(parquet))
    frame.coalesce(1).write.orc(str(tmp_path / "orc"))
    assert_same(read(tmp_path / "orc", session=spark), read(TABLE))
    frame.write.partitionBy("ok").parquet(str(tmp_path / "parts"))
    relation = read(tmp_path / "parts", session=spark)
    assert set(relation.names) == set(TABLE.column_names)
    assert {column.name: column.nulls for column in relation.columns}["ok"] == 1


@pytest.mark.parametrize("way", ["driver", "workers"])
def test_json_lines(tmp_path: Path, spark: SparkSession, way: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"z": 1, "day": "2024-01-02", "code": "007", "tags": ["x"], "a.b": {"c": 1}}\n'
        '{"z": 2.5, "day": null, "code": "7", "extra": true}\n',
        encoding="utf-8",
    )
    relation = read(path, session=spark, way=way)  # type: ignore[arg-type]
    assert relation.names == ("z", "day", "code", "tags", "a.b", "extra")
    assert [column.type for column in relation.columns] == [
        "float",
        "date",
        "string",
        "string",
        "string",
        "boolean",
    ]
    assert relation.rows([0]).to_pylist() == [
        {"z": 1.0, "day": date(2024, 1, 2), "code": "007", "tags": '["x"]', "a.b": '{"c":1}', "extra": None}
    ]


@pytest.mark.parametrize("way", ["driver", "workers"])
def test_spark_table_in_its_own_order(spark: SparkSession, way: str) -> None:
    frame = spark.range(0, 1000, 1, 5).selectExpr("id", "id % 3 as id", "binary('x') as b")
    relation = read(frame, way=way)  # type: ignore[arg-type]
    assert relation.names == ("id", "id_2", "b")
    assert relation.ranks()[0].tolist() == list(range(1000))
    assert relation.rows([7]).to_pylist() == [{"id": 7, "id_2": 1, "b": "78"}]


def test_jdbc(tmp_path: Path, spark: SparkSession) -> None:
    url = f"jdbc:derby:{tmp_path / 'db'}"
    frame = spark.sql(
        "select 2 as n, 'b' as t, timestamp'2024-01-01 00:00:00' as s union all select null, 'a', null"
    )
    frame.write.jdbc(
        f"{url};create=true", "things", properties={"driver": "org.apache.derby.jdbc.EmbeddedDriver"}
    )
    for table in ("things", "(select * from things) q"):
        relation = read(url, SourceOptions(table=table), session=spark)
        assert [column.type for column in relation.columns] == ["integer", "string", "timestamp"]
        assert sorted(map(repr, relation.rows([0, 1]).column(0).to_pylist())) == ["2", "None"]
    assert datetime(2024, 1, 1, tzinfo=UTC) in relation.dictionary(relation.names[2]).to_pylist()


def test_catalog(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("three")
    assert read("table:three", session=spark).ranks().tolist() == [[0, 1, 2]]


def test_fixed_types_of_typed_sources(parquet: Path, spark: SparkSession) -> None:
    relation = read(
        parquet,
        SourceOptions(types={"_metadata": "string", "at": "string", "d": "float"}),
        session=spark,
    )
    assert [column.type for column in relation.columns[:3]] == ["string", "float", "float"]
    assert relation.dictionary("_metadata").to_pylist() == [None, "1", "3"]


def test_a_kept_folder(tmp_path: Path) -> None:
    relation = read(TABLE, folder=tmp_path / "kept")
    assert_same(type(relation).open(tmp_path / "kept"), relation)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]


def test_a_temporary_folder_goes() -> None:
    relation = read(TABLE)
    folder = relation.folder
    assert folder.exists()
    del relation
    assert not folder.exists()


def test_dictionaries_may_have_values_twice_and_values_that_no_row_has() -> None:
    words = pa.array(["b", "unused", "a", "b", None])
    table = pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([3, 2, None, 0, 4, 2], pa.int8()), words)})
    relation = read(table)
    assert relation.ranks().tolist() == [[2, 1, 0, 2, 0, 1]]
    assert (relation.columns[0].distinct, relation.columns[0].nulls) == (2, 2)


def test_texts_of_parquet_with_and_without_a_dictionary(tmp_path: Path) -> None:
    """Writers leave a dictionary that gets too long: then texts are read as they are."""
    rows = 150_000
    few = [None if row % 7 == 0 else f"text {row % 5}" for row in range(rows)]
    made = {
        "few": few,
        "many": [f"a text of its own {row * 7919 % rows:>9}" for row in range(rows)],
        "x.y": ["same"] * rows,
    }
    table = pa.table({**made, "nested": [{"x": word} for word in few]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=60_000)
    by_file, by_values = read(tmp_path / "t.parquet"), read(table)
    assert np.array_equal(by_file.ranks(), by_values.ranks())
    assert by_file.columns == by_values.columns
    assert [column.distinct for column in by_file.columns] == [5, rows, 1, 6]
