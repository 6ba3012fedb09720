"""States in folders: nothing is lost when a process is killed, nothing is changed by what does not fit."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from killed_changes import MOST, ROWS, batch_of
from pyarrow.csv import write_csv

import complete
import lawful
import naive
from changing_tables import laws_of
from lawful import LawfulError

PEOPLE = [
    {"id": 1, "zip": "0150", "city": "Oslo"},
    {"id": 2, "zip": "0151", "city": "Oslo"},
    {"id": 3, "zip": "5003", "city": "Bergen"},
]

KILLS = 20  # of each command, of processes that had changed something


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lawful.keep(PEOPLE, "key,fd", folder=tmp_path / "state")
    return tmp_path / "state"


@pytest.fixture(scope="module")
def killed_after() -> Iterator[Callable[[str, float, Path], int]]:
    """A function that lets a child change a state for some seconds, and tells how it ended."""
    program = [sys.executable, str(Path(__file__).with_name("killed_changes.py"))]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killer:
        assert killer.stdin is not None
        assert killer.stdout is not None
        to, back = killer.stdin, killer.stdout
        assert json.loads(back.readline())["rows"] == 2 * ROWS  # it is warm

        def run(command: str, seconds: float, path: Path) -> int:
            print(command, seconds, path, file=to, flush=True)
            return int(back.readline())

        yield run


@pytest.mark.slow
@pytest.mark.parametrize("command", ["insert", "delete", "watch"])
def test_a_killed_process_leaves_the_state_as_before_or_after(
    command: str, killed_after: Callable[[str, float, Path], int], tmp_path: Path
) -> None:
    """At twenty random moments or more, until twenty processes had changed something before they ended."""
    path, chance, batches = (
        tmp_path / "state",
        random.Random(command),
        [batch_of(k) for k in range(KILLS * MOST)],
    )
    start = batches if command == "delete" else [[{"id": -1, "zip": "9", "city": "9", "batch": -1}]]
    lawful.keep([row for batch in start for row in batch], "key,fd,od", folder=path)
    (tmp_path / "inbox").mkdir()
    for number, batch in enumerate(batches):
        write_csv(pa.Table.from_pylist(batch), tmp_path / "inbox" / f"{number:03}.csv")
    version, moved, longest = 0, 0, 0.05
    while moved < KILLS:
        assert killed_after(command, chance.uniform(0.0, longest), path) == signal.SIGKILL
        state = lawful.open_state(path)
        if state.version > version:
            moved, version = moved + 1, state.version
            longest /= 1.2
        else:
            longest *= 1.2  # a busy machine takes longer
            assert longest < 60
        rows = state.relation.rows(state.relation.row_ids)
        there = batches[version:] if command == "delete" else [*start, *batches[:version]]
        assert rows.to_pylist() == [row for batch in there for row in batch]
        assert laws_of(state) == set(complete.discover(rows, "key,fd,od"))
        assert [entry["version"] for entry in state.history()] == list(range(1, version + 1))


def test_what_does_not_fit_changes_nothing(folder: Path) -> None:
    state = lawful.open_state(folder)
    before = laws_of(state)
    for rows, why in (
        ([{"id": 4, "zip": "0152"}], "city"),
        ([{"id": 4, "zip": "0152", "city": "Oslo", "age": 7}], "age"),
        ([{"id": "four", "zip": "0152", "city": "Oslo"}], "four"),
    ):
        with pytest.raises(LawfulError, match=why):
            state.insert(rows)
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: state.delete([7]), "there is no row 7"),
        (lambda: state.delete(where="city = 'Paris'"), "there is no row with city = 'Paris'"),
        (lambda: state.delete(where="town = 'Paris'"), "town"),
        (lambda: state.delete(where="id = many"), "many"),
        (lambda: state.delete(rows=[{"id": 9, "zip": "0150", "city": "Oslo"}]), "there is no row with id 9"),
        (lambda: state.delete(), "say which rows"),
        (lambda: state.update(PEOPLE), "say which rows"),
        (lambda: state.insert(PEOPLE, way="magic"), "unknown way"),
        (lambda: state.insert(None), "None is no source"),
        (lambda: state.update(None, ids=[0]), "None is no source"),
        (lambda: state.insert(PEOPLE, min_bits=10), "only with a quarantine"),
    ]
    for call, why in calls:
        with pytest.raises(LawfulError, match=why):
            call()
    for one in (state, lawful.open_state(folder)):
        assert (one.version, one.n_rows, one.history()) == (0, 3, [])
        assert laws_of(one) == before


def test_rows_are_chosen_by_ids_values_and_conditions(folder: Path) -> None:
    state = lawful.open_state(folder)
    state.insert(PEOPLE[:1])
    assert state.delete(rows=PEOPLE[:1]).deleted.tolist() == [0]  # one of two that are the same
    chosen = state.delete(where="id >= 2 and city != 'Bergen' and city == 'Oslo'")
    assert chosen.deleted.tolist() == [1]
    assert state.update([{"id": 3, "zip": "5004", "city": "Bergen"}], on="id").deleted.tolist() == [2]
    assert state.relation.rows(state.relation.row_ids).column("zip").to_pylist() == ["0150", "5004"]
    assert state.delete([3, 4]).rows == 0


def test_a_row_that_is_not_there_is_told_in_plain_words() -> None:
    there = {"price": Decimal("1.50"), "sold": date(2024, 1, 2), "by": "Ann"}
    with pytest.raises(LawfulError, match=r"no row with price 1\.50, sold 2024-01-02, by 'Bob': nothing"):
        lawful.keep([there], "key").delete(rows=[{**there, "by": "Bob"}])


def test_conditions_mean_what_they_say_or_are_refused() -> None:
    rows = [{"n": 1, "city": "Oslo"}, {"n": 2, "city": "Rock and Roll"}, {"n": 3, "city": "O'Hara or Wien"}]
    rows += [{"n": 4, "city": None}]
    for condition, chosen in (
        ("city <> 'Oslo'", [1, 2]),
        ("city = 'Rock and Roll' and n = 2", [1]),
        ("city = 'O''Hara or Wien'", [2]),
        ('city="O\'Hara or Wien"and n >= 3', [2]),
        ("city is null", [3]),
        ("city IS  NOT null AND n < 3", [0, 1]),
        ('"city" = Oslo', [0]),
    ):
        assert lawful.keep(rows, "key").delete(where=condition).deleted.tolist() == chosen
    state = lawful.keep(rows, "key")
    for condition in (
        "city != 'Oslo' or n = 1",
        "city != Oslo or n = 1",
        "city != Oslo or Rome",
        "city != 'Oslo' 'Rome'",
        "city != 'Oslo' and",
        "city != 'Oslo' and true",
        "city in ('Oslo')",
        " ",
        "",
    ):
        with pytest.raises(LawfulError, match="no condition"):
            state.delete(where=condition)
    assert (state.version, state.n_rows) == (0, 4)


def test_a_batch_is_taken_in_once(folder: Path) -> None:
    state = lawful.open_state(folder)
    assert len(state.insert(PEOPLE[:1], batch="monday").inserted) == 1
    again = lawful.open_state(folder).insert(PEOPLE[:1], batch="monday")
    assert (len(again.inserted), again.rows, bool(again)) == (0, 4, False)


def test_laws_that_are_enforced_keep_rows_out(folder: Path, tmp_path: Path) -> None:
    state = lawful.open_state(folder)
    state.insert([{"id": 6, "zip": "0150", "city": "Oslo"}])  # a zip is no key
    rows = [{"id": 4, "zip": "0150", "city": "Bergen"}, {"id": 5, "zip": "7010", "city": "Trondheim"}]
    change = state.insert(rows, quarantine=tmp_path / "refused", batch="day 1")
    assert (change.rows, bool(change)) == (5, False)
    ((row, law, other),) = change.refused
    assert (row["id"], str(law)) == (4, "{zip} -> city")
    assert other in (0, 3)  # both have this zip
    (line,) = (tmp_path / "refused" / "day_1.jsonl").read_text().splitlines()
    assert json.loads(line) == {**rows[0], "law": "{zip} -> city", "other_row": other}


@pytest.mark.parametrize("seed", range(25))
def test_each_row_is_kept_out_that_breaks_a_law_with_one_that_is_in(seed: int, tmp_path: Path) -> None:
    """In their order: with all rows that were there, and with those of the batch that were let in before."""
    by = random.Random(seed)
    lines = [tuple(by.choice([None, 0, 1, 2, 3]) for _ in range(3)) for _ in range(by.randint(4, 24))]
    before = by.randint(3, len(lines) - 1)
    rows = [dict(zip("abc", line, strict=True)) for line in lines]
    state = lawful.keep(rows[:before], "key,fd,od")
    enforced, table, out = [*state.laws(all=True)], naive.Table(["a", "b", "c"], lines), set[int]()
    pairs = {pair for law in enforced for pair in naive.violations(law, table)}
    for row in range(before, len(lines)):
        partners = {min(pair) for pair in pairs if row == max(pair)}
        if partners - out:
            out.add(row)
    change = state.insert(rows[before:], quarantine=tmp_path)
    assert change.inserted.tolist() == [row for row in range(before, len(lines)) if row not in out]
    assert [one.row for one in change.refused] == [rows[row] for row in sorted(out)]
    assert {one.law for one in change.refused} <= {*enforced}


def test_a_quarantine_loses_nothing(tmp_path: Path) -> None:
    """Neither what another state has written there, nor the values of columns that are called as reasons."""
    refused, rows = tmp_path / "refused", [{"law": "a", "other_row": 1}, {"law": "b", "other_row": 2}]
    for other in (7, 8, 8):  # the last as after a crash
        state = lawful.keep(rows, "key")
        state.insert([{"law": "a", "other_row": other}], quarantine=refused)
    texts = [json.loads(path.read_text()) for path in sorted(refused.iterdir())]
    reason = {"_law": "key {law}", "_other_row": 0}
    assert sorted(texts, key=str) == [{"law": "a", "other_row": other, **reason} for other in (7, 8)]


def test_a_quarantine_that_cannot_be_written_changes_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    state = lawful.open_state(folder)
    with pytest.raises(LawfulError, match="choose another folder for the quarantine"):
        state.insert(PEOPLE[:1], quarantine=tmp_path / "file")
    assert (state.version, state.n_rows, lawful.open_state(folder).n_rows) == (0, 3, 3)


def test_laws_by_chance_need_not_be_enforced(tmp_path: Path) -> None:
    """The zip tells the city; that no two of these rows have the same steps and pulse is chance."""
    chance = np.random.default_rng(0)
    zips, steps, pulse = (chance.integers(0, most, 300) for most in (30, 1000, 400))
    table = {"zip": zips, "city": [f"city {zip // 3}" for zip in zips], "steps": steps, "pulse": pulse}
    state = lawful.keep(pa.table(table), ["key", "fd"], folder=tmp_path / "state")
    assert [*map(str, state.laws())] == ["{zip} -> city"]
    assert "key {pulse, steps}" in map(str, state.laws(all=True))
    first = state.relation.rows([0]).to_pylist()[0]
    moved, grown = {**first, "city": "elsewhere", "steps": 1001}, {**first, "zip": 31, "city": "city 31"}
    assert len(state.insert([moved, grown], quarantine=tmp_path / "refused").refused) == 2
    change = state.insert([moved, grown], quarantine=tmp_path / "refused", min_bits=10)
    assert [(one.row, str(one.law)) for one in change.refused] == [(moved, "{zip} -> city")]
    assert "key {pulse, steps}" in {str(law) for law, *_ in change.removed}
    assert [*map(str, state.laws())] == ["{zip} -> city"]


def test_ctrl_c_while_a_state_is_made_is_one_and_leaves_nothing(tmp_path: Path) -> None:
    columns = np.random.default_rng(0).integers(0, 2, (70, 1000))
    table = pa.table({f"c{number}": column for number, column in enumerate(columns)})
    with pytest.raises(KeyboardInterrupt):
        lawful.keep(
            table, "fd", folder=tmp_path / "state", on_progress=lambda _: signal.raise_signal(signal.SIGINT)
        )
    assert not (tmp_path / "state").exists()


def test_two_processes_take_turns(folder: Path) -> None:
    one, other = lawful.open_state(folder), lawful.open_state(folder)
    one.insert([{"id": 4, "zip": "0150", "city": "Bergen"}])
    change = other.insert([{"id": 5, "zip": "0152", "city": "Oslo"}])
    assert (change.version, change.rows) == (2, 5)
    with one._folder.locked(), pytest.raises(LawfulError, match="another process is changing"):
        other.delete([0])


@pytest.mark.parametrize("torn", [b'{"version": 2, "rela', b'{"version": 2\0\0\0}\n'])
def test_a_line_of_the_history_that_is_torn_does_not_count(torn: bytes, folder: Path) -> None:
    """As after a crash, or a power failure before the disk had all of it."""
    state = lawful.open_state(folder)
    state.insert([{"id": 4, "zip": "0152", "city": "Oslo"}])
    with (folder / "history.jsonl").open("ab") as file:
        file.write(torn)
    again = lawful.open_state(folder)
    assert (again.version, again.n_rows, len(again.history())) == (1, 4, 1)
    for one in (state, again):  # the one that was open all the time, too
        one.insert([{"id": 5 + one.version, "zip": "0152", "city": "Oslo"}])
    now = lawful.open_state(folder)
    assert (now.version, now.n_rows, len(now.history())) == (3, 6, 3)
    assert laws_of(now) == laws_of(again)


def test_folders_that_hold_something_else(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(LawfulError, match="holds a state already"):
        lawful.keep(PEOPLE, folder=folder)
    with pytest.raises(LawfulError, match="holds no state"):
        lawful.open_state(tmp_path / "nowhere")
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps({**state, "format": 99}))
    with pytest.raises(LawfulError, match="another version of lawful"):
        lawful.open_state(folder)


def test_a_law_that_held_long_comes_first(folder: Path) -> None:
    state = lawful.open_state(folder)
    state.insert(pa.table({"id": [4], "zip": ["0150"], "city": ["Oslo"]}))  # {city} -> nothing new
    change = state.insert([{"id": 4, "zip": "0151", "city": "Bergen"}])
    ages = [since for _, _, since in change.removed]
    assert ages == sorted(ages)
    assert ages[0] == 0
    assert "{zip} -> city" in [str(law) for law, _, _ in change.removed]
