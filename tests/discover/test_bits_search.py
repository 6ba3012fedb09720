"""The search for laws that are worth some bits finds exactly those of all laws that are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lawful import costs
from lawful.discovery import DEFAULT_KINDS, Options, Search, law_ratings
from lawful.discovery.column_laws import ColumnLaws
from lawful.discovery.search import TOO_MANY
from lawful.engine import Threads
from lawful.laws.base import KINDS
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, joined
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits
from small_tables import space_with

Column = npt.NDArray[np.int64]
SEEDS, TABLES = 6, 25  # tests, and tables of each


def _column(rng: np.random.Generator, before: list[Column], rows: int) -> Column:
    """Values by chance, or such as follow from other columns, with some errors."""
    way = rng.random()
    if before and way < 0.65:
        one, other = (before[rng.integers(len(before))] for _ in range(2))
        values = [one, one // 2, -one, (7 * one + 3) % 5, (3 * one + 5 * other) % 4][rng.integers(5)].copy()
        wrong = rng.choice(rows, int(rng.integers(0, rows // 10 + 1)), replace=False)
        values[wrong] = rng.integers(0, 5, len(wrong))
        return values
    distinct = int(rng.choice([1, 2, 2, 3, 5, 10, 50, max(rows, 1)]))
    return rng.choice(distinct, rows, p=rng.dirichlet(np.full(distinct, rng.choice([0.3, 2, 50]))))


def _table(rng: np.random.Generator) -> RankedRows:
    rows, columns = int(rng.choice([0, 1, 2, 8, 20, 60, 150, 400])), int(rng.integers(1, 9))
    values: list[Column] = []
    for _ in range(columns):
        values.append(_column(rng, values, rows))
    ranks = np.array([np.unique(column, return_inverse=True)[1].ravel() for column in values], np.int32)
    if rng.random() < 0.3:
        ranks[rng.random(ranks.shape) < 0.1 * rng.random((columns, 1))] = -1  # NULLs that equal nothing
        ranks = np.array([np.unique([-1, *column], return_inverse=True)[1][1:] - 1 for column in ranks])
    return RankedRows(ranks.reshape(columns, rows), rng.random(columns) < 0.85)


def _search(rows: RankedRows, **options: Any) -> Search:
    space = space_with([f"c{number}" for number in range(rows.columns)], rows)
    return Search(Threads(Workspace(rows), 1), space, Options(DEFAULT_KINDS, **options))


def _laws(rows: RankedRows, **options: Any) -> dict[tuple[int, ...], float]:
    return _found(_search(rows, **options))


def _found(search: Search) -> dict[tuple[int, ...], float]:
    """What is found, and its bits."""
    laws = joined(search.laws(), search.codec.words)
    lines = zip(
        *(part.tolist() for part in laws), search.bits(laws, search.scores(laws)).tolist(), strict=True
    )
    return {(kind, *target, *words): bits for kind, target, words, bits in lines}


def _is_fact(law: tuple[int, ...]) -> bool:
    """A key of at most one column, or a constant."""
    return law[5].bit_count() <= 1 - law[0] and law[0] < 2


def _size(law: tuple[int, ...]) -> int:
    """Columns of its set and of its target, of which a key has none, an FD one, an OD two."""
    return law[5].bit_count() + law[0]


def _worth(laws: dict[tuple[int, ...], float], bits: float) -> set[tuple[int, ...]]:
    return {law for law, worth in laws.items() if worth >= bits or _is_fact(law)}


def _tables(seed: int) -> Iterator[tuple[RankedRows, float, int, int, dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    for _ in range(TABLES):
        options = {"time_limit": [None, 1e6][rng.integers(2)], "sample_rows": int(rng.choice([0, 2, 100]))}
        yield (
            _table(rng),
            float(rng.choice([0.01, 1, 4, 10])),
            int(rng.choice([1, costs.LONG_TABLE])),
            int(rng.choice([0, 0, costs.SMALL_ROWS])),
            options,
        )


def test_many_laws_are_rated_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows, *_ in _tables(0):
        monkeypatch.setattr(law_ratings, "PORTION", 1 << 20)
        together = _laws(rows, min_bits=0)
        monkeypatch.setattr(law_ratings, "PORTION", 3)
        assert _laws(rows, min_bits=0) == pytest.approx(together, nan_ok=True)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_cut_search_finds_what_all_laws_have(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (rows, bits, long, small, options) in enumerate(_tables(seed)):
        monkeypatch.setattr("lawful.discovery.settle.FEW_LEAVES", [0, 0, 3, 128][number % 4])
        monkeypatch.setattr(costs, "LONG_TABLE", long)
        monkeypatch.setattr(costs, "SMALL_ROWS", small)
        monkeypatch.setattr(costs, "FIRST_SAMPLE", min(long, 16))
        monkeypatch.setattr(costs, "TOLD_LATER", rows.count)  # bits of all laws when all are found
        every = _laws(rows, min_bits=0)
        monkeypatch.setattr(costs, "TOLD_LATER", 0)  # chance and sides are told while laws are searched for
        assert _laws(rows, min_bits=0) == pytest.approx(every, abs=1e-6)
        monkeypatch.setattr(costs, "TOLD_LATER", [0, rows.count][number % 2])
        some = _laws(rows, min_bits=bits, **options)
        assert set(some) == _worth(every, bits)
        for law, worth in some.items():
            assert worth == pytest.approx(every[law], abs=1e-6)
            assert worth >= 0
            assert str(worth) != "-0.0"


def test_laws_seen_to_be_chance_while_they_are_searched_for_have_no_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(costs, "SMALL_ROWS", 0)
    monkeypatch.setattr(costs, "TOLD_LATER", 0)
    seen, kinds = 0, set[int]()
    for seed in range(SEEDS):
        for rows, *_ in _tables(seed):
            work, space = Workspace(rows), space_with([f"c{at}" for at in range(rows.columns)], rows)
            family = ColumnLaws(Threads(work, 1), space, Options(DEFAULT_KINDS, min_bits=0))
            family.start()
            for phase in family.phases(rows.columns, False):
                for findings in family.settle(phase):
                    family.remember(phase, findings)
                    chance = phase.laws(findings).chosen(findings.by_chance())
                    assert not law_bits(work, chance, space.breadth).any()
                    assert not family.bits(chance, np.ones(len(chance.kinds))).any()
                    seen, kinds = seen + len(chance.kinds), kinds | {*chance.kinds.tolist()}
    assert seen > 100
    assert kinds == {KEY, FD_KIND, OD_KIND}


@pytest.mark.parametrize("nodes", [1, 10_000])
def test_a_search_of_too_many_candidates_says_so(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "SEARCHED_COLUMNS", 2)
    reasons = set()
    monkeypatch.setattr(costs, "SMALL_ROWS", 0)
    for rows, bits, _, _, options in _tables(0):
        every = _worth(_laws(rows, min_bits=0), bits)
        monkeypatch.setattr(costs, "SEARCHED_NODES", nodes)
        monkeypatch.setattr(costs, "SEARCHED_OD_NODES", nodes)
        search = _search(rows, min_bits=bits, **options)
        some = set(_found(search))
        assert some <= every
        if some != every:
            assert search.progress.reason == TOO_MANY
        for law in every - some:
            assert _size(law) >= search.progress.left_out[KINDS[law[0]]]
        reasons.add(search.progress.reason)
    assert reasons == ({None, TOO_MANY} if nodes == 1 else {None})
