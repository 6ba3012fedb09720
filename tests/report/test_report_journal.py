"""A file that grows with the laws, and from which a search that was ended goes on: every law once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import complete
import lawful
from examples import examples
from lawful import LawfulError, Laws, Relation, datasets
from lawful.costs import LONG_TABLE
from lawful.discovery import DEFAULT_KINDS, Journal, Progress, Search, space_of
from lawful.engine import Threads
from lawful.laws import KINDS
from lawful.table.ranked import ranked
from lawful.table.workspace import Workspace

TABLE = datasets.employees(200)


def chance(columns: int, rows: int, values: int, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed).integers(0, values, (columns, rows))
    return pa.table({f"c{number}": column for number, column in enumerate(random)})


def journal_of(relation: Relation, path: Path, **options: Any) -> bytes:
    """What the file of a search holds that was killed just before its end."""
    search = complete.options(**options)
    space = space_of(relation, search)
    journal = Journal(path, relation, search, space.codec)
    engine = Threads(Workspace(ranked(relation)), 1)
    for _ in Search(engine, space, search, journal=journal).laws():
        pass
    journal.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


@examples(100)
@given(
    st.integers(2, 5),
    st.integers(0, 12),
    st.integers(0, 99),
    st.sampled_from([DEFAULT_KINDS, ("od",), ("key", "od"), ("fd",), KINDS, ("dc",)]),
    st.sampled_from([{}, {"max_size": 2}, {"min_score": 0.2}]),
    st.tuples(st.booleans(), st.booleans()),
    st.floats(0, 1),
)
def test_a_search_killed_anywhere_goes_on_to_the_same_laws(
    scratch: Path,
    columns: int,
    rows: int,
    seed: int,
    kinds: tuple[str, ...],
    options: dict[str, Any],
    deepening: tuple[bool, bool],
    end: float,
) -> None:
    relation = lawful.read(chance(columns, rows, 3, seed))
    out = scratch / "laws.jsonl"
    options = {**options, "cross_columns": "off"}  # or there would be no end of DCs
    limits: list[dict[str, Any]] = [{"time_limit": 1e6} if deepens else {} for deepens in deepening]
    whole = journal_of(relation, out, kinds=kinds, **options, **limits[0])
    out.write_bytes(whole[: int(end * len(whole))])
    laws = complete.discover(relation, kinds, out=out, resume=True, **options, **limits[1])
    expected = complete.discover(relation, kinds, **options)
    assert list(laws.items()) == list(expected.items())
    assert laws.facts.reason == expected.facts.reason
    assert list(Laws.load(out).items()) == list(expected.items())


@dataclass(frozen=True)
class Learning:
    """A search that learns from its rows much that its sample did not teach it, and what comes of it."""

    relation: Relation
    long: int
    limit: dict[str, Any]
    journal: bytes
    laws: Laws


def learn_much(patch: pytest.MonkeyPatch, long: int) -> None:
    patch.setattr("lawful.costs.LONG_TABLE", long)
    patch.setattr("lawful.costs.SMALL_ROWS", 0)
    patch.setattr("lawful.costs.FIRST_SAMPLE", 4)


@pytest.fixture(scope="module", params=[{}, {"time_limit": 1e6}], ids=["all at once", "deepening"])
def limit(request: pytest.FixtureRequest) -> dict[str, Any]:
    chosen: dict[str, Any] = request.param
    return chosen


@pytest.fixture(scope="module", params=[0, LONG_TABLE], ids=["in rounds", "fused"])
def learning(request: pytest.FixtureRequest, scratch: Path, limit: dict[str, Any]) -> Learning:
    relation = lawful.read(chance(8, 800, 9))
    with pytest.MonkeyPatch.context() as patch:
        learn_much(patch, request.param)
        journal = journal_of(relation, scratch / "whole.jsonl", **limit)
        return Learning(relation, request.param, limit, journal, complete.discover(relation, **limit))


@pytest.mark.parametrize("end", [0.1, 0.4, 0.7, 0.95])
def test_a_search_that_learned_much_goes_on_to_the_same_laws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learning: Learning, end: float
) -> None:
    """What the rows taught the search that was killed is not in its file."""
    learn_much(monkeypatch, learning.long)
    out = tmp_path / "laws.jsonl"
    assert learning.journal.count(b'"settled"') > 1
    out.write_bytes(learning.journal[: int(end * len(learning.journal))])
    laws = complete.discover(learning.relation, out=out, resume=True, **learning.limit)
    assert list(laws.items()) == list(learning.laws.items())
    if not learning.limit and end > 0.9:
        assert laws.facts.stats["validated"] < learning.laws.facts.stats["validated"]


@pytest.mark.parametrize("long", [0, LONG_TABLE])
def test_what_is_settled_is_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: dict[str, Any], long: int
) -> None:
    monkeypatch.setattr("lawful.costs.LONG_TABLE", long)
    relation = lawful.read(TABLE)
    journal_of(relation, tmp_path / "laws.jsonl", **limit)
    laws = complete.discover(relation, out=tmp_path / "laws.jsonl", resume=True, **limit)
    assert laws.facts.stats["validated"] == 0
    assert list(laws.items()) == list(complete.discover(relation).items())


def test_the_file_grows_with_the_laws(tmp_path: Path) -> None:
    out = tmp_path / "laws.jsonl"
    seen: list[tuple[int, int]] = []

    def look(progress: Progress) -> None:
        kinds = [json.loads(line).get("kind") for line in out.read_text().splitlines()]
        seen.append((progress.found, sum(kind is not None for kind in kinds)))

    laws = complete.discover(chance(12, 200, 4), DEFAULT_KINDS, out=out, on_progress=look)
    assert len({found for found, _ in seen}) > 2
    assert all(found == written for found, written in seen)
    assert list(Laws.load(out).items()) == list(laws.items())


def test_an_interrupted_search_goes_on_from_its_result(tmp_path: Path) -> None:
    """The file holds a result that can be loaded, and what is settled beside it."""
    relation, out = lawful.read(chance(12, 200, 4)), tmp_path / "laws.jsonl"
    pressed: list[int] = []

    def press(progress: Progress) -> None:
        if progress.found and not pressed:
            pressed.append(progress.found)
            os.kill(os.getpid(), signal.SIGINT)

    some = complete.discover(relation, out=out, on_progress=press)
    assert some.facts.reason == "interrupted"
    assert list(Laws.load(out).items()) == list(some.items())
    fresh = complete.discover(relation)
    rest = complete.discover(relation, out=out, resume=True)
    assert list(rest.items()) == list(fresh.items())
    assert rest.facts.stats["validated"] < fresh.facts.stats["validated"]
    assert list(Laws.load(out).items()) == list(fresh.items())


def test_a_missing_or_finished_file_starts_a_new_search(tmp_path: Path) -> None:
    out = tmp_path / "laws.jsonl"
    for _ in range(2):
        assert list(complete.discover(TABLE, out=out, resume=True)) == list(complete.discover(TABLE))


def test_an_unfinished_file_is_no_result(tmp_path: Path) -> None:
    out = tmp_path / "laws.jsonl"
    journal_of(lawful.read(TABLE), out)
    with pytest.raises(LawfulError, match="its search has not ended"):
        Laws.load(out)


@pytest.mark.parametrize(
    ("table", "options", "what"),
    [
        (datasets.employees(199), {}, "rows"),
        (TABLE.rename_columns([f"c{n}" for n in range(TABLE.num_columns)]), {}, "columns"),
        (TABLE.slice(1).combine_chunks(), {}, "rows"),
        (TABLE, {"max_size": 3}, "options"),
        (TABLE, {"kinds": ("key",)}, "options"),
    ],
    ids=str,
)
def test_another_search_is_not_taken_up(
    tmp_path: Path, table: pa.Table, options: dict[str, Any], what: str
) -> None:
    out = tmp_path / "laws.jsonl"
    before = journal_of(lawful.read(TABLE), out)
    with pytest.raises(LawfulError, match=f"is of a search with other {what}: resume with the same table"):
        complete.discover(table, out=out, resume=True, **options)
    assert out.read_bytes() == before


def test_only_json_lines_can_be_resumed(tmp_path: Path) -> None:
    for out in (None, tmp_path / "laws.json"):
        with pytest.raises(LawfulError, match=r"only a search that writes a \.jsonl file can be resumed"):
            complete.discover(TABLE, out=out, resume=True)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    out = tmp_path / "laws.jsonl"
    lines = journal_of(lawful.read(TABLE), out).splitlines(keepends=True)
    out.write_bytes(b"".join([*lines[:5], b"rubbish\n", *lines[5:]]))
    with pytest.raises(LawfulError, match="is damaged"):
        complete.discover(TABLE, out=out, resume=True)


@pytest.mark.slow
def test_a_command_killed_in_mid_search_goes_on(tmp_path: Path) -> None:
    """kill -9, as soon as half of the targets are settled."""
    table, out = tmp_path / "table.csv", tmp_path / "laws.jsonl"
    pa.csv.write_csv(chance(13, 250, 4), table)
    words = ["discover", str(table), "--all", "--out", str(out), "--workers", "1"]
    command = [sys.executable, "-m", "lawful", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        while not out.exists() or out.read_bytes().count(b'{"settled"') < 3:
            assert running.poll() is None, "the search was over too soon"
            time.sleep(0.01)
        running.kill()
    assert b'"facts"' not in out.read_bytes()
    # As JSON, because a table of so many laws takes longer than the search.
    done = subprocess.run([*command, "--resume", "--json"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    fresh = complete.discover(chance(13, 250, 4))
    resumed = Laws.load(out)
    assert list(resumed.items()) == list(fresh.items())
    assert resumed.complete
    assert resumed.facts.stats["validated"] < fresh.facts.stats["validated"]
