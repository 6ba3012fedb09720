"""What bad input gets: one sentence with what to do, and nothing left behind."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lawful.errors import LawfulError
from lawful.spark import session
from lawful.table import SourceOptions, read, spans, sparks


@pytest.fixture(autouse=True)
def _nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No temporary folder survives a failure."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield
    assert [path for path in temporary.iterdir() if path.name.startswith("lawful-")] == []


def complaint(source: Any, spark: SparkSession | None = None, way: str = "auto", **options: Any) -> str:
    """The sentence that a source gets."""
    with pytest.raises(LawfulError) as caught:
        read(source, SourceOptions(**options), session=spark, way=way)  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert ":" in sentence
    return sentence


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", {}, "is empty: give a file that holds a table"),
        ("\n\r\n", {}, "is empty"),
        ("a,b\n1,2\n3\n", {}, "row 2 has 1 field instead of 2 ('3'): mend it"),
        ("a,b\n\n1,2\n4,5,6\n", {}, "row 2 has 3 fields instead of 2 ('4,5,6'): mend it"),
        ('a,b\n1,2\n3,"x\n5,6\n', {}, "a quote in row 2 is never closed"),
        ("a;b\n1;2\n", {"delimiter": ","}, "has one column with delimiter ',' but 2 with ';': use that"),
        ("a,b\n1,x\n", {"types": {"b": "integer"}}, "column 'b' holds 'x', which is no integer"),
        (
            "price,b\n1,x\n",
            {"types": {"prize": "integer"}},
            "types: there is no column 'prize': did you mean 'price'?",
        ),
        (
            "a,b\n1,x\n",
            {"unordered": ("zzzzz",)},
            "unordered: there is no column 'zzzzz': the columns are 'a', 'b'",
        ),
        ("a,b\n1,x\n", {"encoding": "klingon"}, "unknown encoding 'klingon': use"),
        ("a,b\n1,ä\n", {"encoding": "ascii"}, "is not ascii: give its encoding"),
    ],
)
def test_csv(tmp_path: Path, text: str, options: dict[str, Any], expected: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert expected in complaint(path, **options)


def test_ragged_row_far_down(tmp_path: Path, small_blocks: SparkSession) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 5_000 + "1,2,3\n" + "1,2\n" * 5_000, encoding="utf-8")
    for way in ("driver", "workers"):
        assert f"{path}: row 5001 has 3 fields instead of 2" in complaint(path, small_blocks, way)


def test_wrong_encoding_far_down(tmp_path: Path, spark: SparkSession) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 100_000 + b"1,\xe9\n")
    for way in ("driver", "workers"):
        assert "is not utf-8: give its encoding" in complaint(path, spark, way, encoding="utf-8")


def test_open_quote_in_workers(tmp_path: Path, small_blocks: SparkSession) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 3_000 + '1,"2\n' + "1,2\n" * 100, encoding="utf-8")
    assert "is never closed" in complaint(path, small_blocks, "workers")


@pytest.mark.parametrize("way", ["driver", "workers"])
def test_files_with_other_headers(tmp_path: Path, spark: SparkSession, way: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1.csv").write_text("a,b\n1,2\n")
    (folder / "2.csv").write_text("a,c\n1,2\n")
    assert "2.csv begins with 'a,c', not with the columns of" in complaint(folder, spark, way)


def test_missing_things(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("a\n1\n")
    assert "orders.csv?" in complaint(tmp_path / "order.csv")
    assert "there is no file" in complaint(tmp_path / "*.tsv")
    assert "check the path" in complaint("/nowhere/at/all.csv")
    (tmp_path / "empty").mkdir()
    assert "holds no files" in complaint(tmp_path / "empty")


def test_addresses_that_lead_nowhere(spark: SparkSession) -> None:
    assert "cannot be reached: Spark knows no nothing://" in complaint("nothing://x/t.csv", spark)
    assert "cannot be reached" in complaint("hdfs://nothing.invalid/t.csv", spark)


def test_files_that_spark_passes_over(tmp_path: Path, spark: SparkSession) -> None:
    for name in ("_t.csv", "_t.jsonl"):
        (tmp_path / name).write_text('{"a": 1}\n')
    assert read(tmp_path / "_t.jsonl").n_rows == 1
    assert "hides it from Spark: rename it" in complaint(tmp_path / "_t.jsonl", spark, "workers")
    assert read(tmp_path / "_t.csv", session=spark, way="workers").names == ('{"a": 1}',)


def test_files_that_workers_do_not_see(tmp_path: Path, spark: SparkSession) -> None:
    span, reader = spans.Span(str(tmp_path / "gone.csv"), 10), partial(spans.read_parquet_span, ["a"])
    told = pytest.raises(LawfulError, match=r"cannot open .*gone\.csv: put it where all of them see it")
    with told, session(existing=spark):
        list(sparks.span_pieces(spark, [span], reader, tmp_path))


def test_a_broken_compressed_file_in_workers(tmp_path: Path, spark: SparkSession) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(200_000)))[:-1000])
    assert "check that it is whole" in complaint(path, spark, "workers")


def test_parquet_that_spark_cannot_read(tmp_path: Path, spark: SparkSession) -> None:
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), tmp_path / "nanos.parquet")
    pq.write_table(pa.table({"a": [1], "A": [2]}), tmp_path / "case.parquet")
    own = {"mergeSchema": "false"}  # for Spark's own reader
    assert "has a type that Spark does not read" in complaint(
        tmp_path / "nanos.parquet", spark, properties=own
    )
    assert "differ in case only" in complaint(tmp_path / "case.parquet", spark, properties=own)
    for way in ("driver", "workers"):
        assert read(tmp_path / "nanos.parquet", session=spark, way=way).columns[0].type == "timestamp"
        assert read(tmp_path / "case.parquet", session=spark, way=way).names == ("a", "A")


def test_formats(tmp_path: Path) -> None:
    (tmp_path / "t.xyz").write_text("a\n1\n")
    assert "the format of" in complaint(tmp_path / "t.xyz")
    (tmp_path / "t.csv").write_text("a\n1\n")
    assert "files of several kinds" in complaint(str(tmp_path / "t.*"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"format": "xml"}, "unknown format 'xml': use one of csv"),
        ({"types": {"a": "number"}}, "unknown type 'number' for column 'a'"),
        ({"nulls": "some"}, "unknown treatment of NULL 'some'"),
        ({"delimiter": ""}, "the delimiter '' is not one ASCII character"),
        ({"delimiter": "::"}, "the delimiter '::' is not one ASCII character"),
    ],
)
def test_options(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(LawfulError, match=expected):
        SourceOptions(**options)


@pytest.mark.parametrize("way", ["driver", "workers"])
@pytest.mark.parametrize("kind", ["parquet", "orc", "json"])
def test_files_that_are_something_else(tmp_path: Path, spark: SparkSession, kind: str, way: str) -> None:
    path = tmp_path / f"t.{kind}"
    path.write_text("a,b\n1,2\n" * 10)
    sentence = complaint(path, spark, way)
    assert "is no JSON object" in sentence if kind == "json" else f"cannot be read as {kind}" in sentence


def test_tables_of_spark(tmp_path: Path, spark: SparkSession) -> None:
    assert "there is no table table:nothing" in complaint("table:nothing", spark)
    assert "needs a table" in complaint("jdbc:derby:x", spark)
    assert "needs a JDBC driver" in complaint("jdbc:nothing:x", spark, table="t")
    assert "needs a JDBC driver" in complaint("jdbc:derby:x", spark, table="t", properties={"driver": "a.B"})
    url = f"jdbc:derby:{tmp_path / 'db'};create=true"
    assert "cannot be read" in complaint(url, spark, table="nothing")
    assert "no columns" in complaint(spark.range(1).drop("id"))


def test_things_that_are_no_table() -> None:
    assert "is no source" in complaint(17)
    assert "no columns" in complaint(pa.table({}))
    assert "column 'm' mixes types" in complaint(pd.DataFrame({"m": [1, "x"]}))
    assert "column 'm' mixes types" in complaint(pd.DataFrame({"m": [1 + 2j]}))


def test_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    table = pa.table({"a": [1]})
    for folder, expected in (("file", "exists already"), ("no/such/parent", "cannot be written")):
        with pytest.raises(LawfulError, match=expected):
            read(table, folder=tmp_path / folder)
    with pytest.raises(LawfulError, match="holds no relation"):
        type(read(table)).open(tmp_path)
