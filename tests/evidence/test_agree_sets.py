"""The multiset of agree-sets against a count over all pairs, under series of inserts and deletes."""

from __future__ import annotations

import io
from collections import Counter
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful import costs
from lawful.evidence import agree_batches
from lawful.evidence.agree_batches import Counted
from lawful.evidence.agree_sets import AgreeSets
from lawful.words import Words, members_of

Ranks = npt.NDArray[np.int32]
Sets = frozenset[int]


def agree_set(ranks: Ranks, t: int, s: int) -> Sets:
    return frozenset(np.flatnonzero((ranks[:, t] == ranks[:, s]) & (ranks[:, t] >= 0)).tolist())


def oracle(ranks: Ranks, alive: npt.NDArray[np.bool_]) -> Counter[Sets]:
    pairs = combinations(np.flatnonzero(alive).tolist(), 2)
    return Counter(agree_set(ranks, t, s) for t, s in pairs)


def as_counter(counted: Counted) -> Counter[Sets]:
    found = Counter({named(members): int(count) for members, count in zip(*counted, strict=True)})
    assert len(found) == len(counted.counts), "an agree-set is there twice"
    return found


def named(members: Words) -> Sets:
    return frozenset(members_of(members).tolist())


def made_table(random: np.random.Generator, columns: int, rows: int) -> Ranks:
    """Constants, few values, many values, NULLs that equal nothing, repeated rows."""
    values = random.choice([1, 2, 3, 20, 1000], columns)
    ranks = random.geometric(1 / values[:, None], (columns, rows)).astype(np.int32)
    ranks[random.random(ranks.shape) < random.choice([0, 0.1, 0.9], (columns, 1))] = -1
    return ranks[:, random.integers(0, rows, rows)] if rows and random.random() < 0.3 else ranks


def renumbered(random: np.random.Generator, ranks: Ranks) -> Ranks:
    """The same values with other numbers."""
    numbers = random.permutation(1 << 15).astype(np.int32)
    return np.where(ranks < 0, -random.integers(1, 9), numbers[ranks])


SIZES = st.tuples(st.sampled_from([0, 1, 3, 8, 9, 17, 64, 70]), st.sampled_from([0, 1, 2, 9, 40]))


@examples(40)
@given(SIZES, st.integers(0, 2**32 - 1))
def test_counts_are_those_of_all_pairs_after_every_change(sizes: tuple[int, int], seed: int) -> None:
    """Deletes come first; numbers of values change between batches; all rows go at the end."""
    random = np.random.default_rng(seed)
    ranks = made_table(random, *sizes)
    alive = random.random(sizes[1]) < 0.6
    known = AgreeSets(sizes[0])
    known.insert(ranks, np.flatnonzero(alive))
    for share in (0.1, 0.5, 0.9, 0.3, 1.0):
        gone = np.flatnonzero(alive & (random.random(sizes[1]) < share))
        before, ranks = oracle(ranks, alive), renumbered(random, ranks)
        vanished = known.delete(ranks, gone)
        alive[gone] = False
        left = oracle(ranks, alive)
        assert as_counter(known.counted) == left
        assert {*map(named, vanished)} == before.keys() - left.keys()
        new = np.flatnonzero(~alive & (random.random(sizes[1]) < 0.5))
        ranks[:, new] = ranks[:, random.integers(0, sizes[1], len(new))]  # row ids may come back
        appeared = known.insert(ranks, new)
        alive[new] = True
        assert as_counter(known.counted) == oracle(ranks, alive)
        assert {*map(named, appeared)} == oracle(ranks, alive).keys() - left.keys()
        known = known if random.random() < 0.5 else saved_and_loaded(known)
    known.delete(ranks, np.flatnonzero(alive))
    assert len(known) == 0


def saved_and_loaded(known: AgreeSets) -> AgreeSets:
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **known.arrays())
    file.seek(0)
    return AgreeSets.from_arrays(np.load(file))


@pytest.mark.parametrize("shared", [1e-12, 1.0])
def test_rare_and_frequent_values_are_counted_alike(shared: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """All values by lists where these cost nothing, as few as possible where they cost a lot; two cores."""
    monkeypatch.setattr(costs, "SHARED_VALUE", shared)
    monkeypatch.setattr(costs, "SHORT_AGREE_SETS", 0)
    monkeypatch.setattr(agree_batches, "usable_cores", lambda: 2)
    random = np.random.default_rng(1)
    for columns in (5, 30, 100):
        ranks = random.geometric(0.1, (columns, 150)).astype(np.int32)
        alive = np.ones(150, np.bool_)
        known = AgreeSets(columns)
        known.insert(ranks, np.arange(100))
        known.insert(ranks, np.arange(100, 150))
        assert as_counter(known.counted) == oracle(ranks, alive)


def test_rows_are_counted_once() -> None:
    ranks, known = np.zeros((2, 4), np.int32), AgreeSets(2)
    known.insert(ranks, [0, 1, 2])
    with pytest.raises(ValueError, match="counted already"):
        known.insert(ranks, [2, 3])
    with pytest.raises(ValueError, match="not counted"):
        known.delete(ranks, [2, 3])
    assert as_counter(known.counted) == {frozenset({0, 1}): 3}


@examples(30)
@given(st.sampled_from([1, 3, 70]), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_pairs_that_agree_and_differ_are_those_of_a_scan(columns: int, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks, known = made_table(random, columns, rows), AgreeSets(columns)
    for batch in (np.arange(rows // 2), np.arange(rows // 2, rows)):
        known.insert(ranks, batch)
        counts = as_counter(known.counted)
        for size in [0, *random.integers(0, min(columns, 4), 20)]:
            agreeing = {*random.choice(columns, size).tolist()}
            target = int(random.integers(0, columns))
            assert known.pairs([*agreeing]) == sum(
                counts[members] for members in counts if agreeing <= members
            )
            expected = sum(
                counts[members] for members in counts if agreeing <= members and target not in members
            )
            assert known.pairs([*agreeing], target) == expected


def test_the_table_shows_names_and_the_most_frequent_agree_sets_first() -> None:
    ranks = np.array([[0, 0, 0, 1], [0, 0, 1, 2], [-1, -1, -1, -1]], np.int32)
    known = AgreeSets(3)
    known.insert(ranks, np.arange(4))
    assert known.as_table(["a", "b", "c"]).to_pylist() == [
        {"agree_set": [], "count": 3},
        {"agree_set": ["a"], "count": 2},
        {"agree_set": ["a", "b"], "count": 1},
    ]
    assert AgreeSets(3).as_table(["a", "b", "c"]).num_rows == 0
