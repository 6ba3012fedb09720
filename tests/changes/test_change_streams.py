"""Streams of Spark that change a state, batch by batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import lawful
from lawful.changes.streams import Attached

PEOPLE = [{"id": 1, "zip": "0150", "city": "Oslo"}, {"id": 2, "zip": "5003", "city": "Bergen"}]


@pytest.fixture
def state(tmp_path: Path) -> lawful.State:
    return lawful.keep(PEOPLE, "key,fd", folder=tmp_path / "state")


def test_each_micro_batch_is_one_change(spark: SparkSession, state: lawful.State, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    stream = spark.readStream.schema("id int, zip string, city string").csv(str(inbox), header=True)
    (inbox / "a.csv").write_text("id,zip,city\n3,0150,Oslo\n")
    for name, wanted in (("b.csv", 3), ("c.csv", 4)):  # the second query goes on where the first one ended
        query = state.attach(stream, "people")
        query.processAllAvailable()
        assert lawful.open_state(state.path).n_rows == wanted
        query.stop()
        (inbox / name).write_text(f"id,zip,city\n{wanted + 1},0150,Bergen\n")
    history = lawful.open_state(state.path).history()
    assert [entry["batch"] for entry in history] == ["people-0", "people-1"]
    assert "{zip} -> city" in [one["law"] for one in history[1]["broken"]]


def test_a_batch_that_comes_again_is_not_counted_twice(spark: SparkSession, state: lawful.State) -> None:
    take_in = Attached(str(state.path), "people")
    batch = spark.createDataFrame([(3, "0150", "Oslo")], "id int, zip string, city string")
    for _ in range(2):
        take_in(batch, 7)
    assert lawful.open_state(state.path).n_rows == 3


def test_a_table_that_is_no_stream(spark: SparkSession, state: lawful.State) -> None:
    with pytest.raises(lawful.LawfulError, match="is no stream"):
        state.attach(spark.createDataFrame([(3, "0150", "Oslo")], "id int, zip string, city string"))


def test_bits_of_a_stream_need_a_quarantine_before_it_starts(
    spark: SparkSession, state: lawful.State
) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(lawful.LawfulError, match="only with a quarantine"):
        state.attach(stream, min_bits=10)
