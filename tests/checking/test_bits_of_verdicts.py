"""What laws are worth that hold almost: never more than shuffling tells."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import lawful
import naive
from lawful.laws import parse
from naive_bits import exact_share

LAWS = [
    "{}: a asc ~ b asc",
    "{c}: a asc ~ b asc",
    "{c}: a asc ~ b desc",
    "key {b, c}",
    "not(t.a < s.a and t.b >= s.b)",
    "not(t.c = s.c and t.a < s.a and t.b > s.b)",
    "not(t.a > t.b)",
    "a <= => b <=",
]


@pytest.mark.parametrize("seed", range(3))
def test_bits_are_at_most_those_of_shuffling(seed: int) -> None:
    """A law of few exceptions: how often would it have as few if one of its columns were shuffled?"""
    by, worth = np.random.default_rng(seed), 0
    for _ in range(4):
        a = np.arange(7)
        b = a + (by.integers(0, 6, 7) == 0) * by.integers(-4, 4, 7)
        rows = [*zip(a.tolist(), b.tolist(), by.integers(0, 2, 7).tolist(), strict=True)]
        table = naive.Table(["a", "b", "c"], rows)
        for verdict in lawful.check(pa.table(dict(zip("abc", zip(*rows, strict=True), strict=True))), LAWS):
            if not verdict.bits > 0:
                continue
            worth += 1
            law = parse(str(verdict.law))
            shares = [exact_share(law, table, name, verdict.error.removals) for name in sorted(law.columns)]
            assert verdict.bits <= -math.log2(max(shares)) + 0.05, verdict
    assert worth > 0


def test_a_law_that_holds_is_worth_what_discovery_says() -> None:
    table = lawful.datasets.tax(500).select(["state", "salary", "rate", "zip", "phone"])
    for kind in ("dc", "pod", "od", "key"):
        found = lawful.discover(table, kind)
        verdicts = lawful.check(table, [*found][:5])
        assert verdicts.hold
        assert [one.bits for one in verdicts] == pytest.approx(found.bits[:5], abs=1e-5)


def test_laws_that_no_search_would_find_are_rated() -> None:
    table = pa.table({"a": [*range(20)], "b": [value + 500_000 for value in range(20)]})
    laws = ["not(t.a > s.b and t.a > t.b and s.a < s.b and t.b = s.b)", "not(t.a > s.b)"]
    assert [one.bits for one in lawful.check(table, laws)] == [0, 0]


def test_exceptions_cost_bits_and_chance_is_worth_nothing() -> None:
    by = np.random.default_rng(0)
    a, b, chance = np.arange(200), np.arange(200), by.integers(0, 50, 200)
    laws = ["{}: a asc ~ b asc", "not(t.a < s.a and t.b > s.b)", "key {b, chance}", "{}: a asc ~ chance asc"]
    clean = [one.bits for one in lawful.check(pa.table({"a": a, "b": b, "chance": chance}), laws)]
    b[[10, 90]] = 0
    dirty = [one.bits for one in lawful.check(pa.table({"a": a, "b": b, "chance": chance}), laws)]
    assert 500 < dirty[0] < clean[0]
    assert 10 < dirty[1] < clean[1]
    assert clean[3] == dirty[3] == 0
