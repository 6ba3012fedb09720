"""Sources that people try: what is piped in, compressed, packed, a spreadsheet, JSON as it comes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession
from rank_oracle import assert_same

import lawful
from lawful.errors import LawfulError
from lawful.table import Place, Relation, SourceOptions, read

CSV = "name,zip\nAda,7\nBob,8\n"
RECORDS: list[dict[str, Any]] = [
    {"z": 1, "day": "2024-01-02", "tags": ["x"], "at": {"b": 1, "a": "q\n"}},
    {"z": 2.5, "day": None, "more": True, "big": 2**70},
]


@pytest.fixture
def people(tmp_path: Path) -> Relation:
    """The table that all of these sources hold."""
    path = tmp_path / "plain.csv"
    path.write_text(CSV)
    return read(path)


def complaint(source: Any, **options: Any) -> str:
    """The sentence that a source gets."""
    with pytest.raises(LawfulError) as caught:
        read(source, SourceOptions(**options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def zipped(path: Path, **members: str) -> Path:
    """A zip archive; in the names of members a double underscore stands for a dot."""
    with ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


class TestPacked:
    @pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "t.tsv", "t.txt", "t.gz", "t.data", "t"])
    def test_gzip_under_any_name(self, tmp_path: Path, people: Relation, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(gzip.compress(CSV.encode()))
        assert_same(read(path), people)

    def test_gzip_that_is_cut_behind_the_sample(self, tmp_path: Path) -> None:
        whole = "a,b\n" + "".join(f"{number},{number * 7919 % 100_003}\n" for number in range(100_000))
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(whole.encode())[:-1000])
        assert "t.csv.gz cannot be read (Truncated" in complaint(tmp_path / "t.csv.gz")

    def test_gzip_that_spark_would_not_see(
        self, tmp_path: Path, people: Relation, spark: SparkSession
    ) -> None:
        (tmp_path / "t.csv").write_bytes(gzip.compress(CSV.encode()))
        assert_same(read(tmp_path / "t.csv", session=spark, way="workers"), people)

    def test_compressed_json(self, tmp_path: Path) -> None:
        (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
        assert read(tmp_path / "t.jsonl.gz").n_rows == 2

    def test_other_things_in_gzip(self, tmp_path: Path) -> None:
        (tmp_path / "t.gz").write_bytes(gzip.compress(b'{"a": 1}\n'))
        assert read(tmp_path / "t.gz").columns[0].type == "integer"
        (tmp_path / "t.tar.gz").write_bytes(gzip.compress(b"t.csv\0\0a,b\n"))
        assert "the format of" in complaint(tmp_path / "t.tar.gz")

    def test_zip_with_one_table(self, tmp_path: Path, people: Relation) -> None:
        path = zipped(tmp_path / "t.zip", people__csv=CSV, __MACOSX="", __DS_Store="x")
        relation = read(path)
        assert_same(relation, people)
        assert relation.locate([1]) == [Place(f"{path}/people.csv", 2)]
        assert sorted(file.name for file in relation.folder.iterdir() if file.is_dir()) == []

    def test_zip_of_another_format(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "a.parquet")
        with ZipFile(tmp_path / "t.zip", "w") as archive:
            archive.write(tmp_path / "a.parquet", "below/a.parquet")
        assert read(tmp_path / "t.zip").ranks().tolist() == [[0, 1]]

    def test_other_zips(self, tmp_path: Path) -> None:
        several = zipped(tmp_path / "t.zip", a__csv=CSV, b__csv=CSV)
        assert "holds several files (a.csv, b.csv): unpack it and name one" in complaint(several)
        assert "holds no files" in complaint(zipped(tmp_path / "none.zip"))
        (tmp_path / "bad.zip").write_text(CSV)
        assert "cannot be unpacked" in complaint(tmp_path / "bad.zip")


class TestStandardInput:
    def test_csv(self, tmp_path: Path, people: Relation, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", (tmp_path / "plain.csv").open())
        relation = read("-")
        assert_same(relation, people)
        assert relation.locate([0]) == [Place("-", 1)]

    def test_another_format(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "t").write_text('[{"a": 1}]')
        monkeypatch.setattr(sys, "stdin", (tmp_path / "t").open())
        assert read("-", SourceOptions(format="json")).names == ("a",)

    @pytest.mark.parametrize(
        "text", ['{"a": 1, "b": 2}\n{"a": 3}\n', ' [ {"a": 1, "b": 2} ]', '\ufeff{"a": 1, "b": 2}']
    )
    def test_json_is_seen(self, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "t").write_text(text)
        monkeypatch.setattr(sys, "stdin", (tmp_path / "t").open())
        assert read("-").names == ("a", "b")

    def test_parquet_is_seen(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "t")
        monkeypatch.setattr(sys, "stdin", (tmp_path / "t").open())
        assert read("-").ranks().tolist() == [[0, 1]]

    def test_the_command(self) -> None:
        """In a process, which has a pipe."""
        command = [sys.executable, "-m", "lawful", "columns", "-", "--json"]
        done = subprocess.run(command, input=CSV, capture_output=True, text=True, timeout=300)
        assert done.stderr == ""
        assert [column["name"] for column in json.loads(done.stdout)["columns"]] == ["name", "zip"]

    def test_a_pipe_with_a_name(self, tmp_path: Path, people: Relation) -> None:
        """As the shell makes one for <(zcat people.csv.gz)."""
        os.mkfifo(tmp_path / "pipe")
        with subprocess.Popen(["cp", tmp_path / "plain.csv", tmp_path / "pipe"]):
            assert_same(read(tmp_path / "pipe"), people)

    def test_nothing_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "empty").touch()
        monkeypatch.setattr(sys, "stdin", (tmp_path / "empty").open())
        assert complaint("-") == "standard input is empty: give a file that holds a table"


class TestJson:
    @pytest.mark.parametrize("indent", [None, 2])
    @pytest.mark.parametrize("as_array", [True, False])
    def test_documents(self, tmp_path: Path, indent: int | None, as_array: bool) -> None:
        path = tmp_path / "t.json"
        texts = [json.dumps(record, indent=indent) for record in RECORDS]
        path.write_text(json.dumps(RECORDS, indent=indent) if as_array else "\n".join(texts))
        relation = read(path)
        assert relation.names == ("z", "day", "tags", "at", "big", "more")
        kinds = ["float", "date", "string", "string", "integer", "boolean"]
        assert [column.type for column in relation.columns] == kinds
        assert relation.rows([0]).to_pylist()[0]["at"] == '{"a":"q\\n","b":1}'
        assert relation.locate([1]) == [Place(str(path), 2)]

    def test_an_array_for_spark(self, tmp_path: Path, spark: SparkSession) -> None:
        path = tmp_path / "t.json"
        path.write_text(json.dumps(RECORDS))
        assert read(path, session=spark, way="workers").names == read(path).names

    def test_columns_of_several_types_are_texts(self, tmp_path: Path, spark: SparkSession) -> None:
        path = tmp_path / "t.json"
        path.write_text('{"a": 1, "b": [1]}\n\n{"a": "x", "b": {"c": 2}}\n{"a": true, "b": null}\n')
        relation = read(path)
        assert relation.dictionary("a").to_pylist() == ["1", "true", "x"]
        assert relation.dictionary("b").to_pylist() == [None, "[1]", '{"c":2}']
        by_spark = read(path, session=spark, way="workers")
        assert by_spark.columns == relation.columns
        assert (by_spark.ranks() == relation.ranks()).all()

    @pytest.mark.parametrize("text", ["a,b\n1,2\n", '{"a": 1}\nx\n', "[1, 2]", '{"a": 1}\n3\n', '{"a": \n'])
    def test_no_objects(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "t.json").write_text(text)
        assert "has a line that is no JSON object" in complaint(tmp_path / "t.json")

    def test_another_encoding(self, tmp_path: Path) -> None:
        (tmp_path / "t.json").write_bytes('{"a": "é"}'.encode("latin-1"))
        assert "is not utf-8" in complaint(tmp_path / "t.json")


def workbook(path: Path, **sheets: str) -> Path:
    """A spreadsheet of sheets, given as the XML of their rows; style 1 is that of dates."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "http://schemas.openxmlformats.org/package/2006"
    numbers = range(1, len(sheets) + 1)
    names = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="r{number}" Type="{office}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    links += f'<Relationship Id="s" Type="{office}/styles" Target="styles.xml"/>'
    with ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{kinds}/content-types"/>')
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}" xmlns:r="{office}"><sheets>{names}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{kinds}/relationships">{links}</Relationships>',
        )
        styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{space}">{styles}</styleSheet>')
        book = f'<Relationship Id="b" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        archive.writestr(
            "_rels/.rels", f'<Relationships xmlns="{kinds}/relationships">{book}</Relationships>'
        )
        for number, rows in zip(numbers, sheets.values(), strict=True):
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>',
            )
    return path


def row(*cells: str | float | date | None) -> str:
    """The XML of a row."""
    shown = []
    for cell in cells:
        if cell is None:
            shown.append("<c/>")
        elif isinstance(cell, str):
            shown.append(f'<c t="inlineStr"><is><t>{cell}</t></is></c>')
        elif isinstance(cell, date):
            shown.append(f'<c s="1"><v>{(cell - date(1899, 12, 30)).days}</v></c>')
        else:
            shown.append(f"<c><v>{cell}</v></c>")
    return f"<row>{''.join(shown)}</row>"


PEOPLE = (
    row("name", "zip", "share", "born", "note")
    + row("Ada", 7, 0.5, date(2024, 2, 29), "007")
    + row("Bob", 8, 1, None, 12)
)


class TestSpreadsheets:
    def test_a_sheet(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "t.xlsx", People=PEOPLE, Empty="")
        relation = read(path)
        assert relation.rows([0, 1]).to_pylist() == [
            {"name": "Ada", "zip": 7, "share": 0.5, "born": date(2024, 2, 29), "note": "007"},
            {"name": "Bob", "zip": 8, "share": 1.0, "born": None, "note": "12"},
        ]
        assert [column.type for column in relation.columns] == [
            "string",
            "integer",
            "float",
            "date",
            "string",
        ]
        assert relation.locate([1]) == [Place(str(path), 2)]

    def test_several_sheets(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "t.xlsx", One=PEOPLE, Two=row("a") + row(1))
        assert "several sheets: name one of 'One', 'Two' as its table (--table)" in complaint(path)
        assert read(path, SourceOptions(table="Two")).names == ("a",)
        assert "has no sheet 'Three': name one of 'One', 'Two'" in complaint(path, table="Three")

    def test_other_files_have_no_sheets(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text(CSV)
        assert f"{tmp_path / 't.csv'} has none (csv): leave it out" in complaint(
            tmp_path / "t.csv", table="One"
        )

    def test_what_is_none(self, tmp_path: Path) -> None:
        assert "is empty" in complaint(workbook(tmp_path / "t.xlsx", One=""))
        (tmp_path / "bad.xlsx").write_text(CSV)
        assert "cannot be read as xlsx" in complaint(tmp_path / "bad.xlsx")

    def test_without_the_package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "python_calamine", None)  # as if it were not installed
        path = workbook(tmp_path / "t.xlsx", People=PEOPLE)
        assert "run `pip install 'lawful[xlsx]'`" in complaint(path)


class TestPython:
    def test_records(self) -> None:
        relation = read(RECORDS)
        assert relation.names == ("z", "day", "tags", "at", "big", "more")
        assert relation.dictionary("big").to_pylist() == [None, 2**70]

    def test_a_series(self) -> None:
        assert read(pd.Series([3, 1], name="n")).ranks().tolist() == [[1, 0]]
        assert read(pd.Series([3, 1])).names == ("column_1",)

    def test_what_speaks_arrow(self) -> None:
        table = pa.table({"a": [2, 1]})
        assert_same(read(pa.RecordBatchReader.from_batches(table.schema, table.to_batches())), read(table))

    @pytest.mark.parametrize("source", [17, [1, 2], {"a": [1]}, pa.array([1]), pa.chunked_array([[1]])])
    def test_other_things(self, source: Any) -> None:
        assert "is no source: give a path, a Spark, pandas, polars or Arrow table" in complaint(source)

    def test_an_empty_list(self) -> None:
        assert "no columns" in complaint([])


class TestAddresses:
    def test_the_web(self) -> None:
        told = complaint("https://host/t.csv")
        assert "download it first" in told
        assert "curl -sL https://host/t.csv | lawful discover -" in told

    def test_jars(self, spark: SparkSession) -> None:
        assert "--conf spark.jars.packages=org.apache.hadoop:hadoop-aws:3." in complaint("s3a://b/t.csv")
        assert "write it as s3a://b/t.csv" in complaint("s3://b/t.csv")


def test_small_files_need_no_spark(tmp_path: Path) -> None:
    """In a process that has not loaded Spark for other tests."""
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    pq.write_table(table, tmp_path / "t.parquet")
    orc.write_table(table, tmp_path / "t.orc")
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n')
    program = (
        "import sys, lawful\n"
        "for name in ('t.parquet', 't.orc', 't.jsonl'):\n"
        "    print(len(lawful.discover(f'{sys.argv[1]}/{name}', ['key'])))\n"
        "print('pyspark' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["2", "2", "2", "False"]
    assert len(lawful.discover(table, ["key"])) == 2
