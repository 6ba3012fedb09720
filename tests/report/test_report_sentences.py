"""Laws in plain sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawful.laws import FD, OD, Key, parse
from lawful.report.law_sentences import sentence

SENTENCES = {
    "key {id}": "no two rows have the same id",
    "key {day, badge, door}": "no two rows have the same badge, day and door",
    "key {}": "there is one row at most",
    "{} -> country": "all rows have the same country",
    "{model} -> manufacturer": "rows with the same model have the same manufacturer",
    "{model, year} -> class": "rows with the same model and year have the same class",
    "{}: salary asc ~ tax asc": "tax rises with salary",
    "{}: order asc ~ stock desc": "stock falls as order rises",
    "{status}: category asc ~ wind asc": "where status is the same, wind rises with category",
    "{a, b}: c asc ~ d desc": "where a and b are the same, d falls as c rises",
    "{model}: [] -> drv": "rows with the same model have the same drv",
    "not()": "there is one row at most",
    "not(t.id = s.id)": "no two rows have the same id",
    "not(t.salary > s.salary and t.tax < s.tax)": "tax rises with salary",
    "not(t.placed > t.shipped)": "no row has placed > shipped",
    "not(t.a >= t.b and t.c = t.d)": "no row has a >= b and c = d",
    "not(t.department = s.department and t.grade < s.grade and t.salary >= s.salary)": (
        "no row has a lower grade but at least the salary of another with the same department"
    ),
    "not(t.a = s.a and t.b != s.b and t.c > s.c and t.d < s.d)": (
        "no row has a lower d but a higher c than another with the same a and different b"
    ),
    "not(t.a <= s.a and t.b >= s.b)": "no row has at most the a but at least the b of another",
    "not(t.a <= s.a and t.b < s.b and t.c > s.c)": (
        "no row has a lower b and a higher c but at most the a of another"
    ),
    "not(t.a != s.a and t.b < s.b)": "no row has a lower b than another with different a",
    "not(t.a != s.a and t.b != s.b)": "no two rows differ in both a and b",
    "not(t.a != s.a and t.b != s.b and t.c != s.c and t.d = s.d)": (
        "no two rows with the same d differ in a, b and c"
    ),
    "not(t.placed = s.shipped)": "no two rows t and s have t.placed = s.shipped",
    "not(t.room = s.room and t.ends > s.starts and t.starts < s.ends)": (
        "no two rows t and s with the same room have t.ends > s.starts and t.starts < s.ends"
    ),
    "a =, b < => c <": "no row has a lower b but at least the c of another with the same a",
}


@pytest.mark.parametrize(("law", "words"), SENTENCES.items())
def test_a_law_in_words(law: str, words: str) -> None:
    assert sentence(parse(law)) == words


@given(st.text(max_size=5), st.text(max_size=5))
def test_names_stand_in_sentences_as_in_laws(first: str, second: str) -> None:
    if first == second:
        return
    for law in (Key({first, second}), FD({first}, second), OD(set(), first, second)):
        assert sentence(law).isprintable()
    assert sentence(FD({"net price"}, "key")) == 'rows with the same "net price" have the same "key"'
