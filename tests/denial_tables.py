"""Searches for denial constraints and PODs on made tables, and what the oracle says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import strategies as st

import naive
from lawful import costs
from lawful.laws import DC, POD
from lawful.laws.comparisons import ACROSS, IN_FIRST, IN_SECOND, Comparisons
from lawful.report.collection import Laws
from lawful.table.ranked import RankedRows
from small_tables import Found, searched, space_with, tables

CANDIDATES = 3000  # of which the oracle looks at each
KINDS = {"ts": ACROSS, "tt": IN_FIRST, "ss": IN_SECOND}


def joint_rows(table: naive.Table) -> RankedRows:
    """The ranks of a table's values among those of all columns: NULL first, or -1 where it equals nothing."""
    values: list[list[Any]] = [[row[number] for row in table.rows] for number in range(len(table.columns))]
    everything = sorted({value for column in values for value in column if value is not None})
    rank = {value: number + 1 for number, value in enumerate(everything)}
    missing = -1 if table.nulls == "distinct" else 0
    ranks = np.empty((len(table.columns), len(table.rows)), np.int32)
    for number, column in enumerate(values):
        ranks[number] = [missing if value is None else rank[value] for value in column]
    return RankedRows(ranks, [table.is_ordered(column) for column in table.columns])


def comparisons_with(table: naive.Table, crossed: Sequence[naive.CrossColumns]) -> Comparisons:
    """The comparisons of each column with itself and those between columns, each with its mirror image."""
    names = list(table.columns)
    ordered = np.array([table.is_ordered(name) for name in names], np.bool_)
    lines = [(ACROSS, k, k, bool(ordered[k]), k, True) for k in range(len(names))]
    for kind, a, b in crossed:
        left, right, first = names.index(a), names.index(b), len(lines)
        three = bool(ordered[left] and ordered[right])
        if kind == "ts":
            lines += [
                (ACROSS, left, right, three, first + 1, True),
                (ACROSS, right, left, three, first, True),
            ]
        else:
            other = IN_SECOND if kind == "tt" else IN_FIRST
            lines += [
                (KINDS[kind], left, right, three, first + 1, False),
                (other, left, right, three, first, False),
            ]
    columns = np.array(lines, np.int64).reshape(-1, 6).T.copy()
    return Comparisons(
        columns[0],
        columns[1],
        columns[2],
        columns[3].astype(np.bool_),
        columns[4],
        columns[5].astype(np.bool_),
    )


def all_pairs_cost(patch: pytest.MonkeyPatch, all_pairs: bool | None) -> None:
    """Whether all pairs are compared at once, or candidates validated; None: whatever is cheaper."""
    if all_pairs is not None:
        patch.setattr(costs, "SHORT_TILES", math.inf if all_pairs else -1.0)
        patch.setattr(costs, "CANDIDATE", 0.0)


def found_denials(
    table: naive.Table,
    crossed: Sequence[naive.CrossColumns] = (),
    workers: int = 1,
    all_pairs: bool | None = None,
    sampled: bool = True,
    kinds: Sequence[str] = ("dc",),
    **options: Any,
) -> Found:
    """Search a made table to the end, perhaps without a sample: then all is learned from validation."""
    rows = joint_rows(table)
    space = space_with(table.columns, rows, comparisons_with(table, crossed))
    with pytest.MonkeyPatch.context() as patch:
        all_pairs_cost(patch, all_pairs)
        if not sampled:
            patch.setattr("lawful.discovery.predicate_laws.sample_focused", lambda *anything: None)
        return searched(space, rows, workers, kinds=kinds, **options)


@st.composite
def settings_of_search(draw: st.DrawFn) -> dict[str, Any]:
    """Everything that must not change a result."""
    return {
        "workers": draw(st.integers(1, 3)),
        "seed": draw(st.integers(0, 2**32)),
        "all_pairs": draw(st.booleans()),
        "pairs_kept": draw(st.sampled_from([1, 10])),
        "time_limit": draw(st.sampled_from([None, 1e6])),  # a limit makes the search deepen size by size
    }


def score_of(law: object, table: naive.Table) -> float:
    """The mean of succinctness and coverage, by how many pairs satisfy each predicate."""
    law = law.as_dc() if isinstance(law, POD) else law
    assert isinstance(law, DC)
    if not law.predicates:
        return 1.0
    symbols = {symbol for predicate in law.predicates for cell in predicate.comparison for symbol in cell}
    symbols |= {predicate.operator.replace(">", "<") for predicate in law.predicates}
    satisfied = sum(naive.error(DC(frozenset([predicate])), table) for predicate in law.predicates)
    return (min(1.0, 4 / len(symbols)) + min(1.0, (1 + satisfied) / len(law.predicates))) / 2


@st.composite
def crossed_tables(
    draw: st.DrawFn, max_rows: int = 9, max_columns: int = 4
) -> tuple[naive.Table, list[naive.CrossColumns]]:
    """A table and some comparisons between its columns, not more than the oracle can look at."""
    table = draw(tables(max_columns=max_columns, max_rows=max_rows))
    ordered = draw(st.lists(st.booleans(), min_size=len(table.columns), max_size=len(table.columns)))
    table = naive.Table(table.columns, table.rows, ordered, table.nulls)
    candidates = 1
    for three in ordered:
        candidates *= 7 if three else 3
    crossed: list[naive.CrossColumns] = []
    if len(table.columns) > 1:
        wished = draw(st.lists(st.tuples(st.sampled_from(["ts", "tt"]), st.booleans()), max_size=3))
        kind: Literal["ts", "tt"]
        for name, turned in wished:
            kind = "ts" if name == "ts" else "tt"
            a, b = draw(st.permutations(table.columns))[:2]
            more = (7 if table.is_ordered(a) and table.is_ordered(b) else 3) ** 2
            known = {frozenset((other, x, y)) for other, x, y in crossed}
            if candidates * more <= CANDIDATES and frozenset((kind, a, b)) not in known:
                candidates *= more
                crossed.append((kind, b, a) if turned else (kind, a, b))
    return table, crossed


def denials(laws: Laws) -> set[DC]:
    return {law for law in laws if isinstance(law, DC)}
