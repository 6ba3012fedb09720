"""Laws as a collection, and as tables, HTML and text."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from rich.console import Console

import complete
from examples import examples
from lawful import LawfulError
from lawful.laws import FD, OD, Key, Law
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Rating
from lawful.report.sentences import SHOWN
from lawful.report.tables import print_all_lines, print_laws

NAMES = ("b", "a", "c", "d")
RATED: list[tuple[Law, Rating]] = [
    (OD({"c"}, "a", "b", True), Rating(0.25, 40.0)),
    (FD({"a", "b"}, "c"), Rating(0.5, 0.0)),
    (Key({"a", "b"}), Rating(0.5, 12.5)),
    (OD(set(), "a", "b"), Rating(1.0, 3.0)),
    (FD(set(), "d"), Rating(1.0, 0.0)),
    (FD({"a"}, "b"), Rating(0.5, 0.0)),
    (Key({"c"}), Rating(0.125, 0.0)),
    (FD({"c"}, "b"), Rating(0.125, 30.0)),
]
IN_ORDER = [
    "key {c}",
    "key {a, b}",
    "{} -> d",
    "{c} -> b",
    "{a} -> b",
    "{a, b} -> c",
    "{c}: a asc ~ b desc",
    "{}: a asc ~ b asc",
]


def texts(laws: Sequence[Law]) -> list[str]:
    return [str(law) for law in laws]


@pytest.fixture
def laws() -> Laws:
    return Laws.of(NAMES, RATED, Facts(stats={"rows": 8, "columns": 4}, seconds={"discover": 0.5}))


def test_laws_come_by_kind_then_bits_then_score_then_size_and_facts_first(laws: Laws) -> None:
    assert texts(laws) == IN_ORDER
    assert len(laws) == len(IN_ORDER)
    assert dict(laws.items()) == dict(RATED)
    assert laws.sizes.tolist() == [law.size for law in laws]


@given(st.permutations(RATED))
def test_the_order_does_not_depend_on_how_laws_came(rated: list[tuple[Law, Rating]]) -> None:
    assert texts(Laws.of(NAMES, rated, Facts())) == IN_ORDER


@given(st.integers(-9, 8))
def test_places_are_those_of_a_list(place: int) -> None:
    laws = Laws.of(NAMES, RATED, Facts())
    if -len(laws) <= place < len(laws):
        assert str(laws[place]) == IN_ORDER[place]
    else:
        with pytest.raises(IndexError):
            laws[place]


@given(st.slices(8))
def test_slices_are_those_of_a_list(chosen: slice) -> None:
    laws = Laws.of(NAMES, RATED, Facts())
    part = laws[chosen]
    assert isinstance(part, Laws)
    assert texts(part) == IN_ORDER[chosen]
    assert part.scores.tolist() == laws.scores[chosen].tolist()
    assert part.bits.tolist() == laws.bits[chosen].tolist()


def test_membership_and_searching_are_by_what_a_law_says(laws: Laws) -> None:
    assert Key({"b", "a"}) in laws
    assert OD({"c"}, "b", "a", True) in laws
    assert OD({"c"}, "b", "a") not in laws
    assert Key({"a"}) not in laws
    assert Key({"unknown"}) not in laws
    text: object = "key {c}"
    assert text in laws, "as a law is written"
    assert laws.index(FD({"c"}, "b")) == 3
    assert texts(list(reversed(laws))) == IN_ORDER[::-1]


def test_counts_name_the_kinds_that_were_looked_for() -> None:
    assert Laws.of(NAMES, RATED, Facts()).counts == {"key": 2, "fd": 4, "od": 2}
    assert Laws.of(NAMES, RATED[:1], Facts()).counts == {"key": 0, "fd": 0, "od": 1}
    assert Laws.of(NAMES, RATED[1:2], Facts(kinds=("fd",))).counts == {"fd": 1}
    assert "2 key" in repr(Laws.of(NAMES, RATED, Facts()))
    cut_short = Laws.of(NAMES, RATED, Facts(complete=False, reason="time limit"))
    assert not cut_short.complete
    assert "incomplete (time limit)" in repr(cut_short)


@given(
    st.sampled_from([None, "key", "fd", "od"]),
    st.sampled_from([None, *NAMES]),
    st.sampled_from([None, 0, 1, 2, 3]),
    st.sampled_from([0.0, 0.25, 0.3, 1.0]),
    st.sampled_from([0.0, 10.0, 30.0, 100.0]),
)
def test_filters_choose_by_kind_column_size_score_and_bits(
    kind: str | None, column: str | None, max_size: int | None, min_score: float, min_bits: float
) -> None:
    laws = Laws.of(NAMES, RATED, Facts())
    facts = ("key {c}", "{} -> d")
    expected = [
        str(law)
        for law, (score, bits) in laws.items()
        if (kind is None or law.kind == kind)
        and (column is None or column in law.columns)
        and (max_size is None or law.size <= max_size)
        and score >= min_score
        and (bits >= min_bits or str(law) in facts)
    ]
    assert texts(laws.filter(kind, column, max_size, min_score, min_bits)) == expected


@pytest.mark.parametrize("unknown", [{"kind": "ind"}, {"kind": ""}, {"column": "e"}, {"column": "A"}])
def test_unknown_kinds_and_columns_are_refused(laws: Laws, unknown: dict[str, str]) -> None:
    with pytest.raises(LawfulError, match="choose among"):
        laws.filter(kind=unknown.get("kind"), column=unknown.get("column"))


BEST = [
    *("key {c}", "{} -> d", "{c}: a asc ~ b desc", "{c} -> b", "key {a, b}", "{}: a asc ~ b asc"),
    *("{a} -> b", "{a, b} -> c"),
]


@pytest.mark.parametrize("count", range(10))
def test_top_keeps_facts_and_the_most_bits_of_all_kinds(laws: Laws, count: int) -> None:
    best = laws.top(count)
    assert set(texts(best)) == set(BEST[:count])
    assert texts(best) == [text for text in IN_ORDER if text in texts(best)]


def test_top_by_something_else(laws: Laws) -> None:
    assert texts(laws.top(2, "score")) == ["{} -> d", "{}: a asc ~ b asc"]
    assert texts(laws.top(3, "size")) == ["key {c}", "{} -> d", "{c} -> b"]


def test_laws_are_sorted_within_their_kinds(laws: Laws) -> None:
    by_score = laws.sorted("score")
    assert texts(by_score) == [
        *("key {a, b}", "key {c}", "{} -> d", "{a} -> b", "{a, b} -> c", "{c} -> b"),
        *("{}: a asc ~ b asc", "{c}: a asc ~ b desc"),
    ]
    assert by_score.complete
    assert by_score.bits.tolist()[0] == 12.5
    assert texts(by_score.sorted("bits")) == IN_ORDER
    assert texts(laws.sorted("size")) == [*IN_ORDER[:6], "{}: a asc ~ b asc", "{c}: a asc ~ b desc"]
    with pytest.raises(LawfulError, match="cannot be sorted by 'name': choose among bits, score, size"):
        laws.sorted("name")


def test_top_of_less_than_none_is_refused(laws: Laws) -> None:
    with pytest.raises(LawfulError):
        laws.top(-1)


def test_more_than_64_columns_are_kept() -> None:
    names = [f"c{number}" for number in range(130)]
    rated: list[tuple[Law, Rating]] = [
        (Key({"c0", "c63", "c64", "c129"}), Rating(0.1, 1)),
        (FD({"c128", "c1"}, "c65"), Rating(0.2, 2)),
        (OD({"c64"}, "c129", "c3", True), Rating(0.3, 3)),
    ]
    laws = Laws.of(names, rated, Facts())
    assert dict(laws.items()) == dict(rated)
    assert texts(laws.filter(column="c64")) == [str(rated[0][0]), str(rated[2][0])]
    assert texts(laws.filter(column="c65")) == [str(rated[1][0])]


def test_laws_are_asked_for_by_text_and_printed(laws: Laws) -> None:
    texts: list[object] = [*map(str, laws)]
    assert all(text in laws for text in texts)
    assert "Functional dependencies" in str(laws)
    assert repr(laws).startswith("<Laws: ")


def test_no_laws_are_a_collection_too() -> None:
    empty = Laws.of(["a"], [], Facts())
    assert list(empty) == []
    assert list(empty.top(3)) == list(empty[:2]) == list(empty.filter(column="a")) == []
    assert empty.to_arrow().num_rows == len(empty.to_pandas()) == 0
    assert "0 keys" in empty._repr_html_()


FIELDS = ["kind", "text", "columns", "lhs", "rhs", "context", "size", "score", "bits", "fact"]


def expected_lines(laws: Laws) -> list[dict[str, object]]:
    return [
        {
            "kind": law.kind,
            "text": str(law),
            "columns": sorted(law.columns),
            "lhs": sorted(law.lhs) if isinstance(law, FD) else None,
            "rhs": law.rhs if isinstance(law, FD) else None,
            "context": sorted(law.context) if isinstance(law, OD) else None,
            "size": law.size,
            "score": score,
            "bits": bits,
            "fact": law.size == 1,
        }
        for law, (score, bits) in laws.items()
    ]


def test_laws_become_arrow_and_pandas_tables(laws: Laws) -> None:
    assert laws.to_arrow().to_pylist() == expected_lines(laws)
    table = laws.to_pandas()
    assert list(table.columns) == FIELDS
    assert table["text"].tolist() == IN_ORDER
    assert [list(columns) for columns in table["columns"]] == [sorted(law.columns) for law in laws]


def test_laws_become_spark_tables(laws: Laws, spark: SparkSession) -> None:
    lines = [row.asDict() for row in laws.to_spark(spark).collect()]
    assert sorted(lines, key=lambda line: line["text"]) == sorted(
        expected_lines(laws), key=lambda line: str(line["text"])
    )
    none = laws[:0].to_spark(spark)
    assert none.count() == 0
    assert none.columns == FIELDS
    assert dict(none.dtypes)["columns"] == "array<string>"


def test_html_escapes_names_and_tells_what_is_left_out() -> None:
    name = "<script>alert('x')</script> & \"co\""
    page = Laws.of(["<b>", name], [(FD({"<b>"}, name), Rating(1.0))], Facts())._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    many = [f"c{number}" for number in range(SHOWN + 5)]
    page = Laws.of(many, [(Key({column}), Rating(0.1)) for column in many], Facts())._repr_html_()
    assert page.count("<td") == 2 * SHOWN
    assert f"{SHOWN + 5} keys" in page
    incomplete = Laws.of([name], [], Facts(complete=False, reason="max <size>"))._repr_html_()
    assert "incomplete: max &lt;size&gt;" in incomplete


def printed(laws: Laws, terminal: bool, width: int = 200) -> str:
    out = io.StringIO()
    print_laws(laws, Console(file=out, force_terminal=terminal, width=width, no_color=True, highlight=False))
    return out.getvalue()


def test_terminals_and_pipes_get_the_first_laws_or_on_demand_all() -> None:
    names = [f"c{number}" for number in range(SHOWN + 7)]
    laws = Laws.of(names, [(Key({name}), Rating(0.0, 0.0)) for name in names], Facts())
    for terminal in (False, True):
        shown = printed(laws, terminal)
        assert sum(f"key {{{name}}}" in shown for name in names) == SHOWN
        assert "and 7 more: --out FILE keeps all, --all-lines prints all" in shown
        assert f"({SHOWN + 7})" in shown
        assert ("\x1b" in shown) == terminal
    out = io.StringIO()
    print_all_lines(laws, Console(file=out, width=200))
    assert all(f"  key {{{name}}}\n" in out.getvalue() for name in names)


def test_a_filtered_or_cut_collection_is_not_complete(laws: Laws) -> None:
    assert laws.complete
    for part in (
        laws.filter(max_size=1),
        laws.filter(min_score=0.3),
        laws.filter(min_bits=10),
        laws.top(2),
        laws[:3],
    ):
        assert 0 < len(part) < len(laws)
        assert not part.complete
        assert part.facts.reason == "filtered"
    assert laws.filter(min_score=0.0).complete
    keys = laws.filter(kind="key")
    assert keys.complete, "these are all keys"
    assert keys.counts == {"key": 2}
    assert not laws.filter(kind="dc").complete, "nobody has looked for them"


def test_a_rating_that_was_not_computed_is_a_dash_and_comes_last() -> None:
    laws = Laws.of(
        ["a", "b"], [(FD({"a"}, "b"), Rating(math.nan)), (FD({"b"}, "a"), Rating(0.1, 5.9))], Facts()
    )
    assert texts(laws) == ["{b} -> a", "{a} -> b"]
    lines = [line.split() for line in printed(laws, terminal=False).splitlines()]
    assert ["{b}", "->", "a", "5", "0.1"] in lines
    assert ["{a}", "->", "b", "-", "-"] in lines
    assert texts(laws.filter(min_score=0.05)) == texts(laws.filter(min_bits=5)) == ["{b} -> a"]


def test_a_printed_table_has_the_kinds_scores_and_a_summary(laws: Laws) -> None:
    for terminal in (False, True):
        text = printed(laws, terminal)
        places = [
            text.index(part)
            for part in ("Keys (2)", "Functional dependencies (3 and 1 constant)", "Order dependencies (2)")
        ]
        assert places == sorted(places)
        assert all(law in text for law in IN_ORDER if law != "{} -> d")
        assert "all rows have the same d" in text
        lines = [line.split() for line in text.splitlines()]
        assert ["key", "{c}", "fact"] in lines
        assert ["{c}", "->", "b", "30", "0.125"] in lines
        assert "8 rows x 4 columns: 2 keys, 4 functional dependencies, 2 order dependencies in 0.50 s" in text
    incomplete = Laws.of(NAMES, RATED[:1], Facts(complete=False, reason="time limit"))
    assert "(incomplete: time limit)" in printed(incomplete, terminal=False)
    assert "Keys (" not in printed(incomplete, terminal=False)


def test_names_are_printed_as_they_are_not_as_markup() -> None:
    for name in ("[bold]x[/bold]", "[/]", ":smile:", "[link=http://x]y"):
        laws = Laws.of([name], [(Key({name}), Rating(0.5))], Facts())
        assert name in printed(laws, terminal=False)
        assert name in printed(laws, terminal=True)


def test_a_narrow_terminal_folds_laws_and_loses_nothing() -> None:
    names = [f"column_{number}" for number in range(12)]
    text = printed(Laws.of(names, [(Key({*names}), Rating(0.5))], Facts()), terminal=True, width=40)
    assert all(name in text.replace("\n", "").replace(" ", "") for name in names[:2])
    assert "…" not in text


@examples(60)
@given(st.data())
def test_laws_and_objects_are_the_same_thing(data: st.DataObject) -> None:
    """What goes in comes out, whatever the names and their order."""
    names = data.draw(st.lists(st.text(max_size=4), min_size=3, max_size=6, unique=True))
    context = data.draw(st.sets(st.sampled_from(names[2:])))
    made: list[Law] = [
        Key(context),
        FD(context, names[0]),
        OD(context, names[0], names[1], data.draw(st.booleans())),
    ]
    laws = Laws.of(names, [(law, Rating(0.5)) for law in made], Facts())
    assert list(laws) == made
    assert all(law in laws for law in made)


def test_discovered_laws_carry_the_facts_of_their_search() -> None:
    laws = complete.discover(pa.table({"a": [1, 2, 3], "b": [1, 1, 2]}), ["od", "fd"], seed=5, workers=1)
    assert laws.names == ("a", "b")
    assert laws.complete
    assert laws.facts.reason is None
    assert laws.counts == {"fd": 1, "od": 1}
    assert texts(laws) == ["{a} -> b", "{}: a asc ~ b asc"]
    np.testing.assert_allclose(laws.scores, [0.0, 1.0])
    assert laws.facts.options["seed"] == 5
    assert {"rows": 3, "columns": 2}.items() <= laws.facts.stats.items()
    assert {"evidence", "validated", "refuted"} <= laws.facts.stats.keys()
    assert laws.facts.seconds["discover"] >= 0
    assert laws.facts.version
