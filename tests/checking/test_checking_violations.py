"""The rows that break laws, in groups, alone and in pairs, against all pairs of rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lawful
import naive
from denial_tables import joint_rows
from examples import examples
from law_samples import columns_of, laws_of
from lawful.checking import violating_rows as rows_room
from lawful.checking.denials import denial_of
from lawful.checking.law_errors import conflicts_of, violating_pairs
from lawful.checking.violating_rows import manner_of, violating_rows
from lawful.errors import LawfulError
from lawful.laws import FD, Law
from lawful.laws.equivalents import simpler_form
from lawful.table.workspace import Workspace
from lawful.validate.partner_counts import worst_partner
from small_tables import tables

Groups = dict[int, list[tuple[int, int, bool]]]


def groups_of(law: Law, table: naive.Table) -> tuple[str, Groups]:
    """For each group the rows, their sides and whether they are likely wrong."""
    work, denial = Workspace(joint_rows(table)), denial_of(law, columns_of(table))
    found: Groups = defaultdict(list)
    for part in violating_rows(denial, work):
        for row, group, side, wrong in zip(*(line.tolist() for line in part), strict=True):
            found[group].append((row, side, wrong))
    return manner_of(denial), found


@examples(120)
@given(st.data(), tables(max_columns=4, max_rows=12), st.sampled_from([1, 3, 1000]))
def test_violations_are_complete(data: st.DataObject, table: naive.Table, chunk: int) -> None:
    law = data.draw(laws_of(table.columns))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_room, "CHUNK", chunk)
        manner, groups = groups_of(law, table)
    pairs = naive.violations(law, table)
    assert [*groups] == [*range(1, len(groups) + 1)]
    if manner == "pairs":
        listed = {(t, s) for (t, _, _), (s, _, _) in groups.values()}
        assert (listed if law.kind != "od" else {(min(one), max(one)) for one in listed}) == pairs
    elif manner == "groups":
        together = {row: group for group, rows in groups.items() for row, _, _ in rows}
        assert together.keys() == naive.rows_in_violations(law, table)
        assert all(together[t] == together[s] for t, s in pairs)
    else:
        assert len(groups) == len({t for t, _ in pairs}) or len(groups) == len({s for _, s in pairs})


@examples(60)
@given(st.data(), tables(max_columns=4, max_rows=10))
def test_a_row_is_shown_with_the_partner_of_the_most_pairs(data: st.DataObject, table: naive.Table) -> None:
    law, work = data.draw(laws_of(table.columns)), Workspace(joint_rows(table))
    denial = denial_of(law, columns_of(table))
    conflicts, context = conflicts_of(denial, work), np.array(denial.context, np.int64)
    degrees, pairs = conflicts.of_row, violating_pairs(denial, work, conflicts)
    for row, side in product(range(work.rows.count if denial.possible else 0), (0, 1)):
        partners = pairs[pairs[:, side] == row, 1 - side].tolist()
        found = worst_partner(work.rows.ranks, context, denial.literals, row, side == 0, degrees)
        assert found == max(partners, key=lambda other: (degrees[other], -other), default=-1)


@examples(60)
@given(st.data(), tables(min_columns=2, max_columns=3, max_rows=12, nulls="equal"))
def test_those_that_the_others_outvote_are_likely_wrong(data: st.DataObject, table: naive.Table) -> None:
    law = data.draw(laws_of(table.columns))
    if not isinstance(simpler_form(law) or law, FD):
        law = FD(frozenset(table.columns[1:]), table.columns[0])
    fd = simpler_form(law) or law
    assert isinstance(fd, FD)
    for rows in groups_of(law, table)[1].values():
        votes = Counter(table.value(row, fd.rhs) for row, _, _ in rows)
        ((winner, most),) = votes.most_common(1)
        decided = 2 * most > len(rows)
        assert all(wrong == (decided and table.value(row, fd.rhs) != winner) for row, _, wrong in rows)


ORDERS = pa.table(
    {
        "id": [1, 2, 3, 4, 5, 5],
        "customer": ["Ann", "Bob", "Ann", "Ann", "Bob", "Cid"],
        "city": ["Oslo", "Rome", "Oslo", "Olso", "Rome", "Bern"],
        "placed": [3, 3, 5, 8, 10, 11],
        "shipped": [4, 6, 7, 8, 12, 11],
    }
)
LAWS = ["key {id}", "{customer} -> city", "{}: placed asc ~ shipped asc", "not(t.placed > t.shipped)"]


def test_verdicts() -> None:
    verdicts = lawful.check(ORDERS, LAWS)
    assert [one.holds for one in verdicts] == [False, False, False, True]
    assert [one.error.removals for one in verdicts] == [1, 1, 1, 0]
    assert not verdicts.passed
    tolerant = lawful.check(ORDERS, LAWS, max_error=1 / 6)
    assert (tolerant.passed, tolerant.hold) == (True, False)
    by_pairs = lawful.check(ORDERS, "{customer} -> city", max_error=0.1, error_measure="pairs")
    assert not by_pairs.passed  # 2 of 15 pairs


def test_laws_that_were_found_check_another_table() -> None:
    found = lawful.discover(ORDERS.slice(0, 3), kinds="key,fd", all=True)
    verdicts = found.check(ORDERS)
    assert {str(one.law) for one in verdicts} == {str(law) for law in found}
    assert {str(one.law) for one in verdicts if one.holds} < {str(law) for law in found}


@pytest.mark.parametrize("kinds", ["key,fd,od", "fd", "dc", "pod", "fd,dc"])
def test_laws_between_equivalent_columns_are_checked(kinds: str, tmp_path: Path) -> None:
    codes = [4, 1, 3, 2] * 25
    names = {1: "pin", 2: "axe", 3: "nut", 4: "cog"}
    goods: dict[str, list[Any]] = {"code": codes, "name": [names[code] for code in codes]}
    goods["rank"] = [-code for code in codes]
    wrong = {**goods, "name": [*goods["name"][:-1], "nut"]}
    found = lawful.discover(pa.table(goods), kinds)
    assert {"name", "code"} <= {*found.facts.equivalents[0]["columns"]}
    found.save(tmp_path / "laws.json")
    for laws in (found, tmp_path / "laws.json"):
        assert lawful.check(pa.table(goods), laws).hold
        assert {"{code} -> name", "{name} -> code"} <= {
            str(one.law) for one in lawful.check(pa.table(wrong), laws) if not one.holds
        }
    assert found.check(pa.table(goods)).hold
    assert not found.check(pa.table(wrong)).hold
    rising = {**goods, "rank": [*goods["rank"][:-1], 7]}
    assert not found.check(pa.table(rising)).hold


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
def test_what_makes_columns_equivalent_holds(nulls: naive.Nulls) -> None:
    numbers, seen = np.random.default_rng(3), 0
    for _ in range(20):
        codes = numbers.integers(-1, 4, (60, 2)).tolist()
        columns: dict[str, list[object]] = {"text": [None if a < 0 else "cadb"[a] for a, _ in codes]}
        for at, turn in product((0, 1), (1, -1)):
            columns[f"{'ab'[at]}{turn}"] = [None if row[at] < 0 else row[at] * turn for row in codes]
        found = lawful.discover(pa.table(columns), "key,fd,od,pod,dc", nulls=nulls, max_size=3)
        between = found.with_equivalences()[len(found) :]
        table = naive.Table([*columns], [*zip(*columns.values(), strict=True)], nulls=nulls)
        assert [law for law in between if not naive.holds(law, table)] == []
        seen += len(between)
    assert seen > 20


def test_violations_have_all_columns() -> None:
    found = lawful.violations(ORDERS, LAWS)
    assert found.column_names[-5:] == ORDERS.column_names
    wrong = found.filter(found["_likely_wrong"]).to_pylist()
    assert [(line["_law"], line["_row"], line["city"]) for line in wrong] == [
        ("{customer} -> city", 4, "Olso")
    ]


@pytest.mark.parametrize(
    ("laws", "complaint"),
    [
        ([], "there are no laws to check"),
        ("{customer} -> cty", "did you mean 'city'"),
        ("not(t.id = s.city)", "compares columns of different types"),
        (7, "a int is no law"),
    ],
)
def test_bad_laws_are_told(laws: object, complaint: str) -> None:
    with pytest.raises(LawfulError, match=complaint):
        lawful.check(ORDERS, laws)
