"""`lawful check` as its users meet it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import lawful
from lawful.cli import main

PEOPLE = "id,zip,city\n1,0501,Oslo\n2,0501,Oslo\n3,0501,Olso\n4,0601,Rome\n"
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lawful", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def check(typed: Command) -> Command:
    return partial(typed, "check", "people.csv")


def test_exit_codes(check: Command) -> None:
    assert check("key {id}")[0] == 0
    assert check("key {id}", "{zip} -> city")[0] == 1
    assert check("{zip} -> city", "--max-error", "0.25")[0] == 0
    code, out, told = check("{zip} -> town")
    assert (code, out) == (2, "")
    assert (
        told
        == "lawful: '{zip} -> town' cannot be checked: there is no column 'town': " + told.split(": ")[-1]
    )


def test_groups_and_likely_wrong_rows(check: Command) -> None:
    _, out, _ = check("{zip} -> city", "--show", "id")
    assert "  zip = '0501': 3 rows\n    city = 'Oslo': 2 rows\n" in out
    assert "    city = 'Olso': 1 row, likely wrong, at 3 (id = 3)\n" in out
    assert out.endswith("4 rows: 0 laws hold, 1 fails\n")


def test_json(check: Command) -> None:
    code, out, _ = check("{zip} -> city", "--json")
    (law,) = json.loads(out)["laws"]
    assert code == 1
    assert law["error"] == {"pairs": 2, "share": 2 / 6, "rows": 3, "removals": 1}
    (group,) = law["violations"]["shown"]
    assert [(one["value"], one["likely_wrong"]) for one in group["values"]] == [
        ("Oslo", False),
        ("Olso", True),
    ]


CODED = [f"{number},{number % 8},L{number % 8}" for number in range(200)]


def _write_coded(*others: str) -> None:
    Path("people.csv").write_text("\n".join(["id,code,label", *CODED[: 200 - len(others)], *others]))


@pytest.mark.parametrize("kinds", ["key,fd,od", "key", "pod", "dc"])
def test_equivalent_columns_that_laws_do_not_name_are_checked(check: Command, kinds: str) -> None:
    _write_coded()
    found = lawful.discover("people.csv", kinds.split(","))
    assert not any("label" in law.columns for law in found)
    found.save("laws.json")
    assert check("laws.json")[0] == 0
    _write_coded("199,7,L6")
    code, out, _ = check("laws.json")
    assert code == 1
    assert "label = 'L6': 1 row, likely wrong, at 200" in out
    assert not lawful.check("people.csv", found).hold
    assert not found.check("people.csv").hold


def test_of_laws_that_were_chosen_no_others_are_checked(check: Command) -> None:
    _write_coded()
    chosen = lawful.discover("people.csv", all=True)[:1]
    few = chosen.with_facts(equivalents=lawful.discover("people.csv").facts.equivalents)
    assert [*map(str, few)] == ["key {id}"]
    _write_coded("199,7,L6")
    assert few.check("people.csv").hold


def test_laws_of_files(check: Command) -> None:
    Path("rules.txt").write_text("# of people\nkey {id}\n\n{zip} -> city\n")
    assert "1 law holds, 1 fails" in check("rules.txt")[1]
    Path("bad.txt").write_text("key {id}\nkey id\n")
    assert "line 2 of 'bad.txt'" in check("bad.txt")[2]


def test_violations_in_files(check: Command) -> None:
    for name in ("wrong.csv", "wrong.parquet", "wrong.jsonl"):
        assert check("{zip} -> city", "key {id}", "--violations", name, "--show", "id", "-q") == (1, "", "")
        told = check("{zip} -> city", "--violations", name)[2]  # over what lawful wrote
        assert told == f"wrote 3 lines on 1 law to {name}\n"
    lines = [json.loads(line) for line in Path("wrong.jsonl").read_text().splitlines()]
    tables = [csv.read_csv("wrong.csv"), parquet.read_table("wrong.parquet"), pa.Table.from_pylist(lines)]
    for table in tables:
        assert table.column("_row").to_pylist() == [1, 2, 3]
        assert table.column("city").to_pylist() == ["Oslo", "Oslo", "Olso"]
        assert table.column("_likely_wrong").to_pylist() == [False, False, True]


def test_nothing_else_is_written_over(check: Command) -> None:
    Path("mine.csv").write_text("a,b\n")
    assert "is what is read" in check("key {id}", "--violations", "people.csv", "--force")[2]
    assert "lawful did not write it" in check("key {id}", "--violations", "mine.csv")[2]
    assert check("key {id}", "--violations", "mine.csv", "--force")[::2] == (
        0,
        "wrote 0 lines on 0 laws to mine.csv\n",
    )
    assert "let its name end in" in check("key {id}", "--violations", "mine.xml")[2]


def test_laws_that_hold_almost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], check: Command
) -> None:
    words = [
        "discover",
        "people.csv",
        "--kinds",
        "fd",
        "--error",
        "0.25",
        "--min-bits",
        "0",
        "--out",
        "laws.json",
    ]
    monkeypatch.setattr(sys, "argv", ["lawful", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "{zip} -> city" in capsys.readouterr().out
    document = json.loads(Path("laws.json").read_text())
    assert (document["complete"], document["reason"]) == (True, None)
    found = {law["text"]: law for law in document["laws"]}
    assert found["{zip} -> city"]["error"]["removals"] == 1
    assert "{id} -> city" in found


def test_a_key_that_fails_is_no_fact(typed: Command) -> None:
    Path("days.csv").write_text("id,day\n" + "".join(f"{row},{row % 19}\n" for row in range(20)))
    out = typed("discover", "days.csv", "--kinds", "key", "--error", "0.1")[1]
    assert [line.split() for line in out.splitlines() if "key" in line] == [
        ["key", "{id}", "yes", "0", "0", "0", "fact"],
        ["key", "{day}", "almost", "1", "2", "1", "(5%)", "-"],
    ]
    found = json.loads(typed("discover", "days.csv", "--kinds", "key", "--error", "0.1", "--json")[1])
    assert [law["fact"] for law in found["laws"]] == [True, False]


def test_nothing_said_beside_an_error_goes_unheard(typed: Command) -> None:
    def told(*words: str) -> str:
        code, out, err = typed("discover", "people.csv", "--error", "0.3", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        return err

    assert "--state" in told("--state", "people.state")
    assert not Path("people.state").exists()
    assert "--resume" in told("--resume")
    assert "--sort" in told("--sort", "size")
    assert "--all-lines" in told("--all-lines")
    assert "no score" in told("--min-score", "0.1")
    assert "--state" in told("--counts")
    some = json.loads(
        typed(*("discover", "people.csv", "--error", "0.3", "--min-bits", "0", "--about", "city", "--json"))[
            1
        ]
    )
    assert all("city" in law["text"] for law in some["laws"])
    assert "{zip} -> city" in [law["text"] for law in some["laws"]]
