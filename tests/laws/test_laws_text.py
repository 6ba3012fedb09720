"""Text and JSON forms, by example."""

import json

import pytest

from lawful.errors import LawfulError
from lawful.laws import DC, FD, OD, POD, Cell, Key, Law, Predicate, Term, from_json, parse

LAWS: dict[str, Law] = {
    "key {}": Key(set()),
    "key {a, b}": Key({"b", "a"}),
    "{} -> a": FD(set(), "a"),
    "{a, b} -> c": FD({"a", "b"}, "c"),
    "{}: a asc ~ b desc": OD(set(), "a", "b", descending=True),
    "{c, d}: a asc ~ b asc": OD({"c", "d"}, "a", "b"),
    "=> a =": POD(set(), Term("a", "=")),
    "=> never": POD(set()),
    "a =, b = => never": POD({Term("a", "="), Term("b", "=")}),
    'a = => "never" <': POD({Term("a", "=")}, Term("never", "<")),
    "a >, b <= => c <": POD({Term("a", ">"), Term("b", "<=")}, Term("c", "<")),
    "not()": DC(set()),
    "not(t.a = s.a and t.b < s.b)": DC(
        {
            Predicate(Cell("t", "a"), "=", Cell("s", "a")),
            Predicate(Cell("t", "b"), "<", Cell("s", "b")),
        }
    ),
    "not(t.a != s.b and t.a < t.b and s.a >= s.b)": DC(
        {
            Predicate(Cell("t", "a"), "<", Cell("t", "b")),
            Predicate(Cell("t", "a"), "!=", Cell("s", "b")),
            Predicate(Cell("s", "a"), ">=", Cell("s", "b")),
        }
    ),
}


@pytest.mark.parametrize(("text", "law"), LAWS.items())
def test_text_and_law_belong_together(text: str, law: Law) -> None:
    assert str(law) == text
    assert parse(text) == law


@pytest.mark.parametrize("law", LAWS.values(), ids=str)
def test_json_is_plain_and_reads_back(law: Law) -> None:
    data = json.loads(json.dumps(law.to_json()))
    assert data["kind"] == law.kind
    assert data["text"] == str(law)
    assert from_json(data) == law


def test_json_has_the_parts_of_the_law() -> None:
    assert parse("a = => never").to_json() == {
        "kind": "pod",
        "text": "a = => never",
        "lhs": [{"column": "a", "operator": "="}],
        "rhs": None,
    }
    assert parse("{b, a} -> c").to_json() == {
        "kind": "fd",
        "text": "{a, b} -> c",
        "lhs": ["a", "b"],
        "rhs": "c",
    }
    assert parse("not(t.a < s.b)").to_json() == {
        "kind": "dc",
        "text": "not(t.a < s.b)",
        "predicates": [
            {
                "left": {"row": "t", "column": "a"},
                "operator": "<",
                "right": {"row": "s", "column": "b"},
            }
        ],
    }


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a, b -> c", "{b,a}->c"),
        ("{}: a ~ b", "{}: a asc ~ b asc"),
        ("{}: b desc ~ a desc", "{}: a asc ~ b asc"),
        ("{}: b asc ~ a desc", "{}: a asc ~ b desc"),
        ("not(s.a > t.a)", "not(t.a < s.a)"),
        ("not(t.b <= t.a)", "not(t.a >= t.b)"),
        ("not(t.a <= s.a and t.a != s.a)", "not(t.a < s.a)"),
        ("not(t.a <= s.a and s.a <= t.a)", "not(t.a = s.a)"),
        ("a<=,b==>c<", "a <=, b = => c <"),
        ('{"a"} -> "b"', "{a} -> b"),
        ("key > => not <", '"key" > => "not" <'),
        ("{key, not, and} -> asc", '{"key", "not", "and"} -> "asc"'),
    ],
)
def test_one_law_has_one_form(text: str, same: str) -> None:
    assert parse(text) == parse(same)
    assert str(parse(text)) == str(parse(same))


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("a >, b <= => c <", ["a >, b <= => c <", "a >, c >= => b >", "b <=, c >= => a <="]),
        ("a < => b =", ["a < => b ="]),  # b is on the right: no term has !=
        ("a =, b < => never", ["a = => b >="]),
        ("a =, b = => never", ["a =, b = => never"]),
        ("a >= => b <=", ["b > => a <", "a >= => b <="]),  # the strictest right side comes first
        ("=> never", ["=> never"]),
        ("a = => never <", ['a = => "never" <']),
    ],
)
def test_every_reading_of_a_pod_is_the_same_law(text: str, readings: list[str]) -> None:
    law = parse(text)
    assert isinstance(law, POD)
    assert [str(reading) for reading in law.readings()] == readings
    assert str(law) == readings[0]
    assert {parse(reading) for reading in readings} == {law}
    assert {POD(reading.lhs, reading.rhs) for reading in law.readings()} == {law}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain_1", "{} -> plain_1"),
        ("größe", "{} -> größe"),
        ("", '{} -> ""'),
        ("1st", '{} -> "1st"'),
        ("a.b c", '{} -> "a.b c"'),
        ('say "hi"', '{} -> "say ""hi"""'),
        ("desc", '{} -> "desc"'),
    ],
)
def test_names_are_quoted_where_needed(name: str, text: str) -> None:
    assert str(FD(set(), name)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column name but found the end at character 1"),
        ("{a", "expected '}' but found the end at character 3"),
        ("{a} => b", "expected '->' or ':' but found '=>' at character 5"),
        ("a b", "expected '->' but found 'b' at character 3"),
        ("key {a} b", "expected the end but found 'b' at character 9"),
        ("{a}: [] ~ b", "expected '->' but found '~' at character 9"),
        ("not(x.a = s.a)", "expected 't' or 's' but found 'x' at character 5"),
        ('not("t".a = s.a)', "expected 't' or 's' but found 't' at character 5"),
        ("a < b", "expected '=>' but found 'b' at character 5"),
        ("a ? b", "'?' has no meaning (names other than plain words need double quotes) at character 3"),
        (
            "not(t.age < 0)",
            "laws compare columns, not values (a column of that name needs double quotes) at character 13",
        ),
        ('"a', "a quoted name without its closing quote at character 1"),
        ("{a,\nb", "expected '}' but found the end at character 6"),
    ],
)
def test_errors_say_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(LawfulError) as caught:
        parse(text)
    assert str(caught.value) == f"cannot read the law {text!r}: {message}"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{a} -> a", "'a' occurs twice"),
        ("{a}: [] -> a", "'a' occurs twice"),
        ("{a}: a ~ b", "'a' occurs twice"),
        ("{b}: a ~ b", "'b' occurs twice"),
        ("{}: a ~ a", "'a' occurs twice"),
        ("a < => a <=", "'a' occurs twice"),
        ("a <, a <= => b <", "'a' occurs twice"),
        ("a != => b <", "has no '!='"),
        ("not(t.a < s.a and t.a > s.a)", "is never true"),
        ("not(t.a = t.a)", "compares a value with itself"),
    ],
)
def test_laws_of_trivial_form_are_refused(text: str, message: str) -> None:
    with pytest.raises(LawfulError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "lacks the field 'kind'"),
        ({"kind": "ind"}, "'ind' is no kind of law"),
        ({"kind": "fd", "lhs": ["a"]}, "lacks the field 'rhs'"),
        ({"kind": "fd", "lhs": "ab", "rhs": "c"}, "must hold a list, not 'ab'"),
        ({"kind": "key", "columns": [1]}, "must hold text, not 1"),
        ({"kind": "od", "context": [], "left": "a", "right": "b", "direction": "up"}, "no direction"),
        ({"kind": "pod", "lhs": ["a <"], "rhs": {}}, "must hold an object"),
        ({"kind": "pod", "lhs": []}, "lacks the field 'rhs'"),
        ({"kind": "pod", "lhs": [], "rhs": "a <"}, "must hold an object"),
        ({"kind": "pod", "lhs": [], "rhs": {"column": "a", "operator": "~"}}, "'~' is no operator"),
        (
            {
                "kind": "dc",
                "predicates": [{"left": {"row": "u", "column": "a"}, "operator": "=", "right": {}}],
            },
            "'u' is no row",
        ),
    ],
)
def test_broken_json_is_refused(data: dict[str, object], message: str) -> None:
    with pytest.raises(LawfulError, match=message):
        from_json(data)
