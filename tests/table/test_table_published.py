"""Every file of the shared data folder, where there is one."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession
from rank_oracle import assert_same, dense_ranks, understand

from lawful.table import read

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("LAWFUL_DATA", ROOT.parent / "shared" / "data"))
FILES = sorted(DATA.glob("*/*.csv"))
CUT = [path for path in FILES if path.stem in ("airport-insert-14k", "uniprot", "flight", "WP-20K-7")]


def texts(path: Path) -> list[list[str]]:
    """The columns of a file, by Python's own reader."""
    encoding = "latin-1" if path.stem.startswith("airport") else "utf-8"
    with path.open(newline="", encoding=encoding) as file:
        rows = list(csv.reader(file))
    assert len({len(row) for row in rows}) == 1
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_types_counts_and_ranks(path: Path) -> None:
    relation = read(path)
    ranks = relation.ranks()
    assert isinstance(ranks, np.memmap)
    assert ranks.flags.c_contiguous
    assert not ranks.flags.writeable
    for index, (name, *column) in enumerate(texts(path)):
        kind, values = understand(column)
        described = relation.columns[index]
        present = {value for value in values if value is not None}
        nulls = sum(value is None for value in values)
        assert (described.name, described.type) == (name, kind)
        assert (described.distinct, described.nulls) == (len(present), nulls)
        np.testing.assert_array_equal(ranks[index], dense_ranks(values), err_msg=name)


@pytest.mark.parametrize("path", CUT, ids=lambda path: path.stem)
def test_workers_find_the_same(path: Path, spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "400000")
    try:
        cut = read(path, session=spark, way="workers")
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", str(before))
    whole = read(path, way="driver")
    assert_same(cut, whole)
    assert cut.locate(cut.row_ids[::97]) == whole.locate(whole.row_ids[::97])
