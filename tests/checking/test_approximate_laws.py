"""Laws that hold almost against the oracle: every context, every error between two values."""

from __future__ import annotations

from itertools import combinations, pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lawful
import naive
from examples import examples
from law_samples import columns_of
from lawful.checking.approximate_laws import ApproximateSearch, Tolerance
from lawful.errors import LawfulError
from lawful.laws import FD, OD, Key, Law
from lawful.table.workspace import Workspace
from small_tables import context_of, rows_of, tables


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
        Workspace(rows_of(table)),
        columns,
        range(len(columns)),
        ordered,
        frozenset({"key", "fd", "od"}),
        Tolerance(most, measure == "pairs"),
    )
    found = [*search.laws()]
    assert len(found) == len({*found})
    assert {*found} == minimal(table, errors, most)


TABLE = pa.table({"zip": [1, 1, 1, 2, 2, 2] * 20, "city": (["Oslo"] * 3 + ["Rome"] * 3) * 19 + ["Olso"] * 6})


def test_an_almost_lawful_table() -> None:
    (law,) = lawful.approximate(TABLE, 0.05, "fd", columns=["zip", "city"])[:1]
    assert (str(law.law), law.error.removals, law.holds, law.passes) == ("{city} -> zip", 3, False, True)


def test_no_error_need_be_chosen() -> None:
    found = lawful.approximate(TABLE)
    assert {str(one.law) for one in found} == {"{zip} -> city", "{city} -> zip"}
    assert all(one.bits >= 10 for one in found)


def test_limits_are_told() -> None:
    assert lawful.approximate(TABLE, 0.05, "key").complete
    assert lawful.approximate(TABLE, 0.001, "key", max_size=1).reason == "max size"
    assert lawful.approximate(TABLE, 0.001, "key", time_limit=1e-9).reason == "time limit"


def test_bad_questions_are_told() -> None:
    with pytest.raises(LawfulError, match="a share between 0 and 1, not 2"):
        lawful.approximate(TABLE, 2)
    with pytest.raises(LawfulError, match="'little' is no error: write a share"):
        lawful.approximate(TABLE, "little")
    with pytest.raises(LawfulError, match="no error measure 'cells'"):
        lawful.approximate(TABLE, 0.1, error_measure="cells")
    with pytest.raises(LawfulError, match="dc laws are not looked for with an error"):
        lawful.approximate(TABLE, 0.1, "dc")
