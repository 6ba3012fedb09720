"""Equality, order, mirror images and implication, by example."""

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from itertools import pairwise

import pytest

from lawful.laws import DC, FD, POD, parse
from lawful.laws.equivalents import simpler_form

EVERY_KIND = [
    "key {a}",
    "{a} -> b",
    "{a}: b asc ~ c desc",
    "a <= => b <",
    "not(t.a = s.a)",
]


@pytest.mark.parametrize(
    ("text", "kind", "columns", "size"),
    [
        ("key {a, b}", "key", "ab", 2),
        ("{a, b} -> c", "fd", "abc", 3),
        ("{a}: b asc ~ c asc", "od", "abc", 3),
        ("a <, b = => c <", "pod", "abc", 3),
        ("a <, b = => never", "pod", "ab", 2),
        ("not(t.a < s.b and t.c = t.d and t.e != s.e)", "dc", "abcde", 3),
    ],
)
def test_kind_columns_and_size(text: str, kind: str, columns: str, size: int) -> None:
    law = parse(text)
    assert (law.kind, law.columns, law.size) == (kind, set(columns), size)


@pytest.mark.parametrize("text", EVERY_KIND)
def test_laws_are_values(text: str) -> None:
    law = parse(text)
    assert {law, parse(text)} == {law}
    assert pickle.loads(pickle.dumps(law)) == law
    assert is_dataclass(law)
    for field in fields(law):
        with pytest.raises(FrozenInstanceError):
            setattr(law, field.name, None)


def test_laws_sort_by_size_then_kind_then_content() -> None:
    texts = [
        "key {}",
        "not()",
        "key {a}",
        "{} -> a",
        "{} -> b",
        "=> a <",
        "=> a =",
        "not(t.a < s.a)",
        "not(t.a != s.a)",
        "key {a, b}",
        "{a} -> b",
        "{b} -> a",
        "{}: a asc ~ b asc",
        "{}: a asc ~ b desc",
        "a < => b <",
        "a >= => b <",
    ]
    laws = [parse(text) for text in texts]
    assert sorted(set(laws)) == laws
    assert all(first < second and not second <= first for first, second in pairwise(laws))


def test_constant_ods_are_fds() -> None:
    assert parse("{a, b}: [] -> c") == FD({"a", "b"}, "c")


@pytest.mark.parametrize(
    ("text", "mirrored"),
    [
        ("{a} -> b", "{a} -> b"),
        ("a <, b >=, c = => d <=", "a >, b <=, c = => d >="),
        ("not(t.a < s.a and t.b != s.b)", "not(t.a > s.a and t.b != s.b)"),
        ("not(t.a < s.b)", "not(t.b > s.a)"),
        ("not(t.a < t.b)", "not(s.a < s.b)"),
    ],
)
def test_mirror_exchanges_the_rows(text: str, mirrored: str) -> None:
    assert parse(text).mirror() == parse(mirrored)
    assert parse(mirrored).mirror() == parse(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a <, b >= => c >", "a >, b <= => c <"),
        ("a > => c =", "a < => c ="),
        ("a =, b > => c =", "a =, b < => c ="),
        ("not(t.a > s.a)", "not(t.a < s.a)"),
        ("not(s.a < s.b)", "not(t.a < t.b)"),
        ("not(t.b < s.a)", "not(t.a > s.b)"),
    ],
)
def test_canonical_form_of_a_mirrored_pair(text: str, canonical: str) -> None:
    assert parse(text).canonical() == parse(text).mirror().canonical() == parse(canonical)


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("key {}", "key {a}"),
        ("key {a}", "key {a, b}"),
        ("{a} -> c", "{a, b} -> c"),
        ("{}: a asc ~ b desc", "{c}: a asc ~ b desc"),
        ("a > => c <", "a >, b <= => c <"),
        ("a <= => c <", "a = => c <"),
        ("a < => c <", "a < => c <="),
        ("a < => c =", "a < => c >="),
        ("a < => c <", "a > => c >="),
        ("a = => never", "a =, b < => c ="),
        ("=> never", "a = => never"),
        ("b >= => a >=", "a <, c = => b <"),
        ("not()", "not(t.a < s.a)"),
        ("not(t.a <= s.a)", "not(t.a < s.a and t.b = s.b)"),
        ("not(t.a != s.a)", "not(t.a > s.a)"),
        ("not(t.a < s.a)", "not(t.a > s.a and t.b = s.b)"),
        ("not(t.a < s.b)", "not(t.b > s.a and t.c = t.d)"),
    ],
)
def test_implication_goes_one_way(strong: str, weak: str) -> None:
    assert parse(strong).implies(parse(weak))
    assert not parse(weak).implies(parse(strong))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("{a} -> b", "{a} -> c"),
        ("{}: a asc ~ b asc", "{}: a asc ~ b desc"),
        ("a < => b <", "a > => b <"),
        ("a < => b =", "a < => b <"),
        ("not(t.a < s.a and t.b < s.b)", "not(t.a < s.a and t.b > s.b)"),
        ("not(t.a < s.b)", "not(t.b < s.a)"),
    ],
)
def test_no_implication(one: str, other: str) -> None:
    assert not parse(one).implies(parse(other))
    assert not parse(other).implies(parse(one))


@pytest.mark.parametrize(
    ("text", "denial"),
    [
        ("a >, b <= => c <", "not(t.a > s.a and t.b <= s.b and t.c >= s.c)"),
        ("a = => b =", "not(t.a = s.a and t.b != s.b)"),
        ("a =, b = => never", "not(t.a = s.a and t.b = s.b)"),
        ("=> never", "not()"),
    ],
)
def test_a_pod_is_a_denial_constraint(text: str, denial: str) -> None:
    pod, dc = parse(text), parse(denial)
    assert isinstance(pod, POD)
    assert isinstance(dc, DC)
    assert pod.as_dc() == dc
    assert dc.as_pod() == pod


@pytest.mark.parametrize(
    "text",
    ["not(t.a != s.a and t.b != s.b)", "not(t.a < s.b)", "not(t.a < t.b)", "not(t.a = s.a and s.b < s.c)"],
)
def test_not_every_denial_constraint_is_a_pod(text: str) -> None:
    law = parse(text)
    assert isinstance(law, DC)
    assert law.as_pod() is None


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("a =, b = => never", "key {a, b}"),
        ("a = => b =", "{a} -> b"),
        ("c =, a < => b <=", "{c}: a asc ~ b asc"),
        ("c =, a < => b >=", "{c}: a asc ~ b desc"),
        ("a < => b <", None),
    ],
)
def test_a_pod_may_state_a_simpler_law(text: str, simpler: str | None) -> None:
    assert simpler_form(parse(text)) == (None if simpler is None else parse(simpler))


@pytest.mark.parametrize("one", EVERY_KIND)
@pytest.mark.parametrize("other", EVERY_KIND)
def test_only_laws_of_one_class_imply_each_other(one: str, other: str) -> None:
    assert parse(one).implies(parse(other)) == (one == other)
