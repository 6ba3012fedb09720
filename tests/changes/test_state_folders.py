"""States in folders: nothing is lost when a process is killed, nothing is changed by what does not fit."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import complete
import lawful
from changing_tables import laws_of
from lawful import LawfulError

PEOPLE = [
    {"id": 1, "zip": "0150", "city": "Oslo"},
    {"id": 2, "zip": "0151", "city": "Oslo"},
    {"id": 3, "zip": "5003", "city": "Bergen"},
]

# Inserts numbered batches of rows, and deletes some rows after each, for ever.
CHANGER = """
import sys, lawful
state = lawful.open_state(sys.argv[1])
print("ready", flush=True)
number = len(state.batches)
while True:
    rows = [{"id": 100 * number + k, "zip": str(k), "city": str(k % 2), "batch": number} for k in range(5)]
    state.insert(rows, batch=f"batch-{number}")
    print("inserted", flush=True)
    state.delete(where=f"id = {100 * number + 3}")
    number += 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lawful.keep(PEOPLE, "key,fd", folder=tmp_path / "state")
    return tmp_path / "state"


@pytest.mark.slow
def test_a_killed_process_leaves_the_state_as_before_or_after(tmp_path: Path) -> None:
    path, chance = tmp_path / "state", random.Random(1)
    first = [{"id": -1, "zip": "9", "city": "9", "batch": -1}]
    lawful.keep(first, "key,fd,od", folder=path)
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", CHANGER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        for _ in range(chance.randint(0, 3)):
            assert child.stdout.readline() == b"inserted\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=chance.uniform(0.0, 0.05))
        child.kill()
        child.communicate()
        state = lawful.open_state(path)
        rows = state.relation.rows(state.relation.row_ids)
        assert set(laws_of(state)) == set(complete.discover(rows, "key,fd,od"))
        counts = Counter(rows.column("batch").to_pylist())
        done = {int(name.removeprefix("batch-")) for name in state.batches}
        assert counts.keys() == done | {-1}
        assert all(counts[batch] in (4, 5) for batch in done)
    assert state.version > 0  # something was done at all


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
    assert [(one.row["id"], str(one.law), one.other) for one in change.refused] == [(4, "{zip} -> city", 0)]
    (line,) = (tmp_path / "refused" / "day_1.jsonl").read_text().splitlines()
    assert json.loads(line) == {**rows[0], "law": "{zip} -> city", "other_row": 0}


def test_two_processes_take_turns(folder: Path) -> None:
    one, other = lawful.open_state(folder), lawful.open_state(folder)
    one.insert([{"id": 4, "zip": "0150", "city": "Bergen"}])
    change = other.insert([{"id": 5, "zip": "0152", "city": "Oslo"}])
    assert (change.version, change.rows) == (2, 5)
    with one._folder.locked(), pytest.raises(LawfulError, match="another process is changing"):
        other.delete([0])


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
