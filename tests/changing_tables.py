"""Tables that change at random, beside what their state should hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, count
from typing import Any

import numpy as np
import pyarrow as pa

import complete
import naive
from lawful import LawChange, Laws, State
from lawful.evidence.evidence_set import EvidenceSet
from lawful.laws import Law

Row = tuple[int | None, ...]
FEW = 3  # rows that come or go at a time


class ChangingTable:
    """Random rows of some columns that come and go, by their ids."""

    def __init__(self, seed: int, columns: int, nulls: str) -> None:
        self._random = np.random.default_rng(seed)
        self.names = [f"c{number}" for number in range(columns)]
        self._spread = self._random.choice([1, 2, 3, 6], columns)
        self.nulls, self._ids = nulls, count()
        self.unordered = tuple(name for name in self.names if self._random.random() < 0.2)
        self.rows: dict[int, Row] = {}

    def draw(self, rows: int) -> list[Row]:
        """New rows; some are those that are there already."""
        found: list[Row] = []
        for _ in range(rows):
            if self.rows and self._random.random() < 0.1:
                found.append(self.rows[self.some_ids(1)[0]])
                continue
            values = [int(self._random.integers(0, spread)) for spread in self._spread]
            if len(values) > 1 and self._random.random() < 0.7:
                values[-1] = values[0] // 2  # a law that holds for a while
            found.append(tuple(None if self._random.random() < 0.1 else value for value in values))
        return found

    def some_ids(self, rows: int) -> list[int]:
        """The ids of some rows that are there."""
        chosen = self._random.choice(len(self.rows), min(rows, len(self.rows)), replace=False)
        return [list(self.rows)[place] for place in chosen]

    def add(self, rows: Sequence[Row]) -> None:
        self.rows |= dict(zip(self._ids, rows, strict=False))

    def remove(self, ids: Sequence[int]) -> None:
        for one in ids:
            del self.rows[one]

    def arrow(self, rows: Sequence[Row]) -> pa.Table:
        arrays = [pa.array([row[place] for row in rows], pa.int64()) for place in range(len(self.names))]
        return pa.table(dict(zip(self.names, arrays, strict=True)))

    def source_options(self) -> dict[str, Any]:
        return {"nulls": self.nulls, "unordered": self.unordered}

    def naive(self) -> naive.Table:
        ordered = [name not in self.unordered for name in self.names]
        nulls: naive.Nulls = "equal" if self.nulls == "equal" else "distinct"
        return naive.Table(self.names, list(self.rows.values()), ordered, nulls)

    def change(self, state: State, way: str, bits: bool = False) -> LawChange:
        """Insert, delete or update some rows; sometimes none, sometimes all."""
        what = self._random.choice(["insert", "insert", "delete", "update"])
        new = self.draw(int(self._random.integers(0, FEW + 1)))
        everything = self._random.random() < 0.05
        gone = self.some_ids(len(self.rows) if everything else int(self._random.integers(0, FEW + 1)))
        if what == "insert":
            change = state.insert(self.arrow(new), way=way, bits=bits)
        elif what == "delete":
            change = state.delete(gone, bits=bits)
        else:
            change = state.update(self.arrow(new), ids=gone, bits=bits)
        self.remove(gone if what != "insert" else [])
        next_id = state.relation.row_ids.max(initial=-1) + 1
        self._ids = count(int(max([next_id - len(new), 0]))) if what != "delete" else self._ids
        self.add(new if what != "delete" else [])
        return change


def laws_of(state: State) -> set[Law]:
    return set(state.codec.decode(state.law_arrays))


def fresh_laws(table: ChangingTable, kinds: str, **settings: Any) -> Laws:
    """What a search from scratch finds."""
    rows = table.arrow(list(table.rows.values()))
    return complete.discover(rows, kinds, **table.source_options(), **settings)


def check_counts(state: State, table: ChangingTable) -> None:
    """The agree-sets are those of all pairs of rows."""
    rows, counted = table.naive(), Counter[frozenset[str]]()
    for t, s in combinations(range(len(rows.rows)), 2):
        counted[frozenset(name for name in table.names if naive.sign(rows, name, t, s) == "=")] += 1
    found = state.agree_sets().to_pylist()
    assert {frozenset(line["agree_set"]): line["count"] for line in found} == counted
    both = sum(count for agreed, count in counted.items() if "c0" in agreed and "c1" not in agreed)
    assert state.pairs(["c0"], "c1") == both


def check_evidence(state: State) -> None:
    """Every witness is a pair of rows that are there, the evidence is what they show, and edges its own."""
    for family in state._kept.families.values():
        pairs = family.evidence.witness_pairs
        assert set(pairs.ravel().tolist()) <= set(state.relation.row_ids.tolist())
        shown = EvidenceSet(state._kept.rows, family.comparisons)
        shown.add_pairs(pairs)
        assert set(map(tuple, shown.lines.tolist())) == set(map(tuple, family.evidence.lines.tolist()))
        for number in range(len(family.sets)):
            edges = family.edges(number), family.edges(number, family.evidence.table)
            assert len(edges[0]) == len(edges[1])
            assert set(map(tuple, edges[0].tolist())) == set(map(tuple, edges[1].tolist()))
