"""Minimal hitting sets, against all sets of atoms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from examples import examples
from lawful.cover.mmcs import (
    CUT,
    DONE,
    EDGES,
    LEAF,
    advance,
    enlarge,
    grow,
    index_stops,
    new_enumeration,
)
from lawful.words import Words, bit_set, members_of

Atoms = frozenset[int]
UNLIMITED = 1000
GOING_ON = np.zeros(1, np.int64)


def as_words(sets: Collection[Collection[int]], words: int) -> Words:
    lines = [bit_set(np.array(sorted(atoms), np.int64), words) for atoms in sets]
    return np.array(lines, np.uint64).reshape(-1, words)


def as_sets(lines: Words) -> list[Atoms]:
    return [frozenset(members_of(line).tolist()) for line in lines]


def minimal_sets(
    edges: Sequence[Atoms], atoms: Collection[int], stops: Sequence[Atoms] = (), max_size: int = UNLIMITED
) -> set[Atoms]:
    """By definition: all sets, the smallest first."""
    found: set[Atoms] = set()
    smallest_first = sorted({*edges}, key=len)
    for size in range(min(len(atoms), max_size) + 1):
        for chosen in map(frozenset, combinations(sorted(atoms), size)):
            missed = any(map(chosen.isdisjoint, smallest_first))
            if not missed and not any(smaller <= chosen for smaller in found):
                found.add(chosen)
    return {chosen for chosen in found if not any(stop <= chosen for stop in stops)}


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, list[int], list[Atoms]]:
    """The number of words, the atoms that may be used, and edges, some of them repeated, some perhaps empty.

    Atoms are few but of any number, so that sets of up to three words are met; edges contain other ones too.
    """
    words = draw(st.integers(1, 3))
    known = draw(st.lists(st.integers(0, 64 * words - 1), min_size=1, max_size=9, unique=True))
    atoms = known[: draw(st.integers(max(len(known) - 2, 0), len(known)))]
    least = draw(st.sampled_from([0, 1, 1, 1, 2, 2]))
    edges = draw(
        st.lists(st.frozensets(st.sampled_from(known), min_size=min(least, len(known))), max_size=12)
    )
    repeated = draw(st.lists(st.sampled_from(edges), max_size=3)) if edges else []
    return words, atoms, edges + repeated


def hit(
    words: int,
    atoms: Collection[int],
    edges: Sequence[Atoms],
    stops: Sequence[Atoms] = (),
    max_size: int = UNLIMITED,
) -> tuple[set[Atoms], bool]:
    search = new_enumeration(as_words(edges, words), as_words([atoms], words)[0], len(edges), 2)
    forbidden = index_stops(as_words(stops, words))
    sets: list[Atoms] = []
    state = advance(search, forbidden, max_size, GOING_ON)
    while state != DONE:
        if state == LEAF:
            sets += as_sets(search.members[None])
        else:
            search = enlarge(search, len(search.edges), 2 * len(search.chosen))
        state = advance(search, forbidden, max_size, GOING_ON)
    assert len(sets) == len(set(sets)), "a set was found twice"
    return set(sets), bool(search.at[CUT])


@examples(400)
@given(problems())
@example((1, [], []))
@example((2, [70], [frozenset()]))
def test_hitting_sets_are_the_minimal_ones(problem: tuple[int, list[int], list[Atoms]]) -> None:
    words, atoms, edges = problem
    found, cut = hit(words, atoms, edges)
    assert found == minimal_sets(edges, atoms)
    assert not cut


@examples(300)
@given(problems(), st.integers(0, 5))
def test_a_bound_on_size_leaves_out_the_larger_sets_and_says_so(
    problem: tuple[int, list[int], list[Atoms]], max_size: int
) -> None:
    words, atoms, edges = problem
    everything = minimal_sets(edges, atoms)
    found, cut = hit(words, atoms, edges, max_size=max_size)
    assert found == {chosen for chosen in everything if len(chosen) <= max_size}
    assert cut or found == everything
    assert not (cut and max_size >= len(atoms))


@examples(300)
@given(problems(), st.data())
def test_no_result_contains_a_stop(problem: tuple[int, list[int], list[Atoms]], data: st.DataObject) -> None:
    words, atoms, edges = problem
    assume(atoms)
    stops = data.draw(st.lists(st.frozensets(st.sampled_from(atoms), min_size=1), max_size=4))
    assert hit(words, atoms, edges, stops)[0] == minimal_sets(edges, atoms, stops)


def test_no_edges_are_hit_by_the_empty_set() -> None:
    assert hit(1, [0, 1], []) == ({frozenset()}, False)


def test_an_edge_without_usable_atoms_is_hit_by_nothing() -> None:
    assert hit(2, [0, 100], [frozenset({0}), frozenset({5})]) == (set(), False)


def test_paths_longer_than_the_first_room_are_followed() -> None:
    """The only way to hit 30 edges of one atom each is to take all 30."""
    atoms = range(50, 80)
    edges = [frozenset({atom}) for atom in atoms]
    assert hit(2, atoms, edges) == ({frozenset(atoms)}, False)


def grown(
    words: int,
    atoms: Collection[int],
    known: Sequence[Atoms],
    hidden: Sequence[Atoms],
    choose: Any,
    stops: Sequence[Atoms] = (),
    max_size: int = UNLIMITED,
) -> list[Atoms]:
    """The leaves that hit the hidden edges too; a leaf that misses some is told of a few of them."""
    search = new_enumeration(as_words(known, words), as_words([atoms], words)[0], len(known), 1)
    listed = index_stops(as_words(stops, words))
    accepted = []
    while (state := advance(search, listed, max_size, GOING_ON)) != DONE:
        if state != LEAF:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
            continue
        leaf = as_sets(search.members[np.newaxis])[0]
        missed = [edge for edge in hidden if not edge & leaf]
        if not missed:
            accepted.append(leaf)
        for edge in choose(missed):
            if search.at[EDGES] == search.edges.shape[0]:
                search = enlarge(search, 2 * search.edges.shape[0] + 1, search.chosen.shape[0] - 1)
            grow(search, as_words([edge], words)[0])
    return accepted


@examples(400)
@given(problems(), st.data())
def test_edges_may_come_while_the_search_runs(
    problem: tuple[int, list[int], list[Atoms]], data: st.DataObject
) -> None:
    words, atoms, hidden = problem
    known = data.draw(st.lists(st.sampled_from(hidden), max_size=4)) if hidden else []
    max_size = data.draw(st.sampled_from([1, 2, 3, UNLIMITED]))
    stops = (
        data.draw(st.lists(st.frozensets(st.sampled_from(atoms), min_size=1), max_size=2)) if atoms else []
    )
    at_once = data.draw(st.integers(1, 3))
    found = grown(words, atoms, known, hidden, lambda missed: missed[:at_once], stops, max_size)
    assert len(found) == len(set(found))
    assert set(found) == minimal_sets(hidden, atoms, stops, max_size)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("at_once", [1, 10])
def test_many_edges_may_come_while_the_search_runs(seed: int, at_once: int) -> None:
    """Edges fill several words of bit sets, at all depths of the path."""
    random = np.random.default_rng(seed)
    atoms = [int(atom) for atom in random.choice(128, 13, replace=False)]
    hidden = [
        frozenset(random.choice(atoms, random.integers(3, 8), replace=False).tolist()) for _ in range(300)
    ]

    def some(missed: Sequence[Atoms]) -> list[Atoms]:
        return [missed[int(place)] for place in random.permutation(len(missed))[:at_once]]

    found = grown(2, atoms, hidden[:5], hidden, some)
    assert len(found) == len(set(found))
    assert set(found) == minimal_sets(hidden, atoms)
    assert set(found) == hit(2, atoms, hidden)[0]
