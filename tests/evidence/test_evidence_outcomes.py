"""Outcomes of pairs: by tiles, one by one, and as the definition says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.sampling import Focus, focused_pairs, sample_focused
from lawful.evidence.tiles import narrow, outcomes_in_blocks
from lawful.laws.comparisons import IN_FIRST, IN_SECOND, Comparisons, Crossing, comparisons_of
from lawful.table.ranked import RankedRows, Ranks
from lawful.table.workspace import Workspace
from lawful.words import Words


@st.composite
def compared(draw: st.DrawFn) -> tuple[Ranks, Comparisons]:
    """Ranks with NULLs that equal nothing, and comparisons that fill one to three words."""
    columns, rows = draw(st.integers(1, 12)), draw(st.integers(0, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    highest = draw(st.sampled_from([1, 3, 40_000]))  # the last does not fit 16 bits
    ranks = random.integers(-1, highest + 1, (columns, rows)).astype(np.int32)
    ordered = random.random(columns) < 0.7
    pairs = [(a, b) for a in range(columns) for b in range(a + 1, columns)]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=12, unique=True)) if pairs else []
    crossings = [Crossing(a, b, bool(ordered[a] and ordered[b])) for a, b in chosen]
    return ranks, comparisons_of(list(range(columns)), ordered, crossings)


def line_of(ranks: Ranks, comparisons: Comparisons, t: int, s: int) -> tuple[int, ...]:
    """Two bits for each comparison, as plain as can be."""
    bits = 1 << 2 * len(comparisons.kind)
    for k, (kind, left, right, ordered) in enumerate(zip(*comparisons[:4], strict=True)):
        x = int(ranks[left, s if kind == IN_SECOND else t])
        y = int(ranks[right, t if kind == IN_FIRST else s])
        differ = x < 0 or y < 0 or (x != y and not ordered)
        bits |= (differ or x < y) << 2 * k
        bits |= (differ or x > y) << 2 * k + 1
    return tuple(bits >> 64 * word & 2**64 - 1 for word in range(2 * len(comparisons.kind) // 64 + 1))


def evidence_of(ranks: Ranks, comparisons: Comparisons, t: int, s: int) -> tuple[int, ...]:
    """Where only columns with themselves are compared, a pair and its mirror image are one: less first."""
    line, crossed = line_of(ranks, comparisons, t, s), (comparisons.left != comparisons.right).any()
    bits = sum(word << 64 * place for place, word in enumerate(line))
    outcomes = [bits >> 2 * k & 3 for k in range(len(comparisons.kind))]
    first = next((outcome for outcome in outcomes if outcome in (1, 2)), 1)
    return line if crossed or first == 1 else line_of(ranks, comparisons, s, t)


def as_set(lines: Words) -> set[tuple[int, ...]]:
    found = [tuple(line) for line in lines.tolist()]
    assert len(found) == len(set(found)), "a line is there twice"
    return set(found)


@examples(150)
@given(compared(), st.integers(1, 5))
def test_tiles_and_pairs_give_the_outcomes_of_all_pairs(made: tuple[Ranks, Comparisons], size: int) -> None:
    ranks, comparisons = made
    count = ranks.shape[1]
    expected = Counter(line_of(ranks, comparisons, t, s) for s in range(count) for t in range(s))
    blocks = np.arange(-(-count // size))
    halt = np.zeros(1, np.int64)
    lines, counts = outcomes_in_blocks(narrow(ranks), comparisons, blocks, size, halt)
    assert as_set(lines) == {*expected}
    assert dict(zip(map(tuple, lines.tolist()), counts.tolist(), strict=True)) == expected
    pairs = np.array([(t, s) for s in range(count) for t in range(s)], np.int32).reshape(-1, 2)
    assert_evidence(ranks, comparisons, pairs)


def assert_evidence(ranks: Ranks, comparisons: Comparisons, pairs: Ranks) -> None:
    """Distinct lines, the same ones by pairs and by lines; with counts and witnesses where asked."""
    shown: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for t, s in [*pairs.tolist(), *pairs.tolist()]:
        shown.setdefault(evidence_of(ranks, comparisons, t, s), []).append((t, s))
    rows = RankedRows(ranks, [True] * len(ranks))
    by_pairs, by_lines = EvidenceSet(rows, comparisons, witnesses=3), EvidenceSet(rows, comparisons)
    assert by_pairs.add_pairs(np.concatenate([pairs, pairs])) == len(shown) == len(by_pairs)
    assert as_set(by_pairs.lines) == {*shown}
    for line, count, witnesses in zip(
        map(tuple, by_pairs.lines.tolist()), by_pairs.counts, by_pairs.witnesses, strict=True
    ):
        assert count == len(shown[line])
        assert len(witnesses) == min(count, 3)
        assert all(line_of(ranks, comparisons, t, s) == line for t, s in witnesses.tolist())
    assert by_pairs.add_pairs(pairs[::-1]) == 0
    lines = [line_of(ranks, comparisons, t, s) for t, s in pairs.tolist()]
    words = by_lines.lines.shape[1]
    once = np.ones(len(lines), np.int64)
    assert by_lines.add_lines(np.array(lines, np.uint64).reshape(-1, words), once) == len(shown)
    assert by_lines.add_pairs(pairs) == 0
    compared = zip(map(tuple, by_lines.lines.tolist()), by_lines.compared.tolist(), strict=True)
    assert dict(compared) == {line: len(found) // 2 for line, found in shown.items()}
    np.testing.assert_array_equal(by_lines.table.lines, by_pairs.table.lines)


def test_a_set_of_outcomes_grows() -> None:
    ranks = np.random.default_rng(0).integers(0, 4, (12, 150)).astype(np.int32)
    comparisons = comparisons_of(list(range(12)), np.ones(12, np.bool_), [])
    pairs = np.stack(np.triu_indices(150, 1), axis=1).astype(np.int32)
    assert_evidence(ranks, comparisons, pairs)
    assert EvidenceSet(RankedRows(ranks, [True] * 12), comparisons).add_pairs(pairs) > 10_000


@pytest.mark.parametrize("most", [1000, 20])
@pytest.mark.parametrize(
    ("strategy", "sign"), [("within", {0}), ("other", {-1, 1}), ("back", {1}), ("forth", {-1})]
)
def test_a_focus_finds_the_partners_it_wants(strategy: str, sign: set[int], most: int) -> None:
    random = np.random.default_rng(1)
    rows = RankedRows(random.integers(0, 9, (1, 60)).astype(np.int32), [True])
    ranks = rows.ranks[0]
    pairs = focused_pairs(rows, Focus(0, strategy), most, random)
    assert 0 < len(pairs) <= most
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert set(np.sign(ranks[pairs[:, 0]] - ranks[pairs[:, 1]]).tolist()) == sign
    if most > 60:  # every row that has such a partner
        has_one = [
            any(s != t and np.sign(x - y) in sign for s, y in enumerate(ranks)) for t, x in enumerate(ranks)
        ]
        assert sorted(pairs[:, 0].tolist()) == np.flatnonzero(has_one).tolist()


@pytest.mark.parametrize("rows", [0, 1, 2, 300])
def test_a_sample_brings_evidence_of_these_rows(rows: int) -> None:
    ranks = np.random.default_rng(2).integers(0, 3, (4, rows)).astype(np.int32)
    comparisons = comparisons_of([0, 1, 2, 3], np.array([True, True, False, False]), [])
    table = RankedRows(ranks, [True] * 4)
    evidence = EvidenceSet(table, comparisons)
    sample_focused(Workspace(table), range(4), np.array([True, True, False, False]), evidence, seed=0)
    everything = {evidence_of(ranks, comparisons, t, s) for s in range(rows) for t in range(s)}
    assert as_set(evidence.lines) <= everything
    assert len(evidence) >= 0.9 * len(everything)
