"""Random series of changes: after each the laws are those of the oracle and of a search from scratch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lawful
import naive
from changing_tables import ChangingTable, check_counts, check_evidence, fresh_laws, laws_of
from lawful import costs
from lawful.changes import WAYS, breaking_pairs
from lawful.changes.kept_laws import KeptLaws
from lawful.engine import Engine
from lawful.evidence.batches import Rows
from lawful.halting import MEMORY
from lawful.laws import Law

BATCHES = 10
ORACLES: dict[str, Callable[[naive.Table], set[Any]]] = {
    "key,fd,od": lambda table: (
        naive.minimal_keys(table) | naive.minimal_fds(table) | naive.minimal_ods(table)
    ),
    "pod": naive.minimal_pods,
    "dc": naive.minimal_dcs,
}


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kinds", ORACLES)
def test_laws_follow_the_rows(kinds: str, way: str, nulls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    force(way, monkeypatch)
    follow(kinds, way, nulls)


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("kinds", ORACLES)
def test_tiles_behind_sieves(kinds: str, nulls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which long tables have."""
    monkeypatch.setattr(breaking_pairs, "SHORT", -1.0)
    monkeypatch.setattr(costs, "SIEVE_CHOICE_LAW", 0.0)
    monkeypatch.setattr(costs, "SIEVE_CHOICE_ROW", 0.0)
    force("tiles", monkeypatch)
    follow(kinds, "tiles", nulls)


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("kinds", ORACLES)
def test_searches_anew_of_long_tables(kinds: str, nulls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which validate in rounds, from the evidence that is left."""
    monkeypatch.setattr(costs, "LONG_KNOWN_TABLE", 0)
    monkeypatch.setattr(costs, "FIRST_SAMPLE", 4)
    monkeypatch.setattr(costs, "SHORT_TILES", -1.0)
    force("anew", monkeypatch)
    follow(kinds, "anew", nulls)


def test_the_way_that_costs_least_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking_pairs, "SHORT", -1.0)
    monkeypatch.setattr(costs, "WITH_EVIDENCE", np.nan)  # what it took is not known
    state = lawful.keep([{"a": number, "b": number // 2} for number in range(9)], "key,fd,od")
    monkeypatch.setattr(costs, "KNOWN_LAW", 1.0)
    assert state.insert([{"a": 9, "b": 4}]).way == "tiles"
    for name in ("INDEXED_ROW", "INDEXED_LAW", "GROUP_PROBE", "CHAIN_SEARCH", "LOOK"):
        monkeypatch.setattr(costs, name, 0.0)
    assert state.insert([{"a": 10, "b": 5}]).way == "probes"
    for name in ("KNOWN_LAW", "RANKED_VALUE"):
        monkeypatch.setattr(costs, name, -1.0)
    assert state.insert([{"a": 11, "b": 5}]).way == "anew"


def test_a_delete_without_memory_is_no_delete(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that finds no memory halts the others: what is left of the work is not all laws."""
    force("tiles", monkeypatch)
    random = np.random.default_rng(0)
    state = lawful.keep(
        [dict(zip("abcdef", row, strict=True)) for row in random.integers(0, 4, (60, 6)).tolist()]
    )
    before, engine = {*state.laws()}, KeptLaws._engine

    def halted(kept: KeptLaws, ids: Any = None) -> Engine:
        made = engine(kept, ids)
        made.work.halt[0] = MEMORY
        return made

    with monkeypatch.context() as patched:
        patched.setattr(KeptLaws, "_engine", halted)
        with pytest.raises(MemoryError):
            state.delete(range(20))
    assert state.n_rows == 60
    assert {*state.laws()} == before


def test_indexes_that_too_many_rows_have_passed_by_go_and_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking_pairs, "SHORT", -1.0)
    state = lawful.keep([{"a": number, "b": number // 2} for number in range(9)], "key,fd,od")
    (finder,), (family,) = state._kept.finders.values(), state._kept.families.values()
    family.seconds_a_row = -1.0
    assert state.insert([{"a": 9, "b": 4}], way="probes").way == "probes"
    monkeypatch.setattr(costs, "GROUP_PROBE", 1e3)
    assert state.insert([{"a": 10, "b": 1}]).way == "anew"
    assert finder._probes is None
    monkeypatch.setattr(costs, "GROUP_PROBE", -1.0)
    family.seconds_a_row = 1.0
    assert state.insert([{"a": 11, "b": 3}]).way == "tiles"  # indexes do not pay yet
    monkeypatch.setattr(costs, "INDEXED_ROW", 0.0)
    monkeypatch.setattr(costs, "INDEXED_LAW", 0.0)
    assert state.insert([{"a": 12, "b": 0}]).way == "probes"


@pytest.mark.parametrize("what", ["delete", "update"])
def test_rows_that_take_much_evidence_with_them_make_a_search(what: str) -> None:
    state = lawful.keep(
        [{"a": number, "b": number // 2, "c": number % 3} for number in range(90)], "key,fd,od"
    )
    few, many = range(1), range(1, 80)
    new = [{"a": 100, "b": 1, "c": 1}]
    assert state.delete(few).way == ""
    change = state.delete(many) if what == "delete" else state.update(new, ids=many)
    assert change.way == "anew"
    assert state.history()[-1]["way"] == "anew"


def test_a_search_that_spares_most_of_a_deletion_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking_pairs, "SHORT", -1.0)
    monkeypatch.setattr(costs, "WITH_EVIDENCE", np.nan)  # what it took is not known
    monkeypatch.setattr(costs, "KNOWN_LAW", 1e-6)
    state = lawful.keep([{"a": number, "b": number // 2} for number in range(9)], "key,fd,od")
    rows, new = Rows(state._kept.rows.ranks, state._kept.rows.alive), np.array([8])
    (finder,) = state._kept.finders.values()
    little, most = 0.1 * costs.MUCH_LOST, 0.9999 * costs.MUCH_LOST
    assert finder.chosen(rows, new, "auto") == finder.chosen(rows, new, "auto", most) == "tiles"  # few lines
    monkeypatch.setattr(costs, "MANY_LOST", 1e-3)
    assert finder.chosen(rows, new, "auto", little) == "tiles"
    assert finder.chosen(rows, new, "auto", most) == "anew"


@pytest.mark.parametrize("kinds", ORACLES)
def test_sets_are_searched_for_from_scratch(kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where many edges come or go at once."""
    monkeypatch.setattr(costs, "MANY_EDGES", 0)
    monkeypatch.setattr(costs, "MANY_EDGES_OF_COLUMNS", 0)
    force("tiles", monkeypatch)
    follow(kinds, "tiles", "equal")


def force(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rows that go never make a search, or always, if that is the way; unless any way will do."""
    if way != "auto":
        monkeypatch.setattr(costs, "MUCH_LOST", -1.0 if way == "anew" else 1.0)


def follow(kinds: str, way: str, nulls: str) -> None:
    """Change a table, and compare its state with the oracle after each change."""
    table = ChangingTable(WAYS.index(way) + 10 * len(kinds), 3 if kinds == "dc" else 4, nulls)
    table.add(table.draw(6))
    state = lawful.keep(
        table.arrow(list(table.rows.values())), kinds, cross_columns="off", **table.source_options()
    )
    for _ in range(BATCHES):
        before = laws_of(state)
        change = table.change(state, way)
        wanted: set[Law] = ORACLES[kinds](table.naive())
        assert laws_of(state) == wanted
        assert set(change.added) == wanted - before
        assert {law for law, _, _ in change.removed} == before - wanted
        assert sorted(state.relation.row_ids.tolist()) == sorted(table.rows)
        for law, rows, _ in change.removed:
            broken = not naive.holds(law, table.naive())
            assert (rows is not None) == broken
            if rows is not None:
                assert not naive.holds(
                    law,
                    naive.Table(
                        table.names,
                        [table.rows[row] for row in rows],
                        table.naive().ordered,
                        table.naive().nulls,
                    ),
                )
        check_evidence(state)
        check_counts(state, table)


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_are_compared_with_each_other(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    force(way, monkeypatch)
    table = ChangingTable(WAYS.index(way), 3, "equal")
    table.add(table.draw(6))
    rows = table.arrow(list(table.rows.values()))
    settings: dict[str, Any] = {"cross_columns": "all", "max_size": 3}
    state = lawful.keep(rows, "dc", **settings, **table.source_options())
    for _ in range(BATCHES):
        table.change(state, way)
        assert laws_of(state) == set(fresh_laws(table, "dc", **settings))


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("kinds", ORACLES)
def test_bits_of_laws_that_are_new_or_gone(kinds: str, nulls: str) -> None:
    """Those that searches from scratch tell: of the rows as they are, and as they were."""
    table = ChangingTable(len(kinds), 4, nulls)
    table.add(table.draw(8))
    settings: dict[str, Any] = {"cross_columns": "off"}
    rows = table.arrow(list(table.rows.values()))
    state, told = lawful.keep(rows, kinds, **settings, **table.source_options()), 0
    now = fresh_laws(table, kinds, **settings)
    for _ in range(BATCHES):
        change, before = table.change(state, "auto", bits=True), now
        now = fresh_laws(table, kinds, **settings)
        bits, bits_before = ({law: rating.bits for law, rating in laws.items()} for laws in (now, before))
        for law, worth in change.rated_added():
            assert worth.bits == pytest.approx(bits[law], abs=1e-6)
        for (law, _, _), worth in change.rated_removed():
            assert worth.bits == pytest.approx(bits_before[law], abs=1e-6)
        sure, sure_before = (set(laws.filter(min_bits=10)) for laws in (now, before))
        assert change.no_chance() == (len(sure_before - set(now)), len(sure - set(before)))
        chance = [worth.may_be_chance for _, worth in change.rated_removed()]
        assert chance == sorted(chance)  # what is no mere chance comes first
        told += len(chance)
    assert told


def test_a_state_opened_again_goes_on(tmp_path: Path) -> None:
    table = ChangingTable(5, 4, "equal")
    table.add(table.draw(6))
    rows, options = table.arrow(list(table.rows.values())), table.source_options()
    lawful.keep(rows, "key,fd,od,pod", folder=tmp_path / "state", **options)
    for number in range(BATCHES):
        state = lawful.open_state(tmp_path / "state")
        assert state.version == number
        table.change(state, "auto")
        assert laws_of(lawful.open_state(tmp_path / "state")) == set(fresh_laws(table, "key,fd,od,pod"))
    assert [entry["version"] for entry in state.history()] == list(range(1, BATCHES + 1))
