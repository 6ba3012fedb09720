"""Minimal hitting sets of atoms: however the search is cut, the same ones, one of each mirrored pair."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.cover import branches
from lawful.cover.atoms import (
    atoms_of_predicates,
    canonical_sets,
    contradictions,
    edges_of_lines,
    mirror_atoms,
)
from lawful.cover.branches import (
    MANY_UNITS,
    branches_of,
    root_branch,
    sets_found_soon,
    sets_of,
)
from lawful.cover.lones import Stops, StopsOfPods
from lawful.cover.mmcs import Bounds, index_stops
from lawful.laws.comparisons import Comparisons, Crossing, comparisons_of
from lawful.words import Words, are_among, distinct_lines, mapped_sets, members_of

HALT = np.zeros(1, np.int64)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Comparisons, Words]:
    """Comparisons, and edges closed under exchanging the rows."""
    columns = draw(st.integers(1, 4))
    ordered = np.array(draw(st.lists(st.booleans(), min_size=columns, max_size=columns)))
    crossings = (
        [Crossing(0, 1, bool(ordered[0] and ordered[1]))] if columns == 2 and draw(st.booleans()) else []
    )
    comparisons = comparisons_of(list(range(columns)), ordered, crossings)
    count = len(comparisons.kind)
    outcomes = st.tuples(
        *(st.sampled_from([0, 1, 2, 3] if three else [0, 3]) for three in comparisons.ordered)
    )
    lines = draw(st.lists(outcomes, max_size=25))
    packed = [sum(outcome << 2 * k for k, outcome in enumerate(line)) | 1 << 2 * count for line in lines]
    edges = edges_of(np.array(packed, np.uint64).reshape(-1, 1), comparisons)
    return comparisons, np.concatenate([edges, mapped_sets(edges, mirror_atoms(comparisons))])


class Chosen(NamedTuple):
    """Some atoms, the edges that they hit, each as bits, and how many comparisons have "not =" alone."""

    atoms: int
    hit: int
    lone: int


def minimal_sets(comparisons: Comparisons, edges: Words, pods: bool) -> set[frozenset[int]]:
    """Of every set of atoms, the smallest first; for PODs with at most one "not =" alone."""
    every_edge, most = (1 << len(edges)) - 1, 1 if pods else len(comparisons.kind)
    sets = [atoms for atoms, hit, lone in all_sets(comparisons, edges) if hit == every_edge and lone <= most]
    found: list[int] = []
    for atoms in sorted(sets, key=int.bit_count):
        if not any(fewer & atoms == fewer for fewer in found):
            found.append(atoms)
    return {frozenset(atom for atom in range(64) if atoms >> atom & 1) for atoms in found}


def all_sets(comparisons: Comparisons, edges: Words) -> list[Chosen]:
    """Every set of atoms; no comparison with all its atoms."""
    usable = members_of(atoms_of_predicates(comparisons).usable).tolist()
    hits = {
        atom: sum(1 << number for number, (edge,) in enumerate(edges.tolist()) if edge >> atom & 1)
        for atom in usable
    }
    sets = [Chosen(0, 0, 0)]
    for comparison in range(len(comparisons.kind)):
        own = [atom for atom in usable if atom // 3 == comparison]
        parts = [part for size in range(len(own)) for part in combinations(own, size)]
        options = [
            (sum(1 << atom for atom in part), reduce(or_, map(hits.__getitem__, part), 0), part == (own[1],))
            for part in parts
        ]
        sets = [
            Chosen(before.atoms | atoms, before.hit | hit, before.lone + lone)
            for before in sets
            for atoms, hit, lone in options
        ]
    return sets


def stops_of(comparisons: Comparisons, pods: bool) -> Stops | StopsOfPods:
    stops: Stops = index_stops(contradictions(comparisons))
    return StopsOfPods(stops.sets, stops.first, comparisons.ordered) if pods else stops


def edges_of(lines: Words, comparisons: Comparisons) -> Words:
    edges: Words = edges_of_lines(lines, len(comparisons.kind), atoms_of_predicates(comparisons))
    return edges


@pytest.mark.parametrize("pods", [False, True])
@examples(150)
@given(problems(), st.integers(1, 40), st.integers(0, 4))
def test_branches_find_the_minimal_sets(
    pods: bool, problem: tuple[Comparisons, Words], wanted: int, most: int
) -> None:
    comparisons, edges = problem
    mirror, stops = mirror_atoms(comparisons), stops_of(comparisons, pods)
    expected = minimal_sets(comparisons, edges, pods)
    root = root_branch(edges, atoms_of_predicates(comparisons).usable, mirror)
    parts = branches_of(root, wanted)
    assert len(parts) >= wanted or not parts[0].units
    for bound in (most, 100):
        found, cut = [], False
        for part in parts:
            for sets, was_cut in sets_of(part, stops, Bounds(bound), mirror, HALT):
                found += [frozenset(members_of(line).tolist()) for line in sets]
                cut |= was_cut
        images = {frozenset(int(mirror[atom]) for atom in chosen) for chosen in found}
        wished = {chosen for chosen in expected if len({atom // 3 for atom in chosen}) <= bound}
        assert set(found) | images == wished
        assert len(found) == len({frozenset([a, frozenset(int(mirror[x]) for x in a)]) for a in found})
        assert cut or wished == expected
    soon = sets_found_soon(root, stops, Bounds(100), mirror, HALT)
    assert soon is not None
    assert {frozenset(members_of(line).tolist()) for line in soon[0]} == set(found)


@pytest.mark.parametrize("pods", [False, True])
def test_a_long_search_pauses_and_is_split(pods: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of nine comparisons must be = or not for a third of the pairs: sets enough for many pauses."""
    monkeypatch.setattr(branches, "LONG_SEARCH", 2_000)
    comparisons = comparisons_of(list(range(9)), np.ones(9, np.bool_), [])
    random = np.random.default_rng(0)
    lines = random.integers(0, 3, (150, 9)) @ (1 << 2 * np.arange(9)) | 1 << 18
    mirror, stops = mirror_atoms(comparisons), stops_of(comparisons, pods)
    edges = edges_of(lines.astype(np.uint64).reshape(-1, 1), comparisons)
    edges = distinct_lines(np.concatenate([edges, mapped_sets(edges, mirror)]))
    root = root_branch(edges, atoms_of_predicates(comparisons).usable, mirror)
    assert sets_found_soon(root, stops, Bounds(9), mirror, HALT, soon=100) is None
    at_once = sets_found_soon(root, stops, Bounds(9), mirror, HALT, soon=10**9)
    assert at_once is not None
    parts = [
        sets for part in branches_of(root, 20) for sets, _ in sets_of(part, stops, Bounds(9), mirror, HALT)
    ]
    together = np.concatenate(parts)
    assert len(together) == len(at_once[0]) > 1000
    assert are_among(together, at_once[0]).all()
    assert are_among(at_once[0], together).all()


@pytest.mark.parametrize("pods", [False, True])
def test_many_atoms_are_split_by_an_edge(pods: bool) -> None:
    """More units than are decided one by one; a bound on the size keeps the sets countable."""
    columns = MANY_UNITS + 10
    comparisons = comparisons_of(list(range(columns)), np.ones(columns, np.bool_), [])
    outcomes = np.random.default_rng(3).integers(0, 3, (12, columns))
    packed = [
        sum(int(outcome) << 2 * k for k, outcome in enumerate(line)) | 1 << 2 * columns for line in outcomes
    ]
    words = 2 * columns // 64 + 1
    lines = [[bits >> 64 * word & 2**64 - 1 for word in range(words)] for bits in packed]
    mirror, stops = mirror_atoms(comparisons), stops_of(comparisons, pods)
    edges = edges_of(np.array(lines, np.uint64), comparisons)
    edges = np.concatenate([edges, mapped_sets(edges, mirror)])
    root = root_branch(edges, atoms_of_predicates(comparisons).usable, mirror)
    bounds = Bounds(2)
    at_once = sets_found_soon(root, stops, bounds, mirror, HALT, soon=10**9)
    assert at_once is not None
    parts = branches_of(root, 2)
    assert len(parts) == columns
    together = np.concatenate(
        [sets for part in parts for sets, _ in sets_of(part, stops, bounds, mirror, HALT)]
    )
    assert len(together) == len(at_once[0]) > 100
    assert are_among(together, at_once[0]).all()
    assert are_among(at_once[0], together).all()


def test_a_halt_ends_a_search() -> None:
    comparisons = comparisons_of([0, 1], np.ones(2, np.bool_), [])
    mirror, stops = mirror_atoms(comparisons), index_stops(contradictions(comparisons))
    edges = edges_of(np.array([[0b10000]], np.uint64), comparisons)
    root = root_branch(edges, atoms_of_predicates(comparisons).usable, mirror)
    assert sum(len(sets) for sets, _ in sets_of(root, stops, Bounds(9), mirror, np.ones(1, np.int64))) == 0
    assert sum(len(sets) for sets, _ in sets_of(root, stops, Bounds(9), mirror, HALT)) == 2


@pytest.mark.parametrize("words", [1, 2, 3])
def test_sets_in_bulk(words: int) -> None:
    random = np.random.default_rng(words)
    sets = random.integers(0, 3, (500, words)).astype(np.uint64)
    distinct = distinct_lines(sets)
    assert sorted(map(tuple, distinct.tolist())) == sorted({tuple(line) for line in sets.tolist()})
    known = sets[::7]
    expected = [tuple(line) in {tuple(one) for one in known.tolist()} for line in sets.tolist()]
    assert are_among(sets, known).tolist() == expected
    assert not are_among(sets, sets[:0]).any()


def test_of_mirrored_sets_one_is_canonical() -> None:
    comparisons = comparisons_of([0, 1], np.ones(2, np.bool_), [Crossing(0, 1, ordered=True)])
    mirror = mirror_atoms(comparisons)
    assert mirror[mirror].tolist() == list(range(64))
    assert mirror[:9].tolist() == [2, 1, 0, 5, 4, 3, 11, 10, 9]  # t.a ? s.b becomes t.b ? s.a, turned
    assert mirror[12:15].tolist() == [15, 16, 17]  # t.a ? t.b becomes s.a ? s.b as it is
    sets = np.arange(1 << 10, dtype=np.uint64).reshape(-1, 1)
    canonical, kept = canonical_sets(sets, mirror)
    others, _ = canonical_sets(mapped_sets(sets, mirror), mirror)
    assert (canonical == others).all()
    assert (canonical[kept] == sets[kept]).all()
    assert (canonical[~kept] != sets[~kept]).all()
