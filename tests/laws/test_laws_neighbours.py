"""Laws a step away, on made tables."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import naive
from examples import examples
from law_samples import laws_of
from lawful.laws import parse
from lawful.laws.neighbours import stronger, weaker
from small_tables import tables


@examples(60)
@given(st.data(), tables(min_columns=2, max_columns=4, max_rows=4))
def test_neighbours_say_more_or_less(data: st.DataObject, table: naive.Table) -> None:
    law = data.draw(laws_of(table.columns))
    below, above = [*stronger(law)], [*weaker(law, table.columns)]
    assert law not in [*below, *above]
    if naive.holds(law, table):
        assert all(naive.holds(one, table) for one in above)
    else:
        assert not any(naive.holds(one, table) for one in below)


def test_steps() -> None:
    assert [*map(str, stronger(parse("{a, b} -> c")))] == ["{b} -> c", "{a} -> c"]
    assert [*map(str, weaker(parse("{}: a asc ~ b desc"), "abc"))] == ["{c}: a asc ~ b desc"]
    assert {*map(str, stronger(parse("not(t.a < s.a)")))} == {"not(t.a <= s.a)", "not(t.a != s.a)"}
    assert {*map(str, weaker(parse("a <= => b ="), "abc"))} == {
        "a < => b =",
        "a = => b =",
        "b < => a >",
        "b > => a >",
        "a <=, c = => b =",
    }
