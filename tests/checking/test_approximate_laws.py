"""Laws that hold almost against the oracle: every context, every error between two values."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lawful
import naive
from denial_tables import comparisons_with, crossed_tables, joint_rows
from examples import examples
from law_samples import columns_of
from lawful import datasets
from lawful.checking.approximate_denials import ApproximateDenials
from lawful.checking.approximate_laws import ApproximateSearch, Tolerance
from lawful.checking.denials import denial_of
from lawful.checking.law_errors import conflicts_of, violating_pairs
from lawful.cover.weighted_edges import almost_hitting
from lawful.engine import Threads
from lawful.errors import LawfulError
from lawful.laws import FD, KINDS, OD, Key, Law, parse
from lawful.table.ranked import RankedRows, as_they_lie
from lawful.table.workspace import Workspace
from small_tables import context_of, rows_of, space_with, tables


def candidates(table: naive.Table) -> list[Law]:
    """All keys, FDs and ODs, smallest contexts first."""
    names = table.columns
    contexts = [set(some) for size in range(len(names) + 1) for some in combinations(names, size)]
    sides = combinations([name for name in names if table.is_ordered(name)], 2)
    ods = [(left, right, down) for left, right in sides for down in (False, True)]
    laws: list[Law] = [Key(context) for context in contexts]
    laws += [FD(context, right) for right in names for context in contexts if right not in context]
    laws += [OD(one, a, b, down) for a, b, down in ods for one in contexts if not one & {a, b}]
    return laws


def error_of(law: Law, table: naive.Table, measure: str) -> float:
    if measure == "pairs":
        return naive.error(law, table)
    return naive.fewest_removals(law, table) / len(table.rows) if table.rows else 0.0


def minimal(table: naive.Table, errors: dict[Law, float], most: float) -> set[Law]:
    holding = [law for law in errors if errors[law] <= most]

    def is_minimal(law: Law) -> bool:
        return not any(
            type(other) is type(law)
            and other.columns - context_of(other) == law.columns - context_of(law)
            and getattr(other, "descending", None) == getattr(law, "descending", None)
            and context_of(other) < context_of(law)
            for other in holding
        )

    def says_more_than_fds(law: Law) -> bool:
        sides = (law.left, law.right) if isinstance(law, OD) else ()
        return not any(errors[FD(context_of(law), side)] <= most for side in sides)

    return {law for law in holding if is_minimal(law) and says_more_than_fds(law)}


@examples(25)
@given(st.data(), tables(max_columns=3, max_rows=6), st.sampled_from(["rows", "pairs"]))
def test_approximate_laws_are_those_of_all_contexts(
    data: st.DataObject, table: naive.Table, measure: str
) -> None:
    errors = {law: error_of(law, table, measure) for law in candidates(table)}
    values = sorted({0.0, *errors.values()})
    between = [*values, *((low + high) / 2 for low, high in pairwise(values))]
    most = data.draw(st.sampled_from(between))
    columns = columns_of(table)
    ordered = [number for number, column in enumerate(columns) if column.ordered]
    search = ApproximateSearch(
        Threads(Workspace(rows_of(table)), 1),
        table.columns,
        range(len(columns)),
        ordered,
        frozenset({"key", "fd", "od"}),
        Tolerance(most, measure == "pairs"),
    )
    found = [*search.laws()]
    assert len(found) == len({*found})
    assert {*found} == minimal(table, errors, most)


@examples(40)
@given(st.data(), tables(max_columns=4, max_rows=8), st.sampled_from(["rows", "pairs"]), st.integers(0, 6))
def test_many_columns_come_target_by_target(
    data: st.DataObject, table: naive.Table, measure: str, tolerated: int
) -> None:
    """Keys and FDs by all sets that are not almost keys, or if these are too many; some columns are alike."""
    given_rows = rows_of(table)
    copied = data.draw(st.permutations([*range(given_rows.columns)] * 2)) if given_rows.columns else []
    rows = RankedRows(given_rows.ranks[copied], given_rows.ordered[copied])
    total = rows.count * (rows.count - 1) // 2 if measure == "pairs" else rows.count
    found = []
    for most_sets, most_columns in ((1, 0), (1 << 14, 10)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("lawful.checking.approximate_laws.MOST_SETS", most_sets)
            patch.setattr("lawful.checking.approximate_laws.MOST_COLUMNS_BY_ROWS", most_columns)
            search = ApproximateSearch(
                Threads(Workspace(rows), 1),
                [f"c{number}" for number in range(rows.columns)],
                range(rows.columns),
                [],
                frozenset({"key", "fd"}),
                Tolerance(tolerated / max(total, 1), measure == "pairs"),
            )
            found.append([*search.laws()])
    assert len({*found[1]}) == len(found[1])
    assert {*found[0]} == {*found[1]}


@examples(20)
@given(st.data(), crossed_tables(max_rows=6, max_columns=3), st.sampled_from(["dc", "pod"]))
def test_approximate_denials_are_those_of_all_sets(
    data: st.DataObject, given_table: tuple[naive.Table, list[naive.CrossColumns]], kind: str
) -> None:
    table, crossed = given_table
    rows = joint_rows(table)
    total = rows.count * (rows.count - 1)
    tolerated = data.draw(st.integers(0, total))
    share = data.draw(st.sampled_from([0.0, 0.5])) / max(total, 1) + tolerated / max(total, 1)
    space = space_with(table.columns, rows, comparisons_with(table, crossed))
    engine = Threads(Workspace(rows), 1)
    search = ApproximateDenials(engine, space, KINDS.index(kind), Tolerance(share, True))
    found = [*search.laws()]
    assert len(found) == len({*found})
    search.most_told = data.draw(st.integers(1, len(found) + 1))
    assert [*search.laws()] == found[: search.most_told]
    if kind == "dc":
        assert {*found} == naive.minimal_dcs(table, crossed, tolerated)
    else:
        assert {*found} == naive.minimal_pods(table, tolerated)


@examples(15)
@given(st.data(), crossed_tables(max_rows=6, max_columns=2), st.sampled_from(["dc", "pod"]))
def test_denials_that_hold_without_some_rows(
    data: st.DataObject, given_table: tuple[naive.Table, list[naive.CrossColumns]], kind: str
) -> None:
    table, crossed = given_table
    rows, removed = joint_rows(table), data.draw(st.integers(0, 3))
    space = space_with(table.columns, rows, comparisons_with(table, crossed))
    engine, share = Threads(Workspace(rows), 1), removed / max(rows.count, 1)
    if share > 1:
        return
    search = ApproximateDenials(engine, space, KINDS.index(kind), Tolerance(share))
    found = [*search.laws()]
    assert len(found) == len({*found})
    assert search.reason is None
    if kind == "dc":
        assert {*found} == naive.minimal_dcs(table, crossed, removed, of_rows=True)
    else:
        assert {*found} == naive.minimal_pods(table, removed, of_rows=True)


def test_a_denial_that_holds_almost() -> None:
    rows = {"start": [*range(50)], "end": [number + 1 for number in range(49)] + [0]}
    laws = lawful.approximate(pa.table(rows), 0.02, "dc", error_measure="pairs", cross_columns="off")
    (law,) = (one for one in laws if str(one.law) == "not(t.end <= s.end and t.start >= s.start)")
    assert (law.error.pairs, law.error.removals, law.passes) == (49, 1, True)
    by_rows = lawful.approximate(pa.table(rows), 0.02, "dc", cross_columns="off")
    assert str(law.law) in {str(one.law) for one in by_rows}
    pods = lawful.approximate(pa.table(rows), 0.02, "pod", error_measure="pairs")
    assert "end <= => start <" in {str(one.law) for one in pods}


def test_rows_to_remove_end_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws by a share of rows are all there or the reason says what to do; a limit that is given counts."""
    rows = datasets.tax(200)
    whole = lawful.approximate(rows, 0.02, "dc", max_size=1)
    assert whole.reason == "max size"
    monkeypatch.setattr("lawful.checking.approximate_denials.MOST_SECONDS", -1.0)
    ended = lawful.approximate(rows, 0.02, "dc", max_size=1)
    assert "cross-columns off" in str(ended.reason)
    assert {one.law for one in ended} <= {one.law for one in whole}
    for measure in ("rows", "pairs"):
        laws = lawful.approximate(rows, 0.02, "dc", max_size=1, error_measure=measure, time_limit=600)
        assert laws.reason == "max size"


def test_too_many_kinds_of_pairs_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawful.checking.approximate_denials.MOST_LINES", 100)
    laws = lawful.approximate(datasets.tax(200), 0.02, "dc", error_measure="pairs")
    assert len(laws) == 0
    assert "differ in too many ways" in str(laws.reason)


def test_ctrl_c_ends_a_search_for_denial_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while a kernel runs: the first laws are known by then."""
    started = almost_hitting

    def interrupted(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return started(*arguments)

    monkeypatch.setattr("lawful.checking.approximate_denials.almost_hitting", interrupted)
    laws = lawful.approximate(datasets.tax(2_000), 0.02, "dc", error_measure="pairs", time_limit=120)
    assert laws.reason == "interrupted"


# Thousands of laws that hold almost, nearly all by chance: it takes long to tell them apart.
CHANCE = """
import os, signal, time
import numpy as np
import pyarrow as pa
import lawful
from lawful.checking.approximate_laws import ApproximateSearch
chance, found = np.random.default_rng(0), ApproximateSearch.found
key = chance.integers(0, 50, 20_000)
others = {f"c{k}": chance.integers(0, 6 + 2 * k, 20_000) for k in range(12)}
pressed = []
def interrupted(search):
    known = 0
    for batch in found(search):
        yield batch
        known += len(batch.sets)
        if known > 10_000 and not pressed:
            os.kill(os.getpid(), signal.SIGINT)
            pressed.append(time.process_time())
ApproximateSearch.found = interrupted
laws = lawful.approximate(pa.table({"key": key, "told": key * key, **others}), 0.01, workers=2)
print(laws.reason, time.process_time() - pressed[0], *(one.law for one in laws), sep="\\n")
"""


@pytest.mark.slow
def test_ctrl_c_shows_soon_what_is_known_of_the_laws_found() -> None:
    """Two seconds of two cores are enough to rate some of them, and to count their errors."""
    done = subprocess.run([sys.executable, "-c", CHANCE], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    reason, seconds, *laws = done.stdout.splitlines()
    assert reason == "interrupted"
    assert float(seconds) < 4
    assert {'{"key"} -> told', '{told} -> "key"'} <= {*laws}


def test_no_pairs_are_made_up_when_time_is_up() -> None:
    relation = lawful.read(pa.table({"a": [*range(40)], "b": [*range(40, 0, -1)]}))
    work = Workspace(as_they_lie(relation))
    denial = denial_of(parse("not(t.a < s.a and t.b > s.b)"), relation.columns)
    conflicts = conflicts_of(denial, work)
    assert len(violating_pairs(denial, work, conflicts)) == 40 * 39 // 2
    work.halt[0] = 1
    assert len(violating_pairs(denial, work, conflicts)) == 0


TABLE = pa.table({"zip": [1, 1, 1, 2, 2, 2] * 20, "city": (["Oslo"] * 3 + ["Rome"] * 3) * 19 + ["Olso"] * 6})


def test_an_almost_lawful_table() -> None:
    (law,) = lawful.approximate(TABLE, 0.05, "fd", columns=["zip", "city"])[:1]
    assert (str(law.law), law.error.removals, law.holds, law.passes) == ("{city} -> zip", 3, False, True)


def test_no_error_need_be_chosen() -> None:
    found = lawful.approximate(TABLE)
    assert {str(one.law) for one in found} == {"{zip} -> city", "{city} -> zip", "{}: city asc ~ zip asc"}
    assert all(one.bits >= 10 for one in found)


def test_limits_are_told() -> None:
    assert lawful.approximate(TABLE, 0.05, "key").complete
    assert lawful.approximate(TABLE, 0.001, "key", max_size=1).complete  # no larger one is almost a key
    square = pa.table({"left": [1, 1, 2, 2], "right": [1, 2, 1, 2]})
    assert lawful.approximate(square, 0.001, "key", max_size=1).reason == "max size"
    assert lawful.approximate(TABLE, 0.001, "od", max_size=1).reason == "max size"
    chance = np.random.default_rng(0).integers(0, 3, (20, 400))
    wide = pa.table({f"c{number}": column for number, column in enumerate(chance)})
    assert lawful.approximate(wide, 0.02, "key,fd,od", time_limit=0.1).reason == "time limit"


def test_bad_questions_are_told() -> None:
    with pytest.raises(LawfulError, match="a share between 0 and 1, not 2"):
        lawful.approximate(TABLE, 2)
    with pytest.raises(LawfulError, match="'little' is no error: write a share"):
        lawful.approximate(TABLE, "little")
    with pytest.raises(LawfulError, match="no error measure 'cells'"):
        lawful.approximate(TABLE, 0.1, error_measure="cells")
