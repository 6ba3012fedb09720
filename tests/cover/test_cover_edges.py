"""Edges of targets against their definition, and the order of sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lawful.cover.edges import minimal_edges
from lawful.cover.targets import Targets, duplicates, free_atoms, own_columns, splits, swaps
from lawful.evidence.evidence import Evidence
from lawful.table.ranked import RankedRows
from lawful.words import members_in_order, sort_keys


def bits(words: np.typing.NDArray[np.uint64]) -> frozenset[int]:
    return frozenset(place for place in range(64 * len(words)) if int(words[place >> 6]) >> (place & 63) & 1)


def counts(less: frozenset[int], greater: frozenset[int], target: tuple[int, int, int]) -> bool:
    """By the words of lawful.cover.targets: every pair; those that differ; those ordered the wrong way."""
    left, right, direction = target
    if left < 0:
        return True
    if right < 0:
        return left in less | greater
    orders = [(column in less) - (column in greater) for column in (left, right)]
    return orders[0] * orders[1] == -direction


def all_targets(columns: int) -> Targets:
    return np.concatenate([duplicates(), splits(columns), swaps(np.ones(columns, np.bool_))])


@st.composite
def evidences(draw: st.DrawFn) -> tuple[RankedRows, Evidence]:
    """The evidence of some pairs of a table's rows; wide tables vary in a few columns only."""
    width = draw(st.sampled_from([1, 2, 3, 5, 70]))
    varying = sorted(draw(st.sets(st.integers(0, width - 1), max_size=5)))
    count = draw(st.integers(2, 20))
    ranks = np.zeros((width, count), np.int32)
    for column in varying:
        ranks[column] = draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    rows = RankedRows(ranks, draw(st.lists(st.booleans(), min_size=width, max_size=width)))
    pairs = draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=200))
    evidence = Evidence(rows)
    evidence.add_pairs(np.array([pair for pair in pairs if pair[0] != pair[1]], np.int32).reshape(-1, 2))
    return rows, evidence


@settings(max_examples=200, deadline=None)
@given(evidences(), st.data())
def test_edges_are_the_minimal_differences_of_counter_examples(
    made: tuple[RankedRows, Evidence], data: st.DataObject
) -> None:
    rows, evidence = made
    target = data.draw(st.sampled_from(all_targets(rows.columns).tolist()))
    words = evidence.signs.shape[1] // 2
    asked = set()
    for line in evidence.signs:
        less, greater = bits(line[:words]), bits(line[words:])
        if counts(less, greater, target):
            asked.add((less | greater) - {target[0], target[1]})
    edges = [bits(edge) for edge in minimal_edges(evidence.table, np.array(target))]
    assert len(edges) == len(set(edges))
    assert set(edges) == {edge for edge in asked if not any(other < edge for other in asked)}


@settings(deadline=None)
@given(st.integers(0, 130), st.data())
def test_a_target_may_use_all_columns_but_its_own(columns: int, data: st.DataObject) -> None:
    chosen = [*range(min(columns, 3)), *range(max(columns - 3, 0), columns)]
    flags = np.zeros(columns, np.bool_)
    flags[chosen] = True
    target = data.draw(
        st.sampled_from(np.concatenate([duplicates(), splits(columns), swaps(flags)]).tolist())
    )
    assert bits(free_atoms(columns, np.array(target))) == {*range(columns)} - {target[0], target[1]}


def test_swaps_are_both_directions_of_each_pair_of_ordered_columns() -> None:
    targets = swaps(np.array([True, False, True, True]))
    assert sorted(map(tuple, targets.tolist())) == sorted(
        (left, right, direction) for left, right in [(0, 2), (0, 3), (2, 3)] for direction in (1, -1)
    )
    assert own_columns(np.concatenate([duplicates(), splits(2), targets[:1]])).tolist() == [0, 1, 1, 2]
    assert swaps(np.array([True])).shape == (0, 3)
    assert splits(0).shape == (0, 3)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 3), st.data())
def test_sets_sort_by_the_places_of_their_atoms(words: int, data: st.DataObject) -> None:
    atoms = 64 * words
    sets = data.draw(st.lists(st.frozensets(st.integers(0, atoms - 1), max_size=6), min_size=1, max_size=8))
    atom_at = np.random.default_rng(data.draw(st.integers(0, 1000))).permutation(atoms)
    place_of = np.argsort(atom_at)
    lines = np.zeros((len(sets), words), np.uint64)
    for line, chosen in zip(lines, sets, strict=True):
        for atom in chosen:
            line[atom >> 6] |= np.uint64(1) << np.uint64(atom & 63)
    keys = sort_keys(lines, place_of)
    room = np.empty(atoms, np.int64)
    for key, chosen in zip(keys, sets, strict=True):
        size = members_in_order(key, atom_at, room)
        assert room[:size].tolist() == sorted(chosen, key=lambda atom: place_of[atom])
    # Sorted by their keys, sets with a common beginning stand together.
    contexts = [
        sorted(place_of[[*chosen]].tolist()) for _, chosen in sorted(zip(keys.tolist(), sets, strict=True))
    ]
    for length in range(1, 4):
        beginnings = [tuple(context[:length]) for context in contexts if len(context) >= length]
        groups = [one for one, before in zip(beginnings, [None, *beginnings], strict=False) if one != before]
        assert len(groups) == len(set(groups))
