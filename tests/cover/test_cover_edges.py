"""Edges of targets against their definition, and the order of sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.cover.atoms import atoms_beside, atoms_of_columns
from lawful.cover.edges import minimal_edges
from lawful.evidence.evidence_set import EvidenceSet
from lawful.laws.comparisons import comparisons_of
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, Targets, as_targets, own_columns, splits, swap, swaps
from lawful.table.ranked import RankedRows
from lawful.words import Words, bit_set, members_in_order, members_of, sort_keys, words_for

OUTCOMES = {0: 2, 1: 1, 2: 4, 3: 8}  # two bits, less and greater, as a mask with one bit for each outcome
MIRRORED = {2: 2, 1: 4, 4: 1, 8: 8}


def outcome(line: Words, comparison: int) -> int:
    return OUTCOMES[int(line[comparison >> 5]) >> 2 * (comparison & 31) & 3]


def counts(line: Words, target: list[int]) -> bool:
    """Whether the outcomes of a pair, or of its mirror image, are those that a target asks for."""
    asked = [(target[side], target[side + 1]) for side in (LEFT, RIGHT) if target[side] >= 0]
    as_is = all(outcome(line, comparison) & mask for comparison, mask in asked)
    return as_is or all(MIRRORED[outcome(line, comparison)] & mask for comparison, mask in asked)


def all_targets(columns: int) -> Targets:
    some = [*range(min(columns, 5)), *range(max(columns - 3, 5), columns)]
    return np.concatenate([as_targets([DUPLICATE]), splits(some), swaps(some)])


@st.composite
def evidences(draw: st.DrawFn) -> EvidenceSet:
    """The evidence of some pairs of a table's rows; wide tables vary in a few columns only."""
    width = draw(st.sampled_from([1, 2, 3, 5, 32, 70]))
    varying = sorted(draw(st.sets(st.integers(0, width - 1), max_size=5)))
    count = draw(st.integers(2, 20))
    ranks = np.zeros((width, count), np.int32)
    for column in varying:
        ranks[column] = draw(st.lists(st.integers(-1, 2), min_size=count, max_size=count))
    ordered = np.array(draw(st.lists(st.booleans(), min_size=width, max_size=width)))
    pairs = draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=200))
    evidence = EvidenceSet(RankedRows(ranks, ordered), comparisons_of(list(range(width)), ordered, []))
    evidence.add_pairs(np.array([pair for pair in pairs if pair[0] != pair[1]], np.int32).reshape(-1, 2))
    return evidence


@examples(200)
@given(evidences(), st.data())
def test_edges_are_the_minimal_differences_of_counter_examples(
    evidence: EvidenceSet, data: st.DataObject
) -> None:
    """Among the columns that may be used, which need not be all."""
    columns = len(evidence.comparisons.kind)
    target = data.draw(st.sampled_from(all_targets(columns).tolist()))
    unused = data.draw(st.frozensets(st.integers(0, columns - 1), max_size=2))
    usable = {*range(columns)} - unused
    own = usable - {target[LEFT], target[RIGHT]}
    asked = {
        frozenset(column for column in own if outcome(line, column) != 2)
        for line in evidence.lines
        if counts(line, target)
    }
    atoms = atoms_of_columns(np.array(sorted(usable), np.int64), words_for(columns))
    edges, free = minimal_edges(evidence.table, np.array(target), atoms, 99)
    found = [frozenset(members_of(edge).tolist()) for edge in edges]
    assert len(found) == len(set(found))
    assert {*members_of(free).tolist()} == own
    minimal = {edge for edge in asked if not any(other < edge for other in asked)}
    assert minimal <= {*found} <= asked
    if not unused:  # else the order of the evidence, by all differences, may let some others through
        assert {*found} == minimal


@given(st.integers(1, 130), st.sampled_from([1, 3]), st.data())
def test_a_target_may_use_all_atoms_but_its_own(columns: int, width: int, data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(all_targets(columns).tolist()))
    atoms = atoms_of_columns(np.arange(width * columns), words_for(width * columns))._replace(width=width)
    free = members_of(atoms_beside(atoms, np.array(target)).usable)
    assert {*free.tolist()} == {
        atom for atom in range(width * columns) if atom // width not in (target[LEFT], target[RIGHT])
    }


def test_swaps_are_both_directions_of_each_pair_of_columns() -> None:
    targets = swaps([0, 2, 3])
    assert sorted(map(tuple, targets.tolist())) == sorted(
        swap(left, right, descending)
        for left, right in [(0, 2), (0, 3), (2, 3)]
        for descending in (False, True)
    )
    every = np.concatenate([as_targets([DUPLICATE]), splits(range(2)), targets[:1]])
    assert own_columns(every).tolist() == [0, 1, 1, 2]
    assert swaps([0]).shape == splits([]).shape == (0, 4)


@examples(150)
@given(st.integers(1, 3), st.data())
def test_sets_sort_by_the_places_of_their_atoms(words: int, data: st.DataObject) -> None:
    atoms = 64 * words
    sets = data.draw(st.lists(st.frozensets(st.integers(0, atoms - 1), max_size=6), min_size=1, max_size=8))
    atom_at = np.random.default_rng(data.draw(st.integers(0, 1000))).permutation(atoms)
    place_of = np.argsort(atom_at)
    lines = np.array([bit_set(np.array([*chosen], np.int64), words) for chosen in sets])
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
