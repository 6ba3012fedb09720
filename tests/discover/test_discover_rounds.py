"""Rounds of cover and validation against all sets, with edges in place of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.rounds import Candidates, Judgement, settle_in_rounds
from lawful.engine import Engine, Threads, stretches
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.words import members_of

Edge = frozenset[int]
ATOMS = 6


def minimal_sets(edges: Sequence[Edge]) -> list[Edge]:
    """By definition: all sets, the smallest first."""
    found: list[Edge] = []
    for chosen in map(
        frozenset, chain.from_iterable(combinations(range(ATOMS), k) for k in range(ATOMS + 1))
    ):
        if all(chosen & edge for edge in edges) and not any(smaller <= chosen for smaller in found):
            found.append(chosen)
    return found


@dataclass(frozen=True)
class Missing:
    """A task: which edges some candidates miss; the number of an edge stands for a pair of rows."""

    first: int
    candidates: Candidates
    edges: Sequence[Edge]
    keep: int

    def __len__(self) -> int:
        return len(self.candidates)

    def __call__(self, work: Workspace) -> Iterator[Judgement]:
        found, learned = np.zeros(len(self), np.int64), []
        for place, line in enumerate(self.candidates):
            missed = [n for n, edge in enumerate(self.edges) if not edge & {*members_of(line).tolist()}]
            found[place] = len(missed[: self.keep])
            learned += [(number, number) for number in missed[: self.keep]]
        yield Judgement(self.first, found, np.array(learned, np.int32).reshape(-1, 2))


class EdgeRounds:
    """Rounds that learn some hidden edges."""

    def __init__(self, hidden: Sequence[Edge], keep: int) -> None:
        self.hidden, self.keep = hidden, keep
        self.known: list[Edge] = []

    def candidates(self) -> Candidates:
        sets = [sum(1 << atom for atom in chosen) for chosen in minimal_sets(self.known)]
        return np.array(sets, np.uint64).reshape(-1, 1)

    def contexts(self, candidates: Candidates) -> Sets:
        return candidates

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, list[Missing]]:
        order: Numbers = np.argsort(candidates[:, 0])[::-1]
        candidates = candidates[order]
        parts = stretches(len(candidates), engine, sharing=2)
        return candidates, [Missing(part.start, candidates[part], self.hidden, self.keep) for part in parts]

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        self.known += [self.hidden[number] for number in np.unique(pairs)]


class Forgetful(EdgeRounds):
    """Rounds whose evidence does not say what refuted the candidates."""

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        pass


def engine_of(workers: int) -> Threads:
    return Threads(Workspace(RankedRows(np.zeros((ATOMS, 2), np.int32), [True] * ATOMS)), workers)


@examples(150)
@given(
    st.lists(st.frozensets(st.integers(0, ATOMS - 1), min_size=1), max_size=12),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_rounds_end_with_the_minimal_sets(hidden: list[Edge], keep: int, workers: int) -> None:
    verdicts = list(settle_in_rounds(EdgeRounds(hidden, keep), engine_of(workers)))
    proven = [frozenset(members_of(line).tolist()) for verdict in verdicts for line in verdict.proven]
    assert len(proven) == len(set(proven)), "a set was proven twice"
    assert {*proven} == {*minimal_sets(hidden)}
    refuted = [frozenset(members_of(line).tolist()) for verdict in verdicts for line in verdict.refuted]
    assert len(refuted) == len(set(refuted)), "a set was refuted twice"
    assert all(any(not edge & chosen for edge in hidden) for chosen in refuted)
    assert all(verdict.waiting >= 0 for verdict in verdicts)
    assert not verdicts or verdicts[-1].waiting == 0


def test_a_refuted_candidate_that_comes_back_is_an_error() -> None:
    """Rounds would go on for ever."""
    with pytest.raises(RuntimeError, match="1 refuted candidates came back"):
        list(settle_in_rounds(Forgetful([frozenset({0})], 1), engine_of(1)))


def test_a_halt_ends_rounds() -> None:
    engine = engine_of(1)
    engine.work.halt[0] = 1
    assert list(settle_in_rounds(EdgeRounds([frozenset({0})], 1), engine)) == []
