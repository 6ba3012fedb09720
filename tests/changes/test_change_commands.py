"""The commands on states, as a user types them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.csv import write_csv
from typer.testing import CliRunner, Result

from lawful.cli import app
from lawful.datasets import employees

PEOPLE = "id,zip,city\n1,0150,Oslo\n2,0151,Oslo\n3,5003,Bergen\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    assert lawful("discover people.csv --kinds key,fd --state people.state").exit_code == 0
    return tmp_path


def lawful(line: str) -> Result:
    return CliRunner().invoke(app, line.split())


def test_insert_tells_which_law_broke_and_by_which_rows(place: Path) -> None:
    (place / "new.csv").write_text("id,zip,city\n4,0150,Bergen\n")
    shown = lawful("insert people.state new.csv").output
    assert "1 row inserted; 4 rows now, with 2 keys, 3 functional dependencies (" in shown
    assert "3 laws broke or follow from smaller ones now" in shown
    assert "{zip} -> city" in shown
    assert "zip=0150 city=Bergen" in shown
    assert "zip=0150 city=Oslo" in shown


def test_identical_rows_of_a_state_are_named_by_the_ids_that_delete_takes(place: Path) -> None:
    (place / "again.csv").write_text("id,zip,city\n3,5003,Bergen\n")
    lawful("insert people.state again.csv")
    lawful("delete people.state --ids 0")  # places in the table are no ids any more
    assert "no key: the rows with the ids 2 and 3 are identical" in lawful("laws people.state").stdout
    lawful("delete people.state --ids 3")
    assert "no two rows have the same id" in lawful("laws people.state").stdout


def test_a_change_tells_first_what_is_no_mere_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of laws by chance come and go with every batch: nobody can read them."""
    monkeypatch.chdir(tmp_path)
    staff = employees(420)
    write_csv(staff.slice(0, 400), "staff.csv")
    lawful("discover staff.csv --kinds key,fd,od --state staff.state")
    write_csv(staff.slice(400), "new.csv")
    shown = lawful("insert staff.state new.csv").output
    assert "No law of at least 10 bits is gone or new; of those that may be chance" in shown
    wrong = staff.slice(0, 1).to_pylist()[0]
    wrong["floor"] += 1
    write_csv(pa.Table.from_pylist([wrong], schema=staff.schema), "wrong.csv")
    shown = lawful("insert staff.state wrong.csv").output
    assert "{department} -> floor" in shown
    assert shown.index("key {id}") < shown.index("{department} -> floor")  # a fact
    assert "that may be chance: --all tells these" in shown
    assert "{department} -> floor  (versions 0 to 1" in lawful("history staff.state").output
    left = json.loads(lawful("delete staff.state --ids 420 --json").stdout)
    assert [law["text"] for law in left["added"] if law["fact"]] == ["key {id}", "key {name}"]
    assert {law["text"]: law["bits"] for law in left["added"]}["{department} -> floor"] > 100
    every = json.loads(lawful("insert staff.state wrong.csv --all --json").stdout)
    assert {law["bits"] for law in every["removed"]} == {None}


def test_json_of_changes(place: Path) -> None:
    (place / "new.csv").write_text("id,zip,city\n4,0150,Bergen\n")
    change = json.loads(lawful("insert people.state new.csv --json").stdout)
    broken = {law["text"]: law["rows"] for law in change["removed"]}
    assert sorted(broken["{zip} -> city"]) == [0, 3]
    assert (change["rows"], change["inserted"], change["counts"]["key"]) == (4, [3], 2)
    change = json.loads(lawful("delete people.state --ids 3 --json").stdout)
    assert "{zip} -> city" in [law["text"] for law in change["added"]]
    assert set(change) >= {"added", "removed", "counts", "rows", "seconds"}


def test_update_and_laws(place: Path) -> None:
    (place / "moved.csv").write_text("id,zip,city\n3,0150,Oslo\n")
    assert (
        "1 row inserted, 1 row deleted; 3 rows now" in lawful("update people.state moved.csv --on id").output
    )
    found = json.loads(lawful("laws people.state --all --json").stdout)
    assert "{} -> city" in [law["text"] for law in found["laws"]]
    assert found["complete"] is True


def test_options_of_a_command_join_those_of_the_state(place: Path) -> None:
    (place / "first.csv").write_text("id|note\n# by hand\n1|-\n2|x\n")
    (place / "next.csv").write_text("id;note\n# by hand\n1;-\n")
    assert lawful("discover first.csv --state s --comment # --null - --delimiter |").exit_code == 0
    assert "1 row inserted; 3 rows now" in lawful("insert s next.csv --delimiter ;").output
    shown = lawful("update s next.csv --on id --delimiter ;").output
    assert "1 row inserted, 2 rows deleted; 2 rows now" in shown
    assert json.loads(lawful("laws s --json").stdout)["nulls"] == {"note": 1}


def test_watch_takes_each_file_in_once(place: Path) -> None:
    inbox = place / "inbox"
    inbox.mkdir()
    (inbox / "a.csv").write_text("id,zip,city\n4,0152,Oslo\n")
    (inbox / "_b.csv").write_text("id,zip,city\n5,0153,Oslo\n")
    assert "a.csv: 1 row inserted" in lawful("watch people.state inbox --once").output
    assert lawful("watch people.state inbox --once").output == ""
    (inbox / "_b.csv").rename(inbox / "b.csv")
    assert "b.csv: 1 row inserted; 5 rows now" in lawful("watch people.state inbox --once").output
    shown = lawful("history people.state").output
    assert "insert a.csv" in shown
    assert "insert b.csv" in shown
    assert len(json.loads(lawful("history people.state --json").stdout)) == 2


UNFIT = {
    "columns.csv": ("id,zip\n4,0152\n", "city"),
    "damaged.parquet": ("PAR1 and no more", "damaged.parquet"),
    "empty.csv": ("", "empty"),
    "types.csv": ("id,zip,city\nfour,0152,Oslo\n", "four"),
}


def test_watch_leaves_files_that_do_not_fit(place: Path) -> None:
    inbox = place / "inbox"
    inbox.mkdir()
    for name, (text, _) in UNFIT.items():
        (inbox / name).write_text(text)
    (inbox / "fits.csv").write_text("id,zip,city\n4,0152,Oslo\n")
    result = lawful("watch people.state inbox --once")
    assert result.exit_code == 2
    assert "fits.csv: 1 row inserted; 4 rows now" in result.stdout
    told = result.stderr.strip().splitlines()
    assert len(told) == len(UNFIT)
    for line, (name, (_, why)) in zip(told, UNFIT.items(), strict=True):
        assert line.startswith(f"lawful: {name} is left: ")
        assert why in line
    assert sorted(path.name for path in inbox.iterdir()) == sorted([*UNFIT, "fits.csv"])
    assert len(json.loads(lawful("history people.state --json").stdout)) == 1


def test_watch_tries_a_file_again_when_it_has_changed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = place / "inbox"
    inbox.mkdir()
    (inbox / "a.csv").write_text("id,zip\n4,0152\n")

    def meanwhile() -> Iterator[None]:
        (inbox / "b.csv").write_text("id,zip,city\n4,0152,Oslo\n")
        yield
        yield  # nothing happens: a file that does not fit is told once
        (inbox / "a.csv").write_text("id,zip,city\n5,0153,Oslo\n")
        yield
        raise KeyboardInterrupt

    events = meanwhile()
    monkeypatch.setattr("time.sleep", lambda _: next(events))
    result = lawful("watch people.state inbox")
    assert result.exit_code == 130
    assert result.stderr.count("a.csv is left") == 1
    assert "b.csv: 1 row inserted; 4 rows now" in result.stdout
    assert "a.csv: 1 row inserted; 5 rows now" in result.stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("insert nowhere people.csv", "holds no state"),
        ("delete people.state --ids 3,x", "are no numbers"),
        ("delete people.state", "say which rows"),
        ("delete people.state --ids 9", "there is no row 9: ids are 0 to 2, "),
        ("watch people.state nowhere --once", "there is no folder"),
        ("watch people.state . --once --quarantine .", "would arrive again"),
        ("insert people.state people.csv --min-bits 10", "only with a quarantine"),
        ("discover people.csv --state people.state", "holds a state already"),
    ],
)
def test_errors_are_one_line(place: Path, line: str, why: str) -> None:
    result = lawful(line)
    assert result.exit_code == 2
    assert why in result.output
    assert len(result.output.strip().splitlines()) == 1
