"""PODs through the public calls: which operators are used, limits, streams, engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import complete
import lawful
import naive
from lawful import SourceOptions, costs, datasets
from lawful.laws import POD, Law

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = pa.table(
    {
        "low": [1, 2, 30, None, 5, 5],
        "real": [0.5, 1.5, 2.5, 1.0, 2.0, 9.0],
        "high": [2, 2, 31, 7, 6, None],
        "name": ["b", "b", "f", "a", "d", "e"],
        "flag": [True, False, True, True, False, True],
    }
)


def oracle(names: list[str], ordered: list[str], nulls: Any = "equal") -> set[POD]:
    rows = [tuple(row[name] for name in names) for row in TABLE.to_pylist()]
    return naive.minimal_pods(naive.Table(names, rows, [name in ordered for name in names], nulls))


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
def test_texts_and_booleans_are_equal_or_not(nulls: Any) -> None:
    relation = lawful.read(TABLE, SourceOptions(nulls=nulls))
    expected = oracle(TABLE.column_names, ["low", "real", "high"], nulls)
    assert set(complete.discover(relation, "pod")) == expected


def test_texts_have_an_order_if_asked() -> None:
    laws = complete.discover(TABLE, "pod", order_strings=True, columns=["low", "name", "flag"])
    assert set(laws) == oracle(["low", "name", "flag"], ["low", "name"])
    assert set(laws) != oracle(["low", "name", "flag"], ["low"])


def test_pods_do_not_depend_on_what_else_is_asked_for() -> None:
    alone = complete.discover(TABLE, "pod")
    beside = complete.discover(TABLE, "key,fd,pod,dc", cross_columns="all", max_size=4)
    assert beside.counts["dc"] > beside.counts["pod"]
    assert dict(beside.filter(kind="pod").items()) == dict(alone.items())


def test_a_stream_brings_every_pod_once() -> None:
    table = datasets.employees(60)
    found = list(complete.stream(table, "pod,fd"))
    assert sorted(found) == sorted(complete.discover(table, "pod,fd"))
    assert len(found) == len(set(found))


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_engines_find_the_same(engine: str, spark: SparkSession) -> None:
    relation = lawful.read(datasets.tax(20_000).select(["state", "salary", "rate", "zip", "has_child"]))
    here = complete.discover(relation, "pod", workers=1)
    there = complete.discover(relation, "pod", engine=engine, session=spark)
    assert here.facts.stats["validated"] > 0
    assert list(there.items()) == list(here.items())


def some_table() -> pa.Table:
    random = np.random.default_rng(3)
    return pa.table({f"c{number}": random.integers(0, 6, 30) for number in range(7)})


@pytest.mark.parametrize("short_tiles", [costs.SHORT_TILES, -1.0], ids=["all pairs", "in rounds"])
@pytest.mark.parametrize("max_size", [None, 5])
def test_too_many_to_find_at_once_are_found_size_by_size(
    monkeypatch: pytest.MonkeyPatch, short_tiles: float, max_size: int | None
) -> None:
    monkeypatch.setattr(costs, "SHORT_TILES", short_tiles)
    at_once, told = complete.discover(some_table(), "pod", max_size=max_size, workers=2), set[bool]()
    monkeypatch.setattr(costs, "EXPLOSION", 50)
    sizes = complete.discover(
        some_table(),
        "pod",
        max_size=max_size,
        workers=2,
        on_progress=lambda progress: told.add(progress.deepening),
    )
    assert len(at_once) > 50
    assert True in told
    assert list(sizes.items()) == list(at_once.items())
    assert (sizes.complete, sizes.facts.reason) == (at_once.complete, at_once.facts.reason)


def test_a_limit_leaves_the_shortest() -> None:
    everything = complete.discover(some_table(), "pod")
    some = complete.discover(some_table(), "pod", max_size=4, time_limit=1e6)
    assert some.facts.reason == "max size"
    assert set(some) == {law for law in everything if law.size <= 4} != set(everything)


def test_pods_go_on_from_a_file(tmp_path: Path) -> None:
    """A journal knows PODs beside DCs: with what it has nothing is searched again."""
    out, kinds = tmp_path / "laws.jsonl", "pod,dc"
    first = complete.discover(some_table(), kinds, cross_columns="off", max_size=3, out=out)
    begun = [line for line in out.read_text().splitlines(keepends=True) if '"facts"' not in line]
    out.write_text("".join(begun))
    again = complete.discover(some_table(), kinds, cross_columns="off", max_size=3, out=out, resume=True)
    assert again.facts.stats["resumed"] == 2
    assert list(again.items()) == list(first.items())
    assert all(first.counts.values())


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".parquet"])
def test_pods_come_back_from_files(ending: str, tmp_path: Path) -> None:
    laws = complete.discover(TABLE, "pod,key", out=tmp_path / f"laws{ending}")
    back = lawful.Laws.load(tmp_path / f"laws{ending}")
    assert list(back.items()) == list(laws.items())
    stating: list[Law] = [law for law in back if str(law).endswith("never") and law.kind == "pod"]
    assert stating
    lines = back.filter(kind="pod").to_arrow().to_pylist()
    assert {line["states"] for line in lines if line["text"] == str(stating[0])} == {
        f"key {{{', '.join(sorted(stating[0].columns))}}}"
    }
