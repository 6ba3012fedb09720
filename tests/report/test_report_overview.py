"""What is said of a table before its laws: nothing that is not proven, and not much."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
from rich.console import Console

from lawful.laws import FD, Law, parse
from lawful.report.collection import Facts, Laws
from lawful.report.overview import overview
from lawful.report.ratings import Rating
from lawful.report.sentences import SHOWN
from lawful.report.tables import print_all_lines, print_laws

ENOUGH = Rating(0.1, 50.0)


def laws_of(*laws: str | tuple[str, Rating], **facts: Any) -> Laws:
    """Laws over some columns, with enough bits unless another rating is given."""
    rated = [(parse(law), ENOUGH) if isinstance(law, str) else (parse(law[0]), law[1]) for law in laws]
    names = sorted({*"abcdefgh", *(name for law, _ in rated for name in law.columns)})
    return Laws.of(names, rated, Facts(**facts))


def said(*laws: str | tuple[str, Rating], **facts: Any) -> list[str]:
    return list(overview(laws_of(*laws, **facts)))


def printed(laws: Laws, top: int = SHOWN) -> list[str]:
    out = io.StringIO()
    print_laws(laws, Console(file=out, width=200, highlight=False), top)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_best_key_has_the_fewest_columns_then_the_most_bits() -> None:
    keys = [("key {a, b, c}", Rating(0, 99)), ("key {d, e}", Rating(0, 20)), ("key {f, g}", Rating(0, 30))]
    assert said(*keys) == ["no two rows have the same f and g"]
    assert said(*keys, ("key {h}", Rating(0, 0))) == ["no two rows have the same h"]


def test_a_key_that_may_be_chance_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawful.report.overview.MIN_BITS", 10.0)
    assert said(("key {a, b}", Rating(0, 9.9))) == ["no two rows have the same a and b, which may be chance"]
    assert said(("key {a, b}", Rating(0, 10))) == ["no two rows have the same a and b"]
    assert said(("key {a}", Rating(0, 0))) == ["no two rows have the same a"]
    assert said(("key {a, b}", Rating(0))) == ["no two rows have the same a and b"]


def test_why_there_is_no_key() -> None:
    same = {"rows": 3, "example": [2, 4], "nearest": [["a", "b"], ["c"]]}
    assert said(duplicates=same) == [
        "no key: rows 2 and 4 are identical, and 3 rows in all repeat others",
        "without repeated rows {a, b} or {c} would be a key",
    ]
    none: list[list[list[str]]] = [[], [[]]]
    for nearest in none:
        assert said(duplicates={**same, "rows": 1, "nearest": nearest}) == [
            "no key: rows 2 and 4 are identical"
        ]
    many = said(duplicates={**same, "nearest": [["a", "b", "c", "d", "e"]]})
    assert many[1:] == ["without repeated rows a key would take 5 columns"]
    assert said(complete=False, options={"max_size": 2}) == ["no key of at most 2 columns"]
    limited = {"max_size": 1, "min_bits": 10.0}
    assert said(complete=False, options=limited) == ["no key of at most 1 column and of at least 10 bits"]
    assert said(options={"min_bits": 10.0}) == [
        "no two rows are identical, but what tells them apart may be chance: --all finds such keys"
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"options": {"min_bits": 0.0}},
        {"options": {"min_bits": 10.0}, "complete": False, "reason": "time limit"},
        {"options": {"min_bits": 10.0}, "hidden": {"key": 2}},
        {"options": {"min_bits": 10.0}, "kinds": ("fd",)},
    ],
    ids=str,
)
def test_nothing_is_said_of_keys_that_were_not_looked_for(facts: dict[str, Any]) -> None:
    assert said(**facts) == []


def test_constants_are_one_line_and_not_in_the_table() -> None:
    laws = laws_of("{} -> b", "{} -> a", "{c} -> d")
    assert next(overview(laws)) == "all rows have the same a and b"
    lines = printed(laws)
    assert "- all rows have the same a and b" in lines
    assert "Functional dependencies (1 and 2 constants)" in lines
    assert not any("{} ->" in line for line in lines)
    assert any("{} -> a" in line for line in all_lines(laws))
    only = laws_of("{} -> b", kinds=("fd",))
    assert printed(only)[:3] == ["- all rows have the same b", "", "1 functional dependency"]
    names = [f"c{number:02}" for number in range(13)]
    many = Laws.of(names, [(FD(set(), name), Rating(1.0)) for name in names], Facts(kinds=("fd",)))
    line = "all rows have the same c00, c01, c02, c03, c04, c05, c06, c07, c08, c09 and 3 more columns"
    assert list(overview(many)) == [line]


def all_lines(laws: Laws) -> list[str]:
    out = io.StringIO()
    print_all_lines(laws, Console(file=out, width=200, highlight=False))
    return out.getvalue().splitlines()


def test_equivalent_columns_are_one_line() -> None:
    groups = (
        {"columns": ["exper", "expersq"], "reversed": [], "ordered": True},
        {"columns": ["a", "b b", "c"], "reversed": ["b b"], "ordered": True},
    )
    line = 'equivalent columns, of which laws name the first: exper <-> expersq, a <-> "b b" (reversed) <-> c'
    assert said(equivalents=groups, kinds=("fd",)) == [line]


def test_columns_that_follow_are_named_with_what_they_follow_from() -> None:
    assert said("{a} -> b", kinds=("fd",)) == ["b follows from a: it could be dropped"]
    assert said("{a} -> b", "{a} -> c", "{d, e} -> f", kinds=("fd",)) == [
        "b and c follow from a; f from d and e: they could be dropped"
    ]
    several = [f"{{x{number}}} -> y{number}" for number in range(5)]
    assert said(*several, kinds=("fd",)) == [
        "y0 follows from x0; y1 from x1; y2 from x2; 2 more columns from others: they could be dropped"
    ]


def test_no_column_is_dropped_for_a_law_that_few_rows_show() -> None:
    rare = ("{a} -> b", Rating(4.2e-05, 20))
    assert said(rare, kinds=("fd",), stats={"rows": 1000}) == []
    assert said(rare, kinds=("fd",), stats={"rows": 100_000}) == ["b follows from a: it could be dropped"]


def test_a_column_and_what_it_follows_from_are_not_both_dropped() -> None:
    both = [("{a} -> b", Rating(0.1, 60)), ("{b} -> a", Rating(0.1, 70))]
    assert said(*both, kinds=("fd",)) == ["a follows from b: it could be dropped"]
    circle = ["{a} -> b", "{b} -> c", "{c} -> a"]
    assert said(*circle, kinds=("fd",)) == ["a follows from c; b from a: they could be dropped"]


def test_the_shortest_law_of_a_column_is_named() -> None:
    laws = [("{a, b} -> d", Rating(0.1, 99)), ("{c} -> d", Rating(0.1, 20))]
    assert said(*laws, kinds=("fd",)) == ["d follows from c: it could be dropped"]


def test_columns_follow_from_what_determines_the_most() -> None:
    chain = [("{a} -> b", Rating(0.1, 90)), ("{b} -> c", Rating(0.1, 80))]
    assert said(*chain, "{a} -> c", "{a} -> d", "{c} -> b", kinds=("fd",)) == [
        "b, c and d follow from a: they could be dropped"
    ]


def test_nothing_follows_by_chance_or_from_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawful.report.overview.MIN_BITS", 10.0)
    for rating in (Rating(0.1, 9.9), Rating(0.1), Rating(0.0, 20.0), Rating(math.nan, 20.0)):
        assert said(("{a} -> b", rating), kinds=("fd",)) == []


def test_each_kind_begins_with_its_first_law_in_words() -> None:
    laws = laws_of(
        "key {a, b}",
        ("{c} -> d", Rating(0.1, 20)),
        ("{e} -> f", Rating(0.2, 12.9)),
        "{c}: a asc ~ b desc",
        "not(t.a > t.b)",
        kinds=("key", "fd", "od", "dc"),
        options={"min_bits": 10.0},
        stats={"rows": 9, "columns": 8},
    )
    assert printed(laws) == [
        "- no two rows have the same a and b",
        "- d follows from c; f from e: they could be dropped",
        "",
        "Keys (1)",
        "",
        " law          bits",
        " ─────────────────",
        " key {a, b}     50",
        "",
        "Functional dependencies (2)",
        "the first says: rows with the same c have the same d",
        "",
        " law        bits   score",
        " ───────────────────────",
        " {c} -> d     20     0.1",
        " {e} -> f     12     0.2",
        "",
        "Order dependencies (1)",
        "the first says: where c is the same, b falls as a rises",
        "",
        " law                   bits   score",
        " ──────────────────────────────────",
        " {c}: a asc ~ b desc     50     0.1",
        "",
        "Denial constraints (1)",
        "the first says: no row has a > b",
        "",
        " law              bits   score   states",
        " ──────────────────────────────────────",
        " not(t.a > t.b)     50     0.1",
        "",
        "9 rows x 8 columns: 1 key, 2 functional dependencies, 1 order dependency, 1 denial constraint "
        "of at least 10 bits; --all finds the others",
    ]
    assert [line for line in printed(laws, 1) if line.startswith(" ") and "law" not in line][1::2] == [
        " key {a, b}     50",
        " {c} -> d     20     0.1",
        " {c}: a asc ~ b desc     50     0.1",
        " not(t.a > t.b)     50     0.1",
    ]
    page = laws._repr_html_()
    for line in ("- no two rows have the same a and b", "the first says: no row has a &gt; b"):
        assert line in page
    assert '<td style="text-align:right">12</td><td style="text-align:right">0.2</td>' in page


def test_the_first_of_another_order() -> None:
    laws = laws_of(("{c} -> d", Rating(0.1, 20)), ("{e} -> f", Rating(0.2, 12)), kinds=("fd",))
    assert "the first says: rows with the same e have the same f" in printed(laws.sorted("score"))
    top = printed(laws.sorted("score"), top=1)
    assert any("{e} -> f" in line for line in top)
    assert "and 1 more: --out FILE keeps all, --all-lines prints all" in top


def test_every_line_has_bits_and_score() -> None:
    lines = [line.split() for line in all_lines(laws_of("key {a}", ("{c} -> d", Rating(0.25, 1234.5))))]
    assert ["fact", "0.1", "key", "{a}"] in lines
    assert ["1,234", "0.25", "{c}", "->", "d"] in lines


def test_denials_that_state_facts_are_facts() -> None:
    facts: list[Law] = [parse("not(t.a = s.a)"), parse("not(t.b != s.b)"), parse("not()")]
    others: list[Law] = [
        parse("not(t.a = s.b)"),
        parse("not(t.a > t.b)"),
        parse("not(t.a = s.a and t.c = s.c)"),
    ]
    laws = Laws.of("abc", [(law, Rating(0.5, 0.0)) for law in [*facts, *others]], Facts(kinds=("dc",)))
    assert set(laws.filter(min_bits=10)) == set(facts)
