"""Laws in which equivalent columns take each other's place."""

from __future__ import annotations

from typing import Any

import pytest

from lawful.laws import DC, parse
from lawful.laws.exchange import denials_between, exchanged, in_first_names, laws_between, standing_for


def group(columns: str, turned: str = "", kinds: str = "fd od dc") -> dict[str, Any]:
    return {"columns": columns.split(), "reversed": turned.split(), "kinds": kinds.split()}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("key {a, c}", ["key {b, c}", "key {z, c}"]),
        ("{a, c} -> x", ["{b, c} -> x", "{z, c} -> x", "{a, c} -> y", "{b, c} -> y", "{z, c} -> y"]),
        ("{c} -> d", []),
        ("{c}: a asc ~ d asc", ["{c}: b asc ~ d asc", "{c}: d asc ~ z desc"]),
        ("{c}: a asc ~ d desc", ["{c}: b asc ~ d desc", "{c}: d asc ~ z asc"]),
        ("{x}: c asc ~ d asc", ["{y}: c asc ~ d asc"]),
        ("not(t.a < s.a and t.c >= s.c)", ["not(t.b < s.b and t.c >= s.c)", "not(t.z > s.z and t.c >= s.c)"]),
        ("not(t.x = s.x and t.x = s.c)", ["not(t.y = s.y and t.y = s.c)"]),
    ],
)
def test_each_column_is_replaced_by_each_of_its_group(text: str, others: list[str]) -> None:
    groups = [group("a b z", "z"), group("x y")]
    assert {*exchanged(parse(text), groups)} == {parse(one).canonical() for one in [text, *others]}


def test_both_sides_of_an_od_may_be_reversed() -> None:
    groups = [group("a z", "z"), group("b y", "y")]
    laws = [
        *map(parse, ["{}: a asc ~ b asc", "{}: a asc ~ y desc", "{}: b asc ~ z desc", "{}: y asc ~ z asc"])
    ]
    assert {*exchanged(laws[0], groups)} == {*laws}


def test_a_group_counts_for_its_kinds() -> None:
    texts = ["key {a, c}", "{a} -> c", "{a}: c asc ~ d asc", "{c}: a asc ~ d asc", "not(t.a = s.a)"]
    changed = {"fd": texts[:3], "od": texts[3:4], "dc": texts[4:]}
    for kind, own in changed.items():
        for text in texts:
            assert len({*exchanged(parse(text), [group("a b", kinds=kind)])}) == 1 + (text in own)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("not(t.a < s.a and t.c >= s.c)", ["not(t.b < s.b and t.c >= s.c)", "not(t.z > s.z and t.c >= s.c)"]),
        ("not(t.z < s.z and t.c >= s.c)", ["not(t.b > s.b and t.c >= s.c)", "not(t.a > s.a and t.c >= s.c)"]),
        ("not(t.x = s.x and t.c >= s.c)", ["not(t.y = s.y and t.c >= s.c)"]),
        ("not(t.x < s.x and t.c >= s.c)", []),
        ("not(t.a < s.a and t.a >= s.c)", []),
        ("not(t.a < s.a and t.b >= s.c)", ["not(t.b >= s.c and t.z > s.z)"]),
    ],
)
def test_any_column_is_replaced_where_it_is_compared_with_itself(text: str, others: list[str]) -> None:
    groups = [group("a b z", "z", "order equal"), group("x y", kinds="equal")]
    same = {parse(one).canonical() for one in [text, *others]}
    assert {*exchanged(parse(text), groups)} == same
    firsts = {in_first_names(law, groups) for law in same if isinstance(law, DC)}
    assert len(firsts) == 1
    assert firsts <= same
    assert parse("not(t.b < s.b and t.c >= s.c)").canonical() not in firsts


def test_what_makes_columns_the_same_to_dcs() -> None:
    order = ["not(t.a < s.a and t.b >= s.b)", "not(t.a <= s.a and t.b > s.b)"]
    turned = ["not(t.a < s.a and t.z <= s.z)", "not(t.a <= s.a and t.z < s.z)"]
    equal = ["not(t.a != s.a and t.b = s.b)", "not(t.a = s.a and t.b != s.b)"]
    assert [*denials_between(group("a b z", "z", "order"))] == [*map(parse, [*order, *turned])]
    assert {*denials_between(group("a b", kinds="equal"))} == {*map(parse, equal)}
    assert [*denials_between(group("a b", kinds="fd od dc"))] == []


def test_laws_between_the_columns_of_a_group() -> None:
    laws = [*map(str, laws_between(group("a b z", "z")))]
    fds = ["{a} -> b", "{a} -> z", "{b} -> a", "{b} -> z", "{z} -> a", "{z} -> b"]
    assert laws == [*fds, "{}: a asc ~ b asc", "{}: a asc ~ z desc", "{}: b asc ~ z desc"]
    assert [*laws_between(group("a b", kinds="dc"))] == []


def test_what_stands_for_a_column() -> None:
    groups = [group("a b c", kinds="fd"), group("b c", kinds="od")]
    assert standing_for("a", groups) == {"a"}
    assert standing_for("b", groups) == {"a", "b"}
    assert standing_for("c", groups) == {"a", "b", "c"}
    assert standing_for("d", groups) == {"d"}
