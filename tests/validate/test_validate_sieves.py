"""Sieves against a scan of all pairs: whatever breaks a law goes through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import ranked
from test_validate_probes import Literals, excluded_by, satisfied, scan, some_laws

from examples import examples
from lawful.datasets import tax
from lawful.evidence.batches import Rows, fresh_of
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.sieves import have_twins
from lawful.evidence.tiles import BLOCK
from lawful.laws.comparisons import Flags, comparisons_of
from lawful.table import read
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate.probe_literals import possible
from lawful.validate.sieve_choice import chosen_sieves

Lines = set[tuple[int, ...]]


def empty_evidence(rows: Rows, ordered: Flags) -> EvidenceSet:
    return EvidenceSet(rows, comparisons_of([*range(len(ordered))], ordered, []))


def lines_of(evidence: EvidenceSet) -> Lines:
    return {*map(tuple, evidence.lines.tolist())}


def breaking_pairs(rows: Rows, ordered: Flags, laws: Sequence[Literals], known: int) -> list[tuple[int, int]]:
    """All pairs with a new row that break a law, by definition."""
    there, ranks = np.flatnonzero(rows.alive).tolist(), rows.ranks.tolist()
    pairs = [(t, s) for t in there if t >= known for s in there if s != t]
    return [
        (t, s)
        for one, other in pairs
        for t, s in ((one, other), (other, one))
        for literals in laws
        if all(satisfied(o, ranks[c][t], ranks[c][s], bool(ordered[c])) for c, o in literals.items())
    ]


def let_through(rows: Rows, ordered: Flags, laws: Sequence[Literals], known: int) -> tuple[Lines, Lines]:
    """The outcomes of pairs that break laws, found in all pairs, and those that sieves let through."""
    new = np.arange(known, len(rows.alive))
    literals, _ = possible(excluded_by(laws, len(ordered)), ordered)
    sieves = chosen_sieves(literals, rows, known)
    assert sieves is not None
    found = fresh_of(empty_evidence(rows, ordered), rows, new[rows.alive[new]], lambda fresh: fresh, sieves)
    breaking = empty_evidence(rows, ordered)
    breaking.add_pairs(np.array(breaking_pairs(rows, ordered, laws, known), np.int32).reshape(-1, 2))
    shown = empty_evidence(rows, ordered)
    shown.add_pairs(found.pairs)
    assert lines_of(shown) == {*map(tuple, found.lines.tolist())}
    return lines_of(breaking), lines_of(shown)


@given(ranked(max_rows=40, min_rows=4, min_columns=2), st.data(), st.integers(1, 4), st.booleans())
@examples(60)
def test_what_breaks_a_law_goes_through(
    table: RankedRows, data: st.DataObject, coming: int, some_are_gone: bool
) -> None:
    """Of laws that the old rows obey."""
    laws = [law for law in data.draw(some_laws(table.columns)) if law]
    known, alive = table.count - min(coming, table.count - 1), np.ones(table.count, np.bool_)
    if some_are_gone:
        alive[:: data.draw(st.integers(2, 5))] = False
    old = alive & (np.arange(table.count) < known)
    broken = {law for _, _, law in scan(table.ranks, table.ordered, laws, set(range(known)), old)}
    kept = [law for number, law in enumerate(laws) if number not in broken]
    breaking, found = let_through(Rows(table.ranks, alive), table.ordered, kept, known)
    assert breaking <= found


def test_few_pairs_of_a_long_table_go_through() -> None:
    """Rows in several blocks; laws that most rows need not be looked at for, thanks to their twins."""
    relation = read(tax(3 * BLOCK + 7))
    names = relation.names
    ranks, ordered = np.array(relation.ranks()), np.ones(len(names), np.bool_)
    laws: list[Literals] = [
        {names.index("phone"): "=", names.index("state"): "!="},
        {names.index("marital_status"): "=", names.index("gender"): "=", names.index("has_child"): "<"},
    ]
    known = ranks.shape[1] - 5
    ranks[names.index("has_child"), :known] = ranks[names.index("gender"), :known]
    ranks[:, -1] = ranks[:, 5]
    ranks[names.index("state"), -1] += 1
    rows = Rows(RankedRows(ranks, ordered).ranks, np.ones(ranks.shape[1], np.bool_))
    breaking, found = let_through(rows, ordered, laws, known)
    assert breaking <= found
    assert len(breaking) > 0


def naive_twins(
    ranks: Ranks, columns: Sequence[int], alive: Flags, rows: Sequence[int], end: int
) -> list[bool]:
    own = [tuple(ranks[column, row] for column in columns) for row in range(ranks.shape[1])]
    return [min(own[row]) >= 0 and any(alive[s] and own[s] == own[row] for s in range(end)) for row in rows]


@given(ranked(max_rows=30, min_rows=2), st.data())
@examples(40)
def test_twins(table: RankedRows, data: st.DataObject) -> None:
    columns = data.draw(st.lists(st.integers(0, table.columns - 1), min_size=1, unique=True))
    alive = np.array(data.draw(st.lists(st.booleans(), min_size=table.count, max_size=table.count)))
    end = data.draw(st.integers(0, table.count - 1))
    rows = np.arange(end, table.count)
    found = have_twins(table.ranks, np.array(columns), alive, rows, end)
    assert found.tolist() == naive_twins(table.ranks, columns, alive, rows.tolist(), end)
