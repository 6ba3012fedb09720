"""The report's page without a browser: what it says is what Python says, safely embedded, and small."""

from __future__ import annotations

import datetime
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from law_samples import laws_of
from lawful import LawfulError, Laws, datasets, discover, keep, read
from lawful.laws import FD, OD, Key, Law, parse
from lawful.laws.exchange import renamed
from lawful.report.collection import Facts
from lawful.report.law_sentences import sentence
from lawful.report.page.page_columns import histogram, shown
from lawful.report.page.page_document import Reported
from lawful.report.page.page_file import assembled, check_report_file, embedded, write_report
from lawful.report.page.page_laws import laws_document
from lawful.report.page.page_making import name_of
from lawful.report.page.page_rows import rows_document
from lawful.report.ratings import Rating
from test_cli import Command, lawful

__all__ = ["lawful"]  # a fixture

NASTY = ["</script><img src=x onerror=alert(1)>", "<!--", "a\u2028b\x1b", "_0001", "$&", 'say "x"', "ü 🗝"]
ORDERS = (
    "order,customer,city,placed,shipped\n1,Ann,Oslo,3,4\n2,Bob,Rome,3,6\n3,Ann,Oslo,5,6\n4,Cid,Rome,7,9\n"
)


def data_of(page: Path) -> dict[str, Any]:
    """What a page has embedded."""
    found = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page.read_text("utf-8"))
    assert len(found) == 1
    data: dict[str, Any] = json.loads(found[0])
    return data


def filled(document: dict[str, Any], what: str) -> list[str]:
    """The texts or sentences of all laws, put together as the page does it."""
    texts, start, laws = [], 0, document["laws"]
    names = [column["quoted"] for column in document["columns"]]
    for number in laws["shape"]:
        shape = laws["shapes"][number]
        own = laws["columns"][start : start + shape["places"]]
        start += shape["places"]
        parts = re.split(r"_(\d{4})", shape[what])
        parts[1::2] = [names[own[int(place)]] for place in parts[1::2]]
        texts.append("".join(parts))
    assert start == len(laws["columns"])
    return texts


def collected(*laws: Law | str, names: list[str] | None = None, **facts: Any) -> Laws:
    some = [parse(law) if isinstance(law, str) else law for law in laws]
    columns = names or sorted({name for law in some for name in law.columns} | {"a"})
    return Laws.of(columns, [(law, Rating(0.25, 12.34)) for law in some], Facts(kinds=KINDS, **facts))


KINDS = ("key", "fd", "od", "pod", "dc")
PLAIN = ["b", "a", "zeta", "c10", "c9"]


@settings(max_examples=60)
@given(st.lists(laws_of(PLAIN), max_size=6, unique_by=lambda law: law.canonical()))
def test_shapes_and_columns_make_the_laws_again(laws: list[Law]) -> None:
    collection = collected(*laws, names=PLAIN)
    document = Reported(collection).document()
    assert filled(document, "text") == [str(law) for law in collection]
    assert filled(document, "sentence") == [sentence(law) for law in collection]


@settings(max_examples=30)
@given(st.lists(laws_of(NASTY), max_size=4, unique_by=lambda law: law.canonical()))
def test_the_names_may_be_anything(laws: list[Law]) -> None:
    collection = collected(*laws, names=NASTY)
    document = json.loads(embedded(Reported(collection).document()))
    assert filled(document, "text") == [str(law) for law in collection]


@given(laws_of(PLAIN))
@settings(max_examples=60)
def test_a_law_with_other_names_has_the_old_ones_back(law: Law) -> None:
    other = dict(zip(PLAIN, ["q", "r", "s", "t", "u"], strict=True))
    back = {new: old for old, new in other.items()}
    assert renamed(renamed(law, other), back) == law
    assert renamed(law, other).columns == {other[name] for name in law.columns}


def test_laws_of_one_shape_share_it() -> None:
    names = [f"c{number}" for number in range(20)]
    laws = collected(*(FD({one}, other) for one in names for other in names if one < other), names=names)
    document = laws_document(laws)
    assert len(document["shapes"]) == 1
    assert set(document["bits"]) == {12.3}  # never more than there are
    assert set(document["score"]) == {0.25}


def test_ratings_that_are_not_known_and_facts() -> None:
    unknown = Laws.of(
        ["a", "b"], [(Key({"a"}), Rating(0, 0)), (FD({"a"}, "b"), Rating(float("nan")))], Facts()
    )
    document = laws_document(unknown)
    assert document["bits"] == [0, None]
    assert document["score"] == [0, None]
    assert [shape["fact"] for shape in document["shapes"]] == [True, False]


@given(st.text())
@settings(max_examples=200)
def test_no_text_leaves_the_script_it_is_in(text: str) -> None:
    said = embedded({"text": text, "nasty": "</script><!--<script>\u2028\x7f\ud800"})
    assert said.isascii()
    assert said.isprintable()
    assert not {*said} & {*"<>&"}
    assert json.loads(said)["text"] == text


def test_the_page_loads_nothing_and_titles_are_safe() -> None:
    page = assembled(Reported(collected("{a} -> b"), "<b>&\x1b.csv").document())
    assert "<title>&lt;b&gt;&amp;\\x1b.csv · lawful</title>" in page
    assert {*re.findall(r"https?://[^\s\"']+", page)} == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)|<link|<img|<iframe|\ssrc=|fetch\(|XMLHttp|innerHTML", page)
    assert "default-src 'none'" in page


def test_five_thousand_laws_take_less_than_two_megabytes() -> None:
    rng = np.random.default_rng(1)
    names = [f"a_column_with_a_long_name_{number}" for number in range(60)]
    laws: set[Law] = set()
    while len(laws) < 5000:
        left, right, *context = rng.permutation(names)[: rng.integers(3, 9)].tolist()
        laws.add(
            [FD({*context, left}, right), OD({*context}, left, right), Key({*context, left})][len(laws) % 3]
        )
    texts = pa.array(rng.integers(10**9, size=1000).astype(str))
    table = pa.table({name: texts.take(pa.array(rng.integers(1000, size=1000))) for name in names})
    collection = Laws.of(names, [(law, Rating(*rng.random(2))) for law in laws], Facts())
    page = assembled(Reported(collection, "long.csv", read(table)).document())
    assert len(page.encode()) < 1_000_000


@pytest.mark.parametrize(
    ("values", "heights"),
    [
        ([1, 2, 2, None], [1, 2]),
        (["x", "y", "y"], [1, 2]),
        ([Decimal("1.5"), Decimal("2.5")], [1, 1]),
        ([datetime.date(2024, 1, day) for day in range(1, 31)] * 2, None),
        ([float(number) for number in range(100)], None),
        ([0.5, float("inf"), float("-inf")], [1, 1, 1]),
        ([datetime.datetime(2024, 1, 1, hour) for hour in range(24)], [1] * 24),
        ([True, False, True], [1, 2]),
    ],
    ids=str,
)
def test_histograms_count_all_values(values: list[Any], heights: list[int] | None) -> None:
    relation = read(pa.table({"a": values}))
    document = Reported(collected("key {a}"), "", relation).document()["columns"][0]
    bars = document["bars"]
    assert sum(bars["heights"]) == len([value for value in values if value is not None])
    if heights is not None:
        assert bars["heights"] == heights
    else:
        assert len(bars["heights"]) == 24
    assert document["nulls"] == values.count(None)


def test_the_most_frequent_texts_and_columns_without_values() -> None:
    texts = pa.array([f"v{number:02}" for number in range(20)])
    found = histogram(texts, np.arange(20))
    assert found is not None
    assert found["values"] == ["v19", "v18", "v17", "v16", "v15", "v14", "v13", "v12"]
    assert found["others"] == sum(range(12))
    assert histogram(pa.array([], pa.string()), np.arange(0)) is None


def test_example_rows_are_rows_of_the_table_and_show_its_laws() -> None:
    staff = datasets.employees(300)
    relation = read(staff)
    laws = discover(relation)
    sample = rows_document(relation, laws)
    for place, row in enumerate(sample["numbers"]):
        values = [
            column[codes[place]] for column, codes in zip(sample["values"], sample["codes"], strict=True)
        ]
        assert values == [shown(value) for value in staff.slice(row - 1, 1).to_pylist()[0].values()]
    law = next(law for law in laws if isinstance(law, FD) and len(law.lhs) == 1)
    codes = sample["codes"][relation.names.index(min(law.lhs))]
    assert max(np.bincount(codes)) > 1
    for codes, line in zip(sample["codes"], relation.ranks(), strict=True):
        chosen = line[[number - 1 for number in sample["numbers"]]]
        assert (np.argsort(codes, kind="stable") == np.argsort(chosen, kind="stable")).all()


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_no_row_or_one(rows: int) -> None:
    relation = read(pa.table({"a": [1, 2][:rows], "b": ["x", "y"][:rows]}))
    document = Reported(discover(relation), "t", relation).document()
    assert document["rows"] == rows
    assert len(document["sample"]["numbers"]) == rows


def test_files_that_a_report_may_not_replace(tmp_path: Path) -> None:
    laws, page = collected("{a} -> b"), tmp_path / "page.html"
    laws.report(page)
    laws.report(page)  # its own
    for name, text in (("other.html", "<!DOCTYPE html>\n<html>"), ("table.csv", ORDERS)):
        (tmp_path / name).write_text(text)
    with pytest.raises(LawfulError, match="lawful did not write it: choose another --out, or --force"):
        laws.report(tmp_path / "other.html")
    laws.report(tmp_path / "other.html", force=True)
    with pytest.raises(LawfulError, match=r"let the name .* end in \.html"):
        laws.report(tmp_path / "table.csv", force=True)
    with pytest.raises(LawfulError, match="is what is read"):
        check_report_file(page, tmp_path, force=True)
    assert (tmp_path / "table.csv").read_text() == ORDERS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.html", "page.html", "table.csv"]


def test_laws_on_their_own_table_and_on_another(tmp_path: Path) -> None:
    own = pa.table({"zip": [1, 1, 2, 3], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    laws, page = discover(own, "fd", all=True), tmp_path / "page.html"
    laws.report(page, own)
    assert data_of(page)["failing"] is None
    other = pa.table({"zip": [1, 1, 1, 3], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    laws.report(page, other, suspects=True)
    document = data_of(page)
    assert document["said"][0] == "4 rows: 0 laws hold, 1 fails"
    (failing,) = document["failing"].values()
    assert (failing["removals"], failing["share"], failing["passes"]) == (1, 0.25, False)
    assert any("city = 'Rome': 1 row, likely wrong, at 3" in line for line in failing["told"])
    assert document["suspects"] == {"count": 0, "cells": []}
    with pytest.raises(LawfulError, match="city"):
        laws.report(page, other.drop_columns(["city"]))


def test_suspect_cells_come_with_the_laws_against_them(tmp_path: Path) -> None:
    zips = [number % 12 for number in range(240)]
    cities, lands = [f"city {number}" for number in zips], [f"land {number // 3}" for number in zips]
    table = pa.table({"zip": zips, "city": [*cities[:7], "cyti 7", *cities[8:]], "land": lands})
    page = tmp_path / "page.html"
    discover(table).report(page, table, suspects=True)
    (cell,) = data_of(page)["suspects"]["cells"]
    assert [cell[name] for name in ("row", "column", "value", "expected")] == [8, "city", "cyti 7", "city 7"]
    assert cell["laws"] == "{zip} -> city"
    assert cell["more"] >= 0


def test_a_page_of_a_table_with_other_columns_is_refused() -> None:
    with pytest.raises(LawfulError, match="a table with other columns"):
        Reported(collected("{a} -> b"), "", read(pa.table({"a": [1], "c": [2]})))


def test_the_report_of_a_state_has_its_history(tmp_path: Path) -> None:
    state = keep(
        pa.table({"zip": [1, 1, 2], "city": ["Oslo", "Oslo", "Rome"]}), "fd", folder=tmp_path / "cities"
    )
    state.insert([{"zip": 1, "city": "Rome"}])
    state.report(tmp_path / "page.html", all=True)
    document = data_of(tmp_path / "page.html")
    assert document["title"] == "cities"
    assert document["rows"] == 4
    (entry,) = document["history"]
    assert [one["law"] for one in entry["broken"]] == ["{city} -> zip", "{zip} -> city"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/data/people.csv", "people.csv"),
        ("logs/*.parquet", "*.parquet"),
        ("folder/", "folder"),
        ("jdbc:postgresql://me:secret@host/shop?user=me&password=secret", "shop"),
        ("jdbc:sqlserver://host;password=secret", "host"),
        ("-", "standard input"),
        (pa.table({}), ""),
    ],
    ids=str,
)
def test_what_a_source_is_called(source: Any, name: str) -> None:
    assert name_of(source) == name


def test_the_command_takes_tables_laws_and_states(lawful: Command, tmp_path: Path) -> None:
    table, laws, page, state = (tmp_path / name for name in ("orders.csv", "laws.json", "page.html", "state"))
    table.write_text(ORDERS)
    assert lawful("discover", table, "--all", "--quiet", "--out", laws, "--report", page).returncode == 0
    document = data_of(page)
    assert (document["title"], document["rows"]) == ("orders.csv", 4)
    done = lawful("report", laws, "--out", page)
    assert (done.returncode, done.stdout) == (0, f"{page}: {len(Laws.load(laws))} laws\n")
    assert data_of(page)["sample"] is None
    assert "histograms and example rows need the table" in data_of(page)["remarks"][-1]
    assert lawful("discover", table, "--state", state, "--quiet").returncode == 0
    assert lawful("report", state, "--out", page, "--suspects").returncode == 0
    assert data_of(page)["history"] == []
    assert data_of(page)["suspects"] == {"count": 0, "cells": []}


def test_the_command_checks_laws_and_finds_those_that_hold_almost(lawful: Command, tmp_path: Path) -> None:
    table, page = tmp_path / "orders.csv", tmp_path / "page.html"
    table.write_text(ORDERS)
    assert lawful("report", table, "--laws", "{city} -> customer", "--out", page).returncode == 0
    assert filled(data_of(page), "text") == ["{city} -> customer"]
    assert data_of(page)["failing"]["0"]["removals"] == 1
    assert lawful("report", table, "--error", "0.3", "--kinds", "fd", "--all", "--out", page).returncode == 0
    assert all(one["passes"] for one in data_of(page)["failing"].values())


def test_what_the_command_cannot_do(lawful: Command, tmp_path: Path) -> None:
    table, laws = tmp_path / "orders.csv", tmp_path / "laws.json"
    table.write_text(ORDERS)
    collected("{city} -> customer").save(laws)
    page = tmp_path / "page.html"
    for words, error in [
        ((table, "--out", tmp_path / "page.txt"), "end in .html"),
        ((laws, "--suspects", "--out", page), "--suspects are cells of a table"),
        ((table, "--laws", laws, "--error", "auto", "--out", page), "choose one of them"),
        ((tmp_path / "no.csv", "--out", page), "no.csv"),
    ]:
        done = lawful("report", *words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
        assert error in done.stderr
    told = lawful("discover", table, "--error", "0.1", "--report", page)
    assert told.stderr.startswith("lawful: --report shows exact laws")
    assert not page.exists()


def test_a_page_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    collected("{a} -> b").report(page)
    before = page.read_text()
    broken = Reported(collected("{a} -> b"), history=[{"seconds": float("nan")}])
    with pytest.raises(ValueError, match="JSON"):
        write_report(broken, page)
    assert page.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
