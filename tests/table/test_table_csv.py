"""CSV files: nasty texts go there and back, and the dialect is found."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rank_oracle import assert_same

from examples import examples
from lawful.table import Place, Relation, SourceOptions, csvs, pile, read, spans

Address = Callable[[Path], str]
NASTY = st.lists(
    st.sampled_from([*"abc01;,|\t'\"\\ .-#", "\n", "\r\n", "\u00e9", "\U0001f600", "\ufeff", "\x00"]),
    max_size=6,
).map("".join)
TEXTS = SourceOptions(types={"a": "string", "b": "string", "c": "string"}, empty_is_null=False, delimiter=",")


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """Write a text as it is."""
    path.write_bytes(text.encode(encoding))
    return path


def values(relation: Relation) -> list[tuple[object, ...]]:
    """The rows of a relation."""
    return [tuple(row.values()) for row in relation.rows(relation.row_ids).to_pylist()]


def csv_text(rows: Sequence[tuple[str, ...]], **how: object) -> str:
    """Rows as RFC 4180 wants them, with a header."""
    out = io.StringIO()
    csv.writer(out, **how).writerows([("a", "b", "c"), *rows])  # type: ignore[arg-type]
    return out.getvalue()


@given(st.lists(st.tuples(NASTY, NASTY, NASTY), max_size=8), st.sampled_from(["\n", "\r\n"]))
@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts_go_there_and_back(tmp_path: Path, rows: list[tuple[str, ...]], ending: str) -> None:
    path = write(tmp_path / "t.csv", csv_text(rows, lineterminator=ending, quoting=csv.QUOTE_ALL))
    assert values(read(path, TEXTS)) == rows


@given(
    st.lists(st.tuples(NASTY, NASTY, NASTY), max_size=30),
    st.integers(4, 60),
    st.booleans(),
    st.sampled_from([0, 500, 1 << 20]),
)
@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pieces_end_anywhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[str, ...]],
    size: int,
    wide: bool,
    held: int,
) -> None:
    monkeypatch.setattr(pile, "_IN_MEMORY", held)
    for name, share in (("PIECE_BYTES", 1), ("_FIRST_BYTES", 2), ("_CHUNK_BYTES", 4)):
        monkeypatch.setattr(csvs, name, size // share)
    path = write(tmp_path / "t.csv", csv_text(rows, quoting=csv.QUOTE_ALL), "utf-16" if wide else "utf-8")
    relation = read(path, TEXTS)
    assert values(relation) == rows
    assert [place.row for place in relation.locate(relation.row_ids)] == list(range(1, len(rows) + 1))


def test_workers_cut_files_anywhere(tmp_path: Path, small_blocks: SparkSession, address: Address) -> None:
    rows = [
        (str(i % 7), f'say "{i}", ok', "line\nbreak, and\r\nmore" if i % 50 == 49 else "x")
        for i in range(900)
    ]
    path = write(tmp_path / "t.csv", csv_text(rows))
    cut = read(address(path), session=small_blocks, way="workers")
    assert_same(cut, read(path, way="driver"))
    assert cut.locate([0, 899]) == [Place(address(path), 1), Place(address(path), 900)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_spans_begin_anywhere(tmp_path: Path, spark: SparkSession, encoding: str) -> None:
    """Also between the two bytes of a line's end, in an empty line, and in a line longer than a span."""
    lines = [f"{i},{'é' * (i % 23)}" for i in range(200)] + ["", f"7,{'x' * 300}", "8,y"]
    path = write(tmp_path / "t.csv", "\r\n".join(["a,b", *lines]), encoding)
    expected = read(path, way="driver")
    assert expected.n_rows == 202
    for size in (40, 41, 42, 997):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(spans, "SPAN_BYTES", size)
            assert_same(expected, read(path, session=spark, way="workers"))


def test_folder_in_the_order_of_names(tmp_path: Path, small_blocks: SparkSession, address: Address) -> None:
    here = address(tmp_path) == str(tmp_path)
    folder = tmp_path / ("a folder [1] {ä} #%20" if here else "folder")  # elsewhere [1] is a pattern
    folder.mkdir()
    for name, start, count in (("b", 300, 900), ("a", 0, 300), ("c", 1200, 50)):
        write(
            folder / f"{name} *.csv",
            "n,t\n" + "".join(f"{i},{'x' * (i % 9)}\n" for i in range(start, start + count)),
        )
    write(folder / "_SUCCESS", "")
    cut = read(address(folder), session=small_blocks, way="workers")
    assert cut.rows(cut.row_ids).column("n").to_pylist() == list(range(1250))
    assert cut.locate([1199])[0] == Place(address(folder / "b *.csv"), 900)
    assert_same(cut, read(str(folder / "*.csv").replace("[1]", "[[]1]"), way="driver"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("way", ["driver", "workers"])
def test_encodings_are_found(tmp_path: Path, spark: SparkSession, encoding: str, way: str) -> None:
    path = write(tmp_path / "t.csv", "größe,b\nä,1\nü,2\n", encoding)
    relation = read(path, session=spark, way=way)  # type: ignore[arg-type]
    assert relation.names == ("größe", "b")
    assert values(relation) == [("ä", 1), ("ü", 2)]


def test_latin_1_behind_the_sample(tmp_path: Path, spark: SparkSession) -> None:
    text = "a,b\n" + "x,1\n" * 100_000 + "é,2\n"
    path = write(tmp_path / "t.csv", text, "latin-1")
    for way in ("driver", "workers"):
        relation = read(path, session=spark, way=way)
        assert relation.rows([100_000]).to_pylist() == [{"a": "é", "b": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n2,5;y\n", [(Decimal("1.5"), "x"), (Decimal("2.5"), "y")]),
        ("a\tb\n1\tx,y\n", [(1, "x,y")]),
        ("a|b\n1|x\n", [(1, "x")]),
        ("a,b\n1,'x,y'\n", [(1, "x,y")]),
        ("a,b\r1,x\r2,y\r", [(1, "x"), (2, "y")]),
        ('a,b\n1,"x \\"y\\", z"\n', [(1, 'x "y", z')]),
        ("a\nx\ny, z\n", [("x",), ("y, z",)]),
        ("a,b\n\n1,2\n\r\n3,4", [(1, 2), (3, 4)]),
        ('a,b\n1,x"y\n2,5" pipe\n', [(1, 'x"y'), (2, '5" pipe')]),
    ],
)
def test_dialects_are_found(tmp_path: Path, text: str, expected: list[tuple[object, ...]]) -> None:
    assert values(read(write(tmp_path / "t.csv", text))) == expected


def test_compressed_file(tmp_path: Path, spark: SparkSession) -> None:
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n1\tx\n2\ty\n"))
    assert values(read(path)) == [(1, "x"), (2, "y")]
    assert_same(read(path), read(path, session=spark, way="workers"))


def test_without_header(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "t.csv", "1,x\n2,y\n"), SourceOptions(header=False))
    assert relation.names == ("column_1", "column_2")
    assert relation.n_rows == 2


def test_names_of_any_kind(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a.b,"x ""y""",a,a,,a_2,ü`\n1,2,3,4,5,6,7\n')
    assert read(path).names == ("a.b", 'x "y"', "a", "a_3", "column_5", "a_2", "ü`")


def test_null_markers(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n?,1\n"",2\nNA,3\n5,4\n')
    relation = read(path, SourceOptions(null_markers=("?", "NA")))
    assert relation.columns[0].nulls == 3
    assert relation.ranks().tolist() == [[0, 0, 0, 1], [0, 1, 2, 3]]
    assert read(path, SourceOptions(null_markers=("?", "NA"), nulls="distinct")).ranks()[0].tolist() == [
        -1,
        -1,
        -1,
        0,
    ]


@pytest.mark.parametrize("above", ["\n", "\r\n\r\n", "# said before\n\n", "\n# a\n\n# b\n"])
@pytest.mark.parametrize("way", ["driver", "workers"])
def test_names_below_empty_lines_and_comments_are_no_row(
    tmp_path: Path, spark: SparkSession, above: str, way: str
) -> None:
    path = write(tmp_path / "t.csv", f"{above}id,name\n1,a\n2,b\n")
    relation = read(path, SourceOptions(comment="#"), spark, way=way)  # type: ignore[arg-type]
    assert (relation.names, values(relation)) == (("id", "name"), [(1, "a"), (2, "b")])


def test_header_only(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "t.csv", "a,b\n"))
    assert (relation.names, relation.n_rows, relation.ranks().shape) == (("a", "b"), 0, (2, 0))


def test_all_null_column_and_one_row(tmp_path: Path) -> None:
    relation = read(write(tmp_path / "t.csv", "a,b\n,1\n"))
    assert [column.type for column in relation.columns] == ["null", "integer"]
    assert [column.ordered for column in relation.columns] == [False, True]
    assert relation.ranks().tolist() == [[0], [0]]
