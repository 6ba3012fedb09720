"""The published numbers of laws on the public data sets of the field."""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import complete
from lawful.laws import FD
from lawful.table import SourceOptions, read

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("LAWFUL_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not here")

# (constant, order compatible) ODs: the first are the FDs. HyOD's table VII and program.
ORDERED = {
    "WP-20K-7": (24, 18),
    "Fuel-22K-6": (2, 5),
    "Adult-32K-15": (78, 1_405),
    "Letter-20K-17": (61, 2_427),
    "Plista-1K-35": (5_235, 72_861),
    "plista-1k-16": (36, 615),
    "plista-1k-22": (191, 3_691),
    "NCV-100k-9": (55, 54),
}
KEYS = {"NCV-100k-9": 3, "Adult-32K-15": 0, "Letter-20K-17": 0, "Plista-1K-35": 0}
FDS = {
    "iris": 4,
    "bridges": 142,
    "adult": 78,
    "abalone": 137,
    "hepatitis": 8_250,
    "chess": 1,
    "nursery": 1,
    "flight": 982_631,
}


@pytest.mark.parametrize("name", ORDERED)
def test_order_dependencies_are_as_many_as_published(name: str) -> None:
    laws = complete.discover(DATA / "od" / f"{name}.csv")
    assert laws.complete
    assert (laws.counts["fd"], laws.counts["od"]) == ORDERED[name]
    if name in KEYS:
        assert laws.counts["key"] == KEYS[name]


@pytest.mark.parametrize("name", FDS)
def test_functional_dependencies_are_as_many_as_published(name: str) -> None:
    laws = complete.discover(DATA / "fd" / f"{name}.csv", ["fd"])
    assert laws.complete
    assert laws.counts == {"fd": FDS[name]}


def test_the_small_fds_of_a_very_wide_table_are_found() -> None:
    """All FDs of uniprot are beyond counting: those of three attributes hold, and none is missing."""
    table = read(DATA / "fd" / "uniprot.csv", SourceOptions(escape="\\"))
    assert len(table.names) == 223
    laws = complete.discover(table, ["fd"], max_size=3)
    assert not laws.complete
    assert laws.facts.reason == "max size"
    ranks, number = table.ranks(), {name: place for place, name in enumerate(table.names)}
    by_left: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for law in laws:
        assert isinstance(law, FD)
        by_left[tuple(sorted(number[column] for column in law.lhs))].append(number[law.rhs])

    def classes(columns: tuple[int, ...]) -> tuple[np.typing.NDArray[np.intp], np.typing.NDArray[np.intp]]:
        """For each row the number of its class; for each class its first row."""
        codes = np.zeros(ranks.shape[1], np.int64)
        for column in columns:
            codes = codes * (int(ranks.max()) + 1) + ranks[column]
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        return inverse, first

    for left, rights in by_left.items():
        inverse, first = classes(left)
        values = ranks[rights]
        assert (values == values[:, first][:, inverse]).all(), left

    few = range(12)
    minimal: set[tuple[tuple[int, ...], int]] = set()
    for size in range(3):
        for left in combinations(few, size):
            inverse, first = classes(left)
            for right in few:
                smaller = any((less, right) in minimal for k in range(size) for less in combinations(left, k))
                if right not in left and not smaller and (ranks[right] == ranks[right][first][inverse]).all():
                    minimal.add((left, right))
    found = {(left, right) for left, rights in by_left.items() for right in rights}
    assert {(left, right) for left, right in found if {*left, right} <= {*few}} == minimal
    assert minimal
