"""Calls as people type them: what is meant is done, or one clear error says what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import complete
import lawful
from lawful import LawfulError, Laws

TABLE = pa.table({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2], "c": ["x", "x", "x", "y"]})


@pytest.mark.parametrize("kinds", ["fd", "FD", " fd ", ["Fd"], ("fd",), {"fd"}])
def test_kinds_in_any_form(kinds: Any) -> None:
    assert list(complete.discover(TABLE, kinds)) == list(complete.discover(TABLE, ["fd"]))


def test_kinds_in_one_text() -> None:
    assert complete.discover(TABLE, "key, OD").counts == complete.discover(TABLE, ["key", "od"]).counts
    assert [*complete.stream(TABLE, "Key")] == [*complete.discover(TABLE, "key")]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kinds": "fds"}, "unknown kind of law 'fds': choose among key, fd, od, pod, dc"),
        ({"kinds": []}, "no kind of law asked for"),
        ({"kinds": None}, "None are no kinds of law: choose among key, fd, od, pod, dc"),
        ({"time_limit": "soon"}, "time-limit 'soon' is no amount: write it as in 90s, 5m or 1h"),
        ({"memory_limit": "4 bananas"}, "memory-limit '4 bananas' is no amount: write it as in 800MB or 4GB"),
        ({"max_sise": 3}, "there is no option 'max_sise': did you mean max_size?"),
        ({"nul": "NA"}, "there is no option 'nul': did you mean null?"),
        ({"error": 0.1}, r"there is no option 'error': lawful.approximate\(table, error\) finds such laws"),
        ({"zzz": 3}, r"there is no option 'zzz': help\(lawful.discover\) names those that there are"),
        ({"types": {"a": "zip"}}, "unknown type 'zip' for column 'a'"),
        ({"about": "d"}, "about: there is no column 'd'"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_one_clear_error(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(LawfulError, match=f"^{told}"):
        lawful.discover(TABLE, **wrong)


def test_a_column_may_be_named_by_its_text() -> None:
    table = [{"zip": 1, "z": 1}, {"zip": 2, "z": 1}]
    assert [*map(str, lawful.discover(table, "key", columns="zip", all=True))] == ["key {zip}"]
    assert [*map(str, lawful.discover(table, "key,fd", exclude="zip", all=True))] == ["{} -> z"]


def test_limits_in_words() -> None:
    laws = complete.discover(TABLE, time_limit="5m", memory_limit="20GB")
    assert laws.facts.options["time_limit"] == 300
    assert laws.facts.options["memory_limit"] == 20 << 30


def test_a_state_says_what_it_is(tmp_path: Path) -> None:
    state = lawful.keep(TABLE, "key", folder=tmp_path / "state")
    assert repr(state).startswith(f"<State {str(tmp_path / 'state')!r}: ")
    assert " key>" in repr(state)


def test_how_to_read_stands_beside_how_to_search(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a;b\n007;1\n7;1\nNA;2\n")
    laws = complete.discover(path, "key", types={"a": "string"}, null="NA", delimiter=";")
    assert [str(law) for law in laws] == ["key {a}"]
    options = lawful.SourceOptions(delimiter=";")
    assert complete.discover(path, "key", options=options, types={"a": "integer"}, null=["NA"]).counts == {
        "key": 0
    }


def test_tables_of_laws_have_the_sides_of_an_fd() -> None:
    table = complete.discover(TABLE).to_pandas()
    fds = table[table.kind == "fd"]
    assert (["a"], "b") in [(list(lhs), rhs) for lhs, rhs in zip(fds.lhs, fds.rhs, strict=True)]
    assert table[table.kind == "od"].context.notna().all()


def test_about_a_column() -> None:
    everything = complete.discover(TABLE)
    about = complete.discover(TABLE, about="b")
    assert list(about) == [law for law in everything if "b" in law.columns]
    assert set(complete.stream(TABLE, about="b")) == set(about)
    assert about.facts.hidden == {
        kind: count - about.counts[kind]
        for kind, count in everything.counts.items()
        if count > about.counts[kind]
    }
    assert not about.complete


def test_a_csv_that_holds_no_laws_is_told(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(LawfulError, match=r"people.csv' holds no laws that lawful wrote"):
        Laws.load(path)


def test_a_search_that_leaves_large_laws_out_says_up_to_which_size_it_has_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taxes = lawful.datasets.tax(300).select(["state", "salary", "rate"])
    everything = lawful.discover(taxes, ["dc"], cross_columns="off")
    assert everything.complete
    assert not any("left out" in note for note in everything.facts.notes)
    monkeypatch.setattr("lawful.costs.PATIENCE", 0)
    laws = lawful.discover(taxes, ["dc"], cross_columns="off")
    assert laws.facts.reason == "too many candidates"
    assert laws.facts.notes == (
        "all denial constraints of up to 2 comparisons are found; larger ones are left out",
    )
    assert set(laws) == {law for law in everything if str(law).count(" and ") < 2}
    assert len(laws) < len(everything)


def test_the_share_of_pairs_is_one_of_pairs_of_different_rows() -> None:
    """Of ten pairs of rows two agree on a."""
    table = pa.table({"a": [1, 1, 2, 2, 3], "b": [5, 5, 6, 6, 5], "c": [1, 2, 3, 4, 5]})
    scores = {str(law): rating.score for law, rating in complete.discover(table, "key,fd").items()}
    assert scores["{a} -> b"] == 0.2
    assert scores["key {c}"] == 0.0


def test_a_search_for_dcs_tells_of_nulls() -> None:
    table = pa.table({"starts": [1, 2, 5, 6], "ends": [3, None, 8, 7]})
    laws = complete.discover(table, "dc", max_size=1)
    assert laws.facts.notes[0].startswith("NULLs in ends are less than every value")
    assert "not(t.ends <= t.starts)" not in map(str, laws)
    distinct = complete.discover(table, "dc", max_size=1, nulls="distinct")
    assert distinct.facts.notes == ()
    assert "not(t.ends <= t.starts)" in map(str, distinct)
    assert complete.discover(table, "fd").facts.notes == ()


def test_two_of_very_many_columns_are_compared_only_if_asked() -> None:
    wide = pa.table({f"c{number}": [1, 2] for number in range(101)})
    laws = complete.discover(wide, "dc", max_size=1)
    assert laws.facts.notes[0].startswith("DCs compare no two of more than 100 columns")
    assert laws.counts == {"dc": 101}
    some = complete.discover(wide, "dc", max_size=1, columns=["c0", "c1"])
    assert some.facts.notes == ()
    assert "not(t.c0 != t.c1)" in map(str, some)
