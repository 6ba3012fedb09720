"""What follows from laws, beside all ways in which two rows can compare."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sign_vectors import follows, laws_over, theories

import naive
from examples import examples
from lawful.laws import FD, Key, Law, parse
from lawful.reasoning import Theory, candidate_keys, minimal_cover, shortest_proof

NAMES = ("a", "b", "c", "d")


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@examples(60)
@given(known=theories(NAMES), law=laws_over(NAMES))
def test_what_follows_is_what_no_two_rows_break(nulls: naive.Nulls, known: list[Law], law: Law) -> None:
    proof = Theory.of(NAMES, known, nulls == "equal").proof(law)
    assert (proof is not None) == follows(law, known, NAMES, nulls)
    if proof is not None:
        assert {*proof} <= {*known}
        assert follows(law, proof, NAMES, nulls)


@examples(40)
@given(known=theories(NAMES), law=laws_over(NAMES))
def test_the_shortest_proof_has_the_fewest_laws(known: list[Law], law: Law) -> None:
    theory = Theory.of(NAMES, known)
    proof = shortest_proof(theory, law)
    assert (proof is None) == (theory.proof(law) is None)
    if proof is None:
        return
    assert follows(law, proof, NAMES)
    assert not any(follows(law, [one for one in proof if one != spare], NAMES) for spare in proof)
    if isinstance(law, Key | FD):
        simple = [one for one in theory.laws if isinstance(one, Key | FD)]
        fewer = (some for size in range(len(proof)) for some in combinations(simple, size))
        assert not any(follows(law, some, NAMES) for some in fewer)


@examples(40)
@given(theories(NAMES))
def test_a_minimal_cover_says_the_same_and_nothing_twice(known: list[Law]) -> None:
    cover = minimal_cover(Theory.of(NAMES, known))
    assert all(follows(law, cover, NAMES) for law in known)
    assert all(follows(law, known, NAMES) for law in cover)
    for law in cover:
        assert not Theory.of(NAMES, [other for other in cover if other != law]).implies(law)


@examples(40)
@given(theories(NAMES))
def test_candidate_keys_are_the_smallest_that_determine_everything(known: list[Law]) -> None:
    theory = Theory.of(NAMES, known)
    sets = [frozenset(some) for size in range(5) for some in combinations(NAMES, size)]
    strong = [some for some in sets if all(name in some or theory.implies(FD(some, name)) for name in NAMES)]
    smallest = {some for some in strong if not any(other < some for other in strong)}
    found = [*candidate_keys(theory.closures)]
    assert {*found} == smallest
    assert len(found) == len(smallest)


@pytest.mark.parametrize(
    ("known", "law"),
    [
        (["{a} -> b", "{b} -> c"], "{a} -> c"),
        (["{a} -> b", "key {b, c}"], "key {a, c}"),
        (["key {a}"], "{a} -> d"),
        (["{a} -> b"], "{a}: b asc ~ c desc"),
        (["{b}: c asc ~ d asc", "{a} -> b"], "{a}: c asc ~ d asc"),
        (["{}: a asc ~ b asc", "{b} -> a", "{}: b asc ~ c desc"], "{}: a asc ~ c desc"),
        (["{}: a asc ~ b desc", "{b} -> a", "{}: b asc ~ c desc"], "{}: a asc ~ c asc"),
        (["not(t.a = s.a and t.b != s.b)", "{b} -> c"], "a = => c ="),
        (["not(t.a < s.a and t.b > s.b)"], "{c}: a asc ~ b asc"),
        (["not(t.a < s.a and t.b >= s.b)"], "not(t.a < s.a and t.b > s.b and t.c = s.c)"),
        (["not(t.a > t.b)", "not(t.b > t.c)"], "not(t.a > t.c and t.b != s.b)"),
    ],
)
def test_laws_that_follow(known: list[str], law: str) -> None:
    theory = Theory.of(NAMES, map(parse, known))
    assert theory.implies(parse(law))
    assert not any(Theory.of(NAMES, [parse(one)]).implies(parse(law)) for one in known if len(known) > 1)


def test_a_chain_needs_its_condition() -> None:
    """a rises with b and b with c, but rows that agree on b may swap a and c."""
    theory = Theory.of(NAMES, map(parse, ["{}: a asc ~ b asc", "{}: b asc ~ c asc"]))
    assert not theory.implies(parse("{}: a asc ~ c asc"))


@examples(5)
@given(st.integers(1, 70))
def test_tables_of_many_columns(count: int) -> None:
    names = [f"c{number}" for number in range(count)]
    laws = [FD({one}, other) for one, other in pairwise(names)]
    theory = Theory.of(names, laws)
    assert theory.closure({names[0]}) == frozenset(names)
    assert theory.proof(FD({names[0]}, names[-1])) == tuple(laws) if count > 1 else True
    assert [*candidate_keys(theory.closures)] == [frozenset(names[:1])]
