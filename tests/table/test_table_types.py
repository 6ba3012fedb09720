"""The types of CSV columns."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from lawful.errors import LawfulError
from lawful.table import Relation, SourceOptions, read


def column(tmp_path: Path, texts: list[str], options: SourceOptions | None = None) -> Relation:
    """A table of one column of texts."""
    path = tmp_path / "t.csv"
    quoted = "".join('"' + text.replace('"', '""') + '"\n' for text in texts)
    path.write_text("a\n" + quoted, encoding="utf-8")
    return read(path, options or SourceOptions())


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", " -2 ", "+3", "7"], "integer", [-2, 1, 3, 7]),
        (["1", "007"], "string", ["007", "1"]),
        (["1", "9" * 30], "integer", [1, 10**30 - 1]),
        (["1", "9" * 76], "integer", [1, 10**76 - 1]),
        (["1", "9" * 77], "string", ["1", "9" * 77]),
        (["1", "1.0", "2.50"], "decimal", [1, Decimal("2.5")]),
        ([".5", "5.", "-0.0"], "decimal", [0, Decimal("0.5"), 5]),
        (["1e3", "2.5", "-inf"], "float", [float("-inf"), 2.5, 1000.0]),
        (["true", "FALSE"], "boolean", [False, True]),
        (["2024-02-29", "1999-12-31"], "date", [date(1999, 12, 31), date(2024, 2, 29)]),
        (["02/29/2024", "12/31/1999"], "date", [date(1999, 12, 31), date(2024, 2, 29)]),
        (["2023-02-29"], "string", ["2023-02-29"]),
        (
            ["2024-01-01T10:00", "2024-01-01", "2024-01-01 10:00:00.5"],
            "timestamp",
            [datetime(2024, 1, 1), datetime(2024, 1, 1, 10), datetime(2024, 1, 1, 10, 0, 0, 500000)],
        ),
        (
            ["2024-01-01T10:00:00Z", "2024-01-01T12:00:00+02:00", "2024-01-01T11:00:00-0130"],
            "timestamp",
            [datetime(2024, 1, 1, 10, tzinfo=UTC), datetime(2024, 1, 1, 12, 30, tzinfo=UTC)],
        ),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00"], "string", None),
        (["10", "9", "x"], "string", ["10", "9", "x"]),
        (["\U00010000", "\ue000", "Z", "a"], "string", ["Z", "a", "\ue000", "\U00010000"]),
    ],
)
def test_inferred(tmp_path: Path, texts: list[str], kind: str, values: list[object] | None) -> None:
    relation = column(tmp_path, texts)
    assert relation.columns[0].type == kind
    assert relation.columns[0].distinct == len(relation.dictionary("a"))
    if values is not None:
        assert relation.dictionary("a").to_pylist() == values


@pytest.mark.parametrize(
    ("text", "pattern", "value"),
    [
        ("31.12.1999", "dd.MM.yyyy", date(1999, 12, 31)),
        ("1/2/2024", "d/M/yyyy", date(2024, 2, 1)),
        ("20240131", "yyyyMMdd", date(2024, 1, 31)),
        ("Wed 31 Jan 24", "EEE dd MMM yy", date(2024, 1, 31)),
        ("January 5, 2024", "MMMM d, yyyy", date(2024, 1, 5)),
        ("31.01.2024 11:05 PM", "dd.MM.yyyy hh:mm a", datetime(2024, 1, 31, 23, 5)),
        ("at 2024-01-31 o'clock 7", "'at' yyyy-MM-dd 'o''clock' H", datetime(2024, 1, 31, 7)),
        (
            "2024-01-31 07:08:09.123+01:00",
            "yyyy-MM-dd HH:mm:ss[.SSS]XXX",
            datetime(2024, 1, 31, 6, 8, 9, 123000, UTC),
        ),
    ],
)
def test_custom_formats(tmp_path: Path, text: str, pattern: str, value: object) -> None:
    assert column(tmp_path, [text], SourceOptions(date_formats=(pattern,))).dictionary("a").to_pylist() == [
        value
    ]


def test_nanoseconds_are_kept(tmp_path: Path) -> None:
    relation = column(tmp_path, ["2024-01-01T00:00:00.123456789", "2024-01-01T00:00:00.123456788"])
    assert relation.ranks().tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("fixed", "ranks"),
    [("string", [0, 1, 2]), ("float", [2, 0, 1]), ("integer", [2, 0, 1]), ("decimal", [2, 0, 1])],
)
def test_fixed_types(tmp_path: Path, fixed: str, ranks: list[int]) -> None:
    relation = column(tmp_path, ["10", "2", "3"], SourceOptions(types={"a": fixed}, unordered=("a",)))
    assert (relation.columns[0].type, relation.columns[0].ordered) == (fixed, False)
    assert relation.ranks().tolist() == [ranks]


def test_fixed_type_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(LawfulError, match="column 'a' holds 'x', which is no integer: fix another type"):
        column(tmp_path, ["1", "x"], SourceOptions(types={"a": "integer"}))


@pytest.mark.parametrize("pattern", ["yyyy", "dd.MM.yyyy dd", "QQ yyyy-MM-dd", "yyyy-MM-dd ["])
def test_formats_that_cannot_be(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(LawfulError, match="date format"):
        column(tmp_path, ["1"], SourceOptions(date_formats=(pattern,)))
