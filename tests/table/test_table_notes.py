"""What could be misread: it is read in the way that the whole column agrees on, and the reader is told."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rank_oracle import assert_same, dense_ranks, understand

from examples import examples
from lawful import discover
from lawful.errors import LawfulError
from lawful.table import Relation, SourceOptions, read

CELLS = st.sampled_from(
    [
        *("", "0", "7", "-7", "07", "1234", "1,234", "12,345,678", "1.234", "1.234.567", "3,5", "0,5", "1.5"),
        *(
            "1,234.5",
            "1.234,5",
            "1 234,5",
            "1'234",
            "$5",
            "$1,234",
            "-$3.50",
            "5 \u20ac",
            "1,5 \u20ac",
            "5%",
            "0.5 %",
        ),
        *("1e3", "1e400", "-1e400", "1e-400", "inf", "nan", "0.1", "0.1e0", "0.10000000000000000001e0"),
        *("1/2/2024", "01/02/2024", "13/02/2024", "2/29/2024", "07.11.2023", "7.13.2023", "07-11-2023", "x"),
    ]
)


def table(path: Path, texts: Sequence[str]) -> Path:
    """A file with one column of texts."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a",), *((text,) for text in texts)])
    return path


def of(tmp_path: Path, texts: Sequence[str], **options: Any) -> Relation:
    """A relation of one column of texts."""
    return read(table(tmp_path / "t.csv", texts), SourceOptions(**options))


def check(relation: Relation, texts: Sequence[str]) -> None:
    """The types and ranks are those of the obvious way to read."""
    kind, values = understand(texts)
    assert relation.columns[0].type == kind
    np.testing.assert_array_equal(relation.ranks()[0], dense_ranks(values))


@given(st.lists(CELLS, min_size=1, max_size=4))
@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_and_dates_as_the_oracle_reads_them(tmp_path: Path, texts: list[str]) -> None:
    check(of(tmp_path, texts), texts)


@given(st.lists(st.lists(CELLS, max_size=3), min_size=2, max_size=3))
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_appended_texts_are_read_as_if_they_had_been_there(tmp_path: Path, batches: list[list[str]]) -> None:
    relation = of(tmp_path, batches[0])
    for batch in batches[1:]:
        relation.append(table(tmp_path / "more.csv", batch))
    assert_same(relation, of(tmp_path, [*chain(*batches)]))
    assert_same(Relation.open(relation.folder), relation)


@pytest.mark.parametrize(
    ("texts", "kind", "values", "note"),
    [
        (
            ["01234", "1234", "99"],
            "string",
            ["01234", "1234", "99"],
            "values with leading zeros, such as '01234', are kept as text; "
            "--type a=integer reads them as numbers",
        ),
        (
            ["0 123", "4"],
            "string",
            ["0 123", "4"],
            "values with leading zeros, such as '0 123', are kept as text; "
            "--type a=integer reads them as numbers",
        ),
        (
            ["01/02/2024", "3/4/2024"],
            "date",
            [date(2024, 1, 2), date(2024, 3, 4)],
            "'01/02/2024' could be day or month first, read as month first (M/d/yyyy); "
            "--date-format 'd/M/yyyy' for day first",
        ),
        (
            ["07.11.2023"],
            "date",
            [date(2023, 11, 7)],
            "'07.11.2023' could be day or month first, read as day first (d.M.yyyy); "
            "--date-format 'M.d.yyyy' for month first",
        ),
        (
            ["07-11-2023 10:30", "08-11-2023"],
            "timestamp",
            [datetime(2023, 11, 7, 10, 30), datetime(2023, 11, 8)],
            "'07-11-2023 10:30' could be day or month first, read as day first (d-M-yyyy[ H:mm[:ss]]); "
            "--date-format 'M-d-yyyy[ H:mm[:ss]]' for month first",
        ),
        (["01/02/2024", "13/02/2024"], "date", [date(2024, 2, 1), date(2024, 2, 13)], None),
        (["01/01/2024", "2/2/2024"], "date", [date(2024, 1, 1), date(2024, 2, 2)], None),
        (["2/13/2024 1:05 PM"], "timestamp", [datetime(2024, 2, 13, 13, 5)], None),
        (
            ["1.234,56", "3,5"],
            "decimal",
            [Decimal("3.5"), Decimal("1234.56")],
            "'1.234,56' is read as the number 1234.56",
        ),
        (
            ["3,5", "1,234"],
            "decimal",
            [Decimal("1.234"), Decimal("3.5")],
            "'1,234' is read as the number 1.234",
        ),
        (
            ["1,234", "567"],
            "integer",
            [567, 1234],
            "'1,234' could be 1234 or 1.234, read as 1234; --decimal , for the other",
        ),
        (
            ["1,234", "1234"],
            "decimal",
            [Decimal("1.234"), 1234],
            "'1,234' could be 1.234 or 1234, read as 1.234; --decimal . for the other",
        ),
        (
            ["1.234", "2.345"],
            "decimal",
            [Decimal("1.234"), Decimal("2.345")],
            "'1.234' could be 1.234 or 1234, read as 1.234; --decimal , for the other",
        ),
        (["0.234", "2.345"], "decimal", [Decimal("0.234"), Decimal("2.345")], None),
        (["1,234,567", "1"], "integer", [1, 1234567], "'1,234,567' is read as the number 1234567"),
        (
            ["1\u202f234,5", "2"],
            "decimal",
            [2, Decimal("1234.5")],
            "'1\\u202f234,5' is read as the number 1234.5",
        ),
        (
            ["$1,234.50", "-$7", "$1500"],
            "decimal",
            [-7, Decimal("1234.5"), 1500],
            "'$1,234.50' is read as the number 1234.50",
        ),
        (["5 %", "12.5%"], "decimal", [5, Decimal("12.5")], "'12.5%' is read as the number 12.5"),
        (["$5", "\u20ac5"], "string", ["$5", "\u20ac5"], None),
        (["5%", "5"], "string", ["5", "5%"], None),
        (
            ["+inf", "1e400", "2"],
            "string",
            ["+inf", "1e400", "2"],
            "'1e400' is beyond the numbers that a float can be: the values are kept as text; "
            "--type a=float reads them as numbers",
        ),
        (
            ["0.1e0", "0.10000000000000000001e0"],
            "string",
            ["0.10000000000000000001e0", "0.1e0"],
            "0.10000000000000000001e0 and 0.1e0 would be the same float: the values are kept as text; "
            "--type a=float reads them as numbers",
        ),
        (["1e3", "1000", "1.0E+3"], "float", [1000.0], None),
        (
            ["7", "10", "N/A"],
            "string",
            ["10", "7", "N/A"],
            "text because of 'N/A'; if that means NULL, --null 'N/A' makes it integer",
        ),
        (["7", "10", "x", "y", "z"], "string", ["10", "7", "x", "y", "z"], None),
        (
            ["2024-01-31", "2024-02-01", "15.03.2024"],
            "string",
            ["15.03.2024", "2024-01-31", "2024-02-01"],
            "'15.03.2024' and '2024-01-31' are dates in two notations: the values are kept as text "
            "until all have one",
        ),
        (
            ["1/2/2024", "12/31/2024", "31/12/2024"],
            "string",
            ["1/2/2024", "12/31/2024", "31/12/2024"],
            "'12/31/2024' and '31/12/2024' are dates in two notations: the values are kept as text "
            "until all have one",
        ),
        (["2024-01-31", "x", "y", "z"], "string", ["2024-01-31", "x", "y", "z"], None),
        (["2024-01-31", "15.03.2024", "7"], "string", ["15.03.2024", "2024-01-31", "7"], None),
    ],
)
def test_notes(tmp_path: Path, texts: list[str], kind: str, values: list[Any], note: str | None) -> None:
    relation = of(tmp_path, texts)
    assert relation.columns[0].type == kind
    assert relation.dictionary("a").to_pylist() == values
    assert relation.columns[0].notes == (() if note is None else (note,))


def test_what_another_encoding_would_repair(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a\nI don\u2019t\n\u00e4rger\n".encode("cp1252"))
    (note,) = read(path).columns[0].notes
    assert (
        note
        == "'don\\x92t' looks like 'don\u2019t' (cp1252) in the wrong encoding; --encoding cp1252 reads it so"
    )
    repaired = read(path, SourceOptions(encoding="cp1252"))
    assert repaired.dictionary("a").to_pylist() == ["I don\u2019t", "\u00e4rger"]
    assert repaired.columns[0].notes == ()
    path.write_bytes("a\n\u00e4rger\n".encode())
    (note,) = read(path, SourceOptions(encoding="latin-1")).columns[0].notes
    assert note.endswith(
        "looks like '\u00e4rger' (utf-8) in the wrong encoding; --encoding utf-8 reads it so"
    )
    assert read(path).columns[0].notes == ()


@pytest.mark.parametrize(
    ("text", "word", "meant"),
    [
        ("\u00c3\u00a4rger", "\u00c3\u00a4rger", "'\u00e4rger' (utf-8)"),
        ("a b, cd\u00c3\u00a4f g", "cd\u00c3\u00a4f", "'cd\u00e4f' (utf-8)"),
        ("don\u00e2\u20ac\u2122t", "don\u00e2\u20ac\u2122t", "'don\u2019t' (utf-8)"),
        ("don\u0092t", "don\u0092t", "'don\u2019t' (cp1252)"),
    ],
)
def test_wrong_encodings(tmp_path: Path, text: str, word: str, meant: str) -> None:
    """A file that was written so: no encoding repairs it, but a person should know."""
    note = f"{word!r} looks like {meant} in the wrong encoding"
    right = ["\u00c3RGER", "\u00c2ge", "\u00c5 5", "\u00d6l", "a\ufffdb", "a\u00ef\u00bf\u00bdb"]
    assert of(tmp_path, [*right, text]).columns[0].notes == (note,)
    assert read(pa.table({"a": [text]})).columns[0].notes == (note,)
    assert of(tmp_path, right).columns[0].notes == ()


def test_texts_of_two_encodings_name_none_that_repairs_both(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\nf\xfcr\n\xc3\xa4rger\n")
    (note,) = read(path).columns[0].notes
    assert note.endswith("looks like '\u00e4rger' (utf-8) in the wrong encoding")


def test_columns_that_could_not_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,a,b,\n1,2,3,4\n")
    assert read(path).notes == (
        "a_2: the source calls this column 'a', as another one",
        "column_4: the source has no name for this column",
    )
    assert read(path, SourceOptions(header=False)).columns[3].notes == ()


def test_a_first_line_that_may_be_a_row_and_names_that_are_repeated(tmp_path: Path) -> None:
    note = (
        "the name is one of the values, too; if the first line is a row, --no-header reads it; "
        "if the line of names is repeated, take it out"
    )
    path = tmp_path / "t.csv"
    path.write_text("1,x,x\n2,y,y\n3,x,x\n")
    assert note in read(path).columns[1].notes
    assert note in read(path).columns[2].notes  # which is called x_2
    assert read(path).columns[0].notes == ()
    assert not any(column.notes for column in read(path, SourceOptions(header=False)).columns)
    path.write_text("id,name\n1,a\nid,name\n2,b\n")
    assert [note in column.notes for column in read(path).columns] == [True, True]
    assert read(pa.table({"x": ["x", "y"]})).columns[0].notes == ()  # no line of names


@pytest.mark.parametrize(("name", "told"), [("rownames", True), ("Unnamed: 0", True), ("id", False)])
def test_a_column_that_only_numbers_the_rows(name: str, told: bool) -> None:
    note = f"{name}: seems to number the rows; --exclude {name} finds laws without it"
    table = {name: [3, 1, 2], "a": [1, 1, 2]}
    assert read(pa.table(table)).notes == (note,) * told
    assert read(pa.table({**table, name: [1, 1, 2]})).notes == ()
    assert read(pa.table({**table, name: [1.5, 1.0, 2.0]})).notes == ()


def test_a_title_above_the_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Report 2024\n\nid;city\n1;Oslo\n2;Rome\n")
    cure = "if the name is a title above the table, --comment 'Report 2024' passes over it"
    assert f"Report 2024: all values have a ';'; {cure}" in read(path).notes
    assert read(path, SourceOptions(comment="Report 2024")).names == ("id", "city")
    path.write_text("city\nOslo; Norway\nRome\n")
    assert not any("title" in note for note in read(path).notes)
    assert not any("title" in note for note in read(pa.table({"a": ["1;2", "3;4"]})).notes)


def test_the_row_of_a_total_is_told(tmp_path: Path) -> None:
    path, names = tmp_path / "t.csv", "no,city,day,sum,empty"
    rows = [f"{number},5,{number},{number * 2}," for number in range(9)]
    path.write_text("\n".join([names, *rows, "9,,,90,"]))
    note = "city, day: only row 10 has none; if it is a total or a remark, take it out"
    assert read(path).notes == (note,)
    assert read(path, SourceOptions(nulls="distinct")).notes == (note,)
    path.write_text("\n".join([names, *rows, "9,,,90,", "10,5,7,,"]))
    assert read(path).notes == ()  # two rows lack something
    path.write_text("\n".join([names, *rows, "9,,8,90,"]))
    assert read(path).notes == ()  # one value may just be missing


@pytest.mark.parametrize(
    ("texts", "options", "values"),
    [
        (["01234", "1234"], {"types": {"a": "integer"}}, [1234]),
        (["1e400", "inf"], {"types": {"a": "float"}}, [float("inf")]),
        (["1,234", "567"], {"types": {"a": "string"}}, ["1,234", "567"]),
        (["1,234", "567"], {"decimal": ","}, [Decimal("1.234"), 567]),
        (["1,234", "1234"], {"decimal": "."}, [1234]),
        (["1.234", "2.345"], {"decimal": ","}, [1234, 2345]),
        (["1.5", "2.345"], {"decimal": ","}, [Decimal("1.5"), Decimal("2.345")]),
        (["01/02/2024"], {"date_formats": ("dd/MM/yyyy",)}, [date(2024, 2, 1)]),
        (["7", "12"], {"decimal": ","}, [7, 12]),
    ],
)
def test_options_decide(tmp_path: Path, texts: list[str], options: dict[str, Any], values: list[Any]) -> None:
    relation = of(tmp_path, texts, **options)
    assert relation.dictionary("a").to_pylist() == values
    assert not [note for note in relation.columns[0].notes if "could be" in note or "kept as text" in note]


def test_a_fixed_type_leaves_day_and_month_open(tmp_path: Path) -> None:
    relation = of(tmp_path, ["01/02/2024"], types={"a": "date"})
    assert "could be day or month first" in relation.notes[0]


def test_columns_of_texts_share_one_note() -> None:
    names = [f"c{number}" for number in range(10)]
    relation = read(pa.table({name: ["x", "y"] for name in names} | {"one": ["x", "x"], "n": [1, 2]}))
    (note,) = relation.notes
    assert note.startswith("texts are ordered by code point (Z before a, 10 before 9): c0, c1, ")
    assert note.endswith(", c7 and 2 more")
    assert read(pa.table({"a": ["x", "y"]}), SourceOptions(unordered=("a",))).notes == ()


def test_names_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("größe,b\nx,1\n".encode())
    (note, *_) = read(path, SourceOptions(encoding="latin-1")).notes
    assert note.startswith(
        "grÃ¶Ã\x9fe: 'grÃ¶Ã\\x9fe' looks like 'größe' (utf-8) in the wrong encoding; --encoding"
    )


def test_workers_read_and_note_the_same(tmp_path: Path, small_blocks: SparkSession) -> None:
    path = tmp_path / "t.csv"
    rows = [("zip", "day", "price", "amount", "size", "x")]
    rows += [
        (
            f"{i:05}",
            f"{i % 12 + 1}/{i % 11 + 1}/2024",
            f"{i % 9 + 1}.{i:03},5 €",
            f"{i % 8 + 1},{i:03}",
            f"{i}e-3",
            "n",
        )
        for i in range(1, 900)
    ]
    rows.append(("1", "1/2/2024", "7,0 €", "1", "1e400", "# no comment"))
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write("# made by hand\n")
        csv.writer(file).writerows(rows[:500])
        file.write('# a comment, with "quotes\n')
        csv.writer(file).writerows(rows[500:])
    options = SourceOptions(comment="#")
    cut = read(path, options, session=small_blocks, way="workers")
    assert_same(cut, read(path, options, way="driver"))
    assert [column.type for column in cut.columns] == [
        "string",
        "date",
        "decimal",
        "integer",
        "string",
        "string",
    ]
    assert [len(column.notes) for column in cut.columns] == [1, 1, 1, 1, 1, 0]


CSV_TEXT = st.lists(st.sampled_from(["#", "a", ",", '"', "\n", "\r\n", '"#x\n#y"', "\\"]), max_size=12).map(
    "".join
)


@given(
    st.lists(st.tuples(CSV_TEXT, CSV_TEXT), min_size=1, max_size=5), st.sampled_from([None, "\\"]), st.data()
)
@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_comments_stand_between_records(
    tmp_path: Path, rows: list[tuple[str, str]], escape: str | None, data: st.DataObject
) -> None:
    path = tmp_path / "t.csv"
    form: dict[str, Any] = {"quoting": csv.QUOTE_ALL, "doublequote": escape is None, "escapechar": escape}
    with path.open("w", newline="", encoding="utf-8") as file:
        for row in [("b", "c"), *rows]:
            file.write(data.draw(st.sampled_from(["", '# "x\n', "#\n# \\a,b\r\n", "#,#\r"])))
            csv.writer(file, **form).writerow(row)
        file.write(data.draw(st.sampled_from(["", "# the end"])))
    options = SourceOptions(
        comment="#",
        delimiter=",",
        quote='"',
        escape=escape,
        types={"b": "string", "c": "string"},
        empty_is_null=False,
    )
    relation = read(path, options)
    assert [tuple(row.values()) for row in relation.rows(relation.row_ids).to_pylist()] == rows


def test_comments_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('// "\na,b\n//,\n1,"\n2,/\n', encoding="utf-8")
    relation = read(path, SourceOptions(comment="//", quote=""))
    assert relation.rows([0, 1]).to_pylist() == [{"a": 1, "b": '"'}, {"a": 2, "b": "/"}]


def test_comments_that_nobody_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made by hand\na,b\n1,2\n", encoding="utf-8")
    note = "the name begins with '#'; if that line is a comment, --comment '#' passes over it"
    assert read(path).columns[0].notes[0] == note
    path.write_text("sep=;\na;b\n1;2\n", encoding="utf-8")
    assert read(path).columns[0].notes[0] == note.replace("#", "sep=")
    assert read(path, SourceOptions(comment="sep=")).names == ("a", "b")
    path.write_text("sep=;\nday;city;zip\n1;Oslo;2\n", encoding="utf-8-sig")  # as Excel writes it
    with pytest.raises(LawfulError, match="the first line is for Excel, --comment sep= passes over it"):
        read(path)
    assert read(path, SourceOptions(comment="sep=")).names == ("day", "city", "zip")
    path.write_text("a,b\n1,2\n# that was all\n", encoding="utf-8")
    with pytest.raises(LawfulError, match=r"row 2 has 1 field .*: mend it, .* --comment '#' passes over it"):
        read(path)


def test_nothing_but_comments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# a\n# b\n", encoding="utf-8")
    with pytest.raises(LawfulError, match="holds nothing but comments: give a file that holds a table"):
        read(path, SourceOptions(comment="#"))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"decimal": ";"}, "the decimal mark ';' is neither '.' nor ','"),
        ({"comment": ""}, "no line begins with the comment ''"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LawfulError, match=complaint):
        SourceOptions(**options)


def test_a_null_marker_is_one_more(tmp_path: Path) -> None:
    texts = ["", "N/A", "5", "10"]
    assert of(tmp_path, texts, null_markers=("N/A",)).ranks().tolist() == [[0, 0, 1, 2]]
    kept = of(tmp_path, texts, null_markers=("N/A",), empty_is_null=False)
    assert kept.ranks().tolist() == [[1, 0, 3, 2]]


SIZES = ["S", "M", "L", "XL"]


def test_ordered_categories_keep_their_order() -> None:
    sizes = pd.Categorical(["L", "S", None, "M", "S"], categories=SIZES, ordered=True)
    frame = pd.DataFrame(
        {"size": sizes, "plain": pd.Categorical(["b", "a", "c", "b", "a"], categories=["c", "b", "a"])}
    )
    relation = read(frame)
    assert [(column.type, column.ordered) for column in relation.columns] == [
        ("category", True),
        ("string", True),
    ]
    assert relation.ranks().tolist() == [[3, 1, 0, 2, 1], [1, 0, 2, 1, 0]]
    assert relation.dictionary("size").to_pylist() == [None, "S", "M", "L"]
    assert read(frame, SourceOptions(types={"size": "string"})).ranks()[0].tolist() == [1, 3, 0, 2, 3]
    assert relation.notes == ("texts are ordered by code point (Z before a, 10 before 9): plain",)


def test_ordered_categories_of_any_type_and_appended_rows(tmp_path: Path) -> None:
    ages = pd.Series([5, 70, 30, 5])
    frame = pd.DataFrame(
        {"group": pd.cut(ages, [0, 18, 65, 99]), "n": pd.Categorical([9, 10, 9, 1], [10, 9, 1], True)}
    )
    relation = read(frame, folder=tmp_path / "kept")
    assert relation.ranks().tolist() == [[0, 2, 1, 0], [1, 0, 1, 2]]
    again = Relation.open(tmp_path / "kept")
    again.append(frame)
    assert again.ranks().tolist() == [[0, 2, 1, 0] * 2, [1, 0, 1, 2] * 2]


def test_a_value_that_is_no_category(tmp_path: Path) -> None:
    relation = read(pd.DataFrame({"a": pd.Categorical(["S"], SIZES, True)}))
    relation.append(table(tmp_path / "t.csv", ["L", "M", ""]))
    assert relation.ranks().tolist() == [[1, 3, 2, 0]]
    with pytest.raises(LawfulError, match="column 'a' holds 'XXL', which is none of its ordered categories"):
        relation.append(table(tmp_path / "t.csv", ["XXL"]))
    assert relation.n_rows == 4


def test_laws_use_the_order_of_categories() -> None:
    sizes = pd.Categorical(["S", "M", "L", "L"], SIZES, ordered=True)
    frame = pd.DataFrame({"size": sizes, "other": sizes, "price": [1, 2, 3, 4]})
    found = {str(law) for law in discover(frame, ["od", "dc"], all=True)}
    assert "{}: price asc ~ size asc" in found
    assert "not(t.other <= s.other and t.size > s.size)" in found
