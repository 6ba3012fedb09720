"""Denial constraints through the public calls: which comparisons are used, limits, streams, engines."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import complete
import lawful
import naive
from lawful import LawfulError, SourceOptions, costs, datasets
from lawful.discovery import space_of
from lawful.laws import DC

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = pa.table(
    {
        "low": [1, 2, 30, None, 5, 5],
        "high": [2, 2, 31, 7, 6, None],
        "far": [100, 200, 3100, 700, 600, 900],
        "name": ["x", "y", "x", "z", "x", "y"],
        "nick": ["x", "q", "y", "z", "x", "y"],
        "real": [0.5, 1.5, 2.5, 1.0, 2.0, 9.0],
        "flag": [True, False, True, True, False, True],
        "day": [date(2020, 1, day) for day in (1, 2, 3, 4, 5, 5)],
        "until": [date(1920, 1, day) for day in (1, 2, 3, 4, 5, 5)],
    }
)


def crossed(**options: Any) -> set[tuple[str, str, bool]]:
    relation = lawful.read(TABLE)
    codec = space_of(relation, complete.options(kinds=("dc",), **options)).codec
    found = codec.comparisons
    cells = [codec.compared(k) for k in range(len(found.kind))]
    return {
        (left.column, right.column, bool(found.ordered[k]))
        for k, (left, right) in enumerate(cells)
        if left.row == right.row == "t"
    }


def test_columns_are_compared_that_are_alike() -> None:
    expected = {("low", "high", True), ("name", "nick", False), ("day", "until", True)}
    assert crossed() == expected
    assert crossed(order_strings=True) == expected  # texts have no size: their order is compared on request
    assert crossed(cross_columns="off") == set()
    assert crossed(cross_columns="all", order_strings=True) == {
        ("low", "high", True),
        ("low", "far", True),
        ("high", "far", True),
        ("name", "nick", True),
        ("day", "until", True),
    }
    assert crossed(columns=["low", "high", "name"], exclude=["high"], cross_columns="all") == set()


def test_only_numbers_and_moments_have_an_order_unless_asked() -> None:
    relation = lawful.read(TABLE, SourceOptions(unordered=("far",)))
    ordered = space_of(relation, complete.options(kinds=("dc",))).ordered
    named = dict(zip(relation.names, ordered.tolist(), strict=True))
    assert [name for name, has in named.items() if has] == ["low", "high", "real", "day", "until"]
    assert space_of(relation, complete.options(kinds=("dc",), order_strings=True)).ordered.sum() == 7


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("names", [["name", "nick", "flag"], ["low", "flag"]], ids=str)
def test_a_search_is_what_the_oracle_says(names: list[str], nulls: Any) -> None:
    laws = complete.discover(lawful.read(TABLE, SourceOptions(nulls=nulls)), ["dc"], columns=names)
    rows = [tuple(row[name] for name in names) for row in TABLE.to_pylist()]
    table = naive.Table(names, rows, [name == "low" for name in names], nulls)
    crossings: list[naive.CrossColumns] = [("ts", "name", "nick"), ("tt", "name", "nick")]
    assert set(laws) == naive.minimal_dcs(table, crossings if "nick" in names else [])


def test_crossed_columns_share_a_scale() -> None:
    laws = [str(law) for law in complete.discover(TABLE, ["dc"], columns=["low", "high"], max_size=1)]
    assert laws == []  # a NULL is less than every number
    rows = pa.table({"low": [10, 20, 30], "high": [10, 25, 31]})
    assert "not(t.high < t.low)" in [str(law) for law in complete.discover(rows, ["dc"], max_size=1)]


def test_a_stream_brings_every_denial_once() -> None:
    kinds = ["dc", "fd"]
    found = list(complete.stream(datasets.employees(60), kinds, cross_columns="off"))
    assert sorted(found) == sorted(complete.discover(datasets.employees(60), kinds, cross_columns="off"))
    assert len(found) == len(set(found))


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_engines_find_the_same(engine: str, spark: SparkSession) -> None:
    relation = lawful.read(TABLE)
    here = complete.discover(relation, ["dc"], workers=1, max_size=3)
    there = complete.discover(relation, ["dc"], engine=engine, session=spark, max_size=3)
    assert list(there.items()) == list(here.items())
    assert len(here) > 100


def test_spark_validates_a_longer_table(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it were too long for all pairs at once: sample, cover and validation take turns."""
    monkeypatch.setattr(costs, "SHORT_TILES", -1.0)
    relation = lawful.read(datasets.tax(2_000).select(["state", "salary", "rate", "zip"]))
    here = complete.discover(relation, ["dc"])
    there = complete.discover(relation, ["dc"], engine="spark", session=spark)
    assert here.facts.stats["validated"] > 0
    assert list(there.items()) == list(here.items())


@pytest.mark.parametrize("min_score", [0.75, 0.9])
def test_min_score_and_top_choose_among_all(min_score: float) -> None:
    everything = complete.discover(TABLE, ["dc"], max_size=3)
    some = complete.discover(TABLE, ["dc"], max_size=3, min_score=min_score)
    assert list(some.items()) == [
        (law, rating) for law, rating in everything.items() if rating.score >= min_score
    ]
    assert 0 < len(some) < len(everything)
    assert everything.scores.min() > 0
    assert everything.scores.max() <= 1


@pytest.mark.parametrize("bad", [{"cross_columns": "some"}, {"columns": ["x"]}, {"exclude": ["x"]}], ids=str)
def test_bad_options_are_refused_in_one_line(bad: dict[str, Any]) -> None:
    with pytest.raises(LawfulError) as told:
        lawful.discover(TABLE, ["dc"], **bad)
    assert "\n" not in str(told.value)


# A table whose denial constraints nobody can list: every column may be compared with every other.
ENDLESS = """
import numpy as np, psutil, pyarrow as pa, lawful
random = np.random.default_rng(0)
table = pa.table({f"c{number}": random.integers(100, 200, 40) for number in range(16)})
lawful.discover(table, ["dc"], all=True, columns=["c0", "c1"])
held = psutil.Process().memory_info().rss
laws = lawful.discover(table, ["dc"], all=True, workers=2, LIMIT)
print(laws.facts.reason, len(laws) > 100 and not laws.complete)
"""


# The same without a limit but that of the machine, or here of the process.
CAPPED = """
import resource, psutil, lawful
table = lawful.datasets.employees(50)
lawful.discover(table, "dc", all=True, columns=["id", "department", "salary"])
most = psutil.Process().memory_info().vms + 250_000_000  # threads take a hundred before they do anything
resource.setrlimit(resource.RLIMIT_AS, (most, most))
laws = lawful.discover(table, "dc", all=True, workers=2)
print(laws.facts.reason, len(laws) > 100 and not laws.complete)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (ENDLESS.replace("LIMIT", "time_limit=2"), "time limit"),
        (ENDLESS.replace("LIMIT", "memory_limit=held + 10_000_000"), "memory limit"),
        (CAPPED, "memory limit"),
    ],
    ids=["time", "memory", "what is free"],
)
def test_limits_end_an_explosion(program: str, reason: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, cwd=Path.home()
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{reason} True"


def test_a_limit_leaves_the_shortest() -> None:
    random = np.random.default_rng(1)
    table = pa.table({f"c{number}": random.integers(0, 4, 60) for number in range(7)})
    everything = complete.discover(table, ["dc"], cross_columns="off")
    some = complete.discover(table, ["dc"], cross_columns="off", max_size=4, time_limit=1e6)
    assert some.facts.reason == "max size"
    assert set(some) == {law for law in everything if isinstance(law, DC) and law.size <= 4}


@pytest.mark.parametrize("short_tiles", [costs.SHORT_TILES, -1.0], ids=["all pairs", "in rounds"])
@pytest.mark.parametrize("max_size", [None, 5])
def test_too_many_to_find_at_once_are_found_size_by_size(
    monkeypatch: pytest.MonkeyPatch, short_tiles: float, max_size: int | None
) -> None:
    """All the same ones, and the search goes on after what it gave up."""
    monkeypatch.setattr(costs, "SHORT_TILES", short_tiles)
    random = np.random.default_rng(3)
    table = pa.table({f"c{number}": random.integers(0, 6, 30) for number in range(7)})
    options: dict[str, Any] = {"cross_columns": "off", "workers": 2, "max_size": max_size}
    at_once, told = complete.discover(table, ["dc"], **options), set[bool]()
    monkeypatch.setattr(costs, "EXPLOSION", 50)
    sizes = complete.discover(
        table, ["dc"], on_progress=lambda progress: told.add(progress.deepening), **options
    )
    assert len(at_once) > 50
    assert True in told
    assert list(sizes.items()) == list(at_once.items())
    assert (sizes.complete, sizes.facts.reason) == (at_once.complete, at_once.facts.reason)
