"""Laws in files: what goes in comes out, rubbish is told, and nothing is left of a failure."""

from __future__ import annotations

import csv
import json
import math
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import complete
from examples import examples
from lawful import LawfulError
from lawful.laws import FD, OD, Key, Law, codec, parse
from lawful.report import collection
from lawful.report.collection import Facts, Laws
from lawful.report.law_files import check_writable
from lawful.report.ratings import Rating

ENDINGS = (".json", ".jsonl", ".csv", ".parquet")
NASTY = (
    *("", " ", "a b", 'quo"te', "it's", ",", ";", "\n", "\r\n", "\t", "\\", "\\n", "{}", "->", "a.b", "=1+1"),
    *("key", "not", "asc", "null", "1", "ß", "名", "🙂"),
    *("\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\ufeff", "\x00"),
)

SAME = {"columns": ["a", "b", "c"], "reversed": ["b"], "ordered": True}


@st.composite
def laws_with_facts(draw: st.DrawFn) -> Laws:
    """Laws over names that every format and every parser may stumble over."""
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    names = draw(st.lists(st.sampled_from(NASTY) | text, min_size=2, max_size=6, unique=True))
    contexts = st.frozensets(st.sampled_from(names[2:])) if names[2:] else st.just(frozenset[str]())
    kinds: st.SearchStrategy[Law] = st.one_of(
        st.builds(Key, contexts),
        st.builds(FD, contexts, st.sampled_from(names[:2])),
        st.builds(OD, contexts, st.just(names[0]), st.just(names[1]), st.booleans()),
    )
    scores = st.floats(0, 1) | st.sampled_from([1 / 3, 5e-324, 0.1 + 0.2])
    ratings = st.builds(Rating, scores, st.floats(0, 1e12))
    rated = draw(st.dictionaries(kinds, ratings, max_size=6))
    complete = draw(st.booleans())
    facts = Facts(
        complete=complete,
        reason=None if complete else "time limit",
        options={"kinds": ["key", "fd", "od"], "max_size": None, "min_score": 0.25},
        seconds={"read": 0.25, "discover": 1.5},
        stats={"rows": 10, "columns": len(names)},
        version="0.1",
        found=len(rated) + draw(st.integers(0, 3)),
        duplicates=draw(st.sampled_from([None, {"rows": 1, "example": [1, 2], "nearest": [["a", "b"]]}])),
        equivalents=draw(st.sampled_from([(), (SAME, {**SAME, "reversed": [], "ordered": False})])),
    )
    return Laws.of(names, rated.items(), facts)


@examples(120)
@given(laws=laws_with_facts())
def test_saved_laws_are_loaded_as_they_were(laws: Laws) -> None:
    for ending in ENDINGS:  # in one test: such laws take longer to draw than to save
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"laws{ending}"
            laws.save(path)
            again = Laws.load(str(path))
        assert list(again.items()) == list(laws.items())
        assert again.names == laws.names
        assert again.facts == laws.facts
        assert again.counts == laws.counts


@pytest.mark.parametrize("ending", ENDINGS)
def test_many_laws_are_written_in_portions(
    ending: str, laws: Laws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laws.save(tmp_path / f"together{ending}")
    for module in (codec, collection):
        monkeypatch.setattr(module, "AT_ONCE", 1)
    laws.save(tmp_path / f"one_by_one{ending}")
    assert len(laws) > 1
    if ending == ".parquet":
        together = parquet.read_table(tmp_path / "together.parquet")
        assert parquet.read_table(tmp_path / "one_by_one.parquet").equals(together)
    else:
        written = (tmp_path / f"one_by_one{ending}").read_bytes()
        assert written == (tmp_path / f"together{ending}").read_bytes()
    assert [*Laws.load(tmp_path / f"one_by_one{ending}").items()] == [*laws.items()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_kinds_that_were_not_looked_for_stay_out(ending: str, tmp_path: Path) -> None:
    Laws.of(["a"], [], Facts(kinds=("fd",))).save(tmp_path / f"laws{ending}")
    assert Laws.load(tmp_path / f"laws{ending}").counts == {"fd": 0}


@pytest.fixture
def laws() -> Laws:
    table = pa.table({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2], "c": [4, 3, 2, 1], "d": [1, 2, 1, 2]})
    return complete.discover(table)


def test_json_keeps_its_contract(laws: Laws, tmp_path: Path) -> None:
    laws.save(tmp_path / "laws.json")
    document = json.loads((tmp_path / "laws.json").read_text("utf-8"))
    assert document["complete"] is True
    assert document["counts"] == laws.counts
    assert set(document["counts"]) == {"key", "fd", "od"}
    assert [parse(law["text"]) for law in document["laws"]] == list(laws)
    for law, own, score in zip(document["laws"], laws, laws.scores.tolist(), strict=True):
        assert (law["kind"], law["text"], law["size"]) == (own.kind, str(own), own.size)
        assert law["score"] == score
    assert all(seconds >= 0 for seconds in document["seconds"].values())
    assert {"read", "discover"} <= document["seconds"].keys()
    assert {"rows": 4, "columns": 4}.items() <= document["stats"].items()
    assert {"evidence", "validated", "refuted"} <= document["stats"].keys()
    assert document["version"]
    assert document["options"]["min_score"] == 0.0
    assert document["columns"] == ["a", "b", "c", "d"]


def test_each_format_is_readable_by_others(laws: Laws, tmp_path: Path) -> None:
    expected = [(law.kind, str(law), law.size, *rating) for law, rating in laws.items()]
    for ending in ENDINGS:
        laws.save(tmp_path / f"laws{ending}")
    lines = (tmp_path / "laws.jsonl").read_text("utf-8").split("\n")
    found = [json.loads(line) for line in lines if line]
    assert [
        (law["kind"], law["text"], law["size"], law["score"], law["bits"]) for law in found if "kind" in law
    ] == expected
    with (tmp_path / "laws.csv").open(newline="", encoding="utf-8") as out:
        rows = [
            (r["kind"], r["text"], int(r["size"]), float(r["score"]), float(r["bits"]))
            for r in csv.DictReader(out)
        ]
    assert rows == expected
    table = parquet.read_table(tmp_path / "laws.parquet").to_pylist()
    assert [(law["kind"], law["text"], law["size"], law["score"], law["bits"]) for law in table] == expected


@pytest.mark.parametrize("ending", ENDINGS)
def test_saving_replaces_what_was_there(ending: str, laws: Laws, tmp_path: Path) -> None:
    path = tmp_path / f"laws{ending}"
    path.write_text("old")
    laws.save(path, force=True)
    first = {file.name for file in tmp_path.iterdir()}
    laws[:1].save(path)
    assert {file.name for file in tmp_path.iterdir()} == first
    assert first <= {path.name, "laws.facts.json"}
    assert list(Laws.load(path)) == list(laws[:1])


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Writing more fails, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_table_is_replaced_only_by_force(laws: Laws, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,city\n1,Oslo\n")
    with pytest.raises(LawfulError, match="lawful did not write it"):
        laws.save(path)
    assert path.read_text() == "id,city\n1,Oslo\n"
    laws.save(path, force=True)
    laws.save(path)
    assert [*Laws.load(path)] == [*laws]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(ending: str, laws: Laws, tmp_path: Path) -> None:
    path = tmp_path / f"laws{ending}"
    path.write_text("old")
    with files_of_at_most(10), pytest.raises(LawfulError, match="cannot write"):
        laws.save(path, force=True)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_place_that_cannot_be_written_is_told(ending: str, laws: Laws, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    (tmp_path / f"folder{ending}").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for place in (f"missing/laws{ending}", f"file/laws{ending}", f"folder{ending}"):
        for attempt in (laws.save, check_writable):
            with pytest.raises(LawfulError, match="cannot write"):
                attempt(tmp_path / place)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_csv_file_does_not_appear_without_its_facts(laws: Laws, tmp_path: Path) -> None:
    (tmp_path / "laws.facts.json").mkdir()
    for attempt in (laws.save, check_writable):
        with pytest.raises(LawfulError, match="cannot write"):
            attempt(tmp_path / "laws.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["laws.facts.json"]


def test_a_check_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "laws.json").write_text("")
    for ending in ENDINGS:
        check_writable(tmp_path / f"laws{ending}")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("laws.json", "")]


@pytest.mark.parametrize("name", ["laws", "laws.txt", "laws.json.gz", ".json", "laws."])
def test_unknown_endings_are_refused(name: str, laws: Laws, tmp_path: Path) -> None:
    for attempt in (laws.save, check_writable, Laws.load):
        with pytest.raises(LawfulError, match=r"\.json, \.jsonl, \.csv, \.parquet"):
            attempt(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_endings_may_be_in_capitals(laws: Laws, tmp_path: Path) -> None:
    laws.save(tmp_path / "LAWS.JSON")
    assert list(Laws.load(tmp_path / "LAWS.JSON")) == list(laws)


FACTS = {"complete": True, "counts": {"fd": 1}, "columns": ["a"]}
FD_A = {"kind": "fd", "text": "{} -> a", "lhs": [], "rhs": "a", "score": 1.0}
RUBBISH: list[Any] = [
    None,
    3,
    "laws",
    [],
    {},
    {"laws": []},
    {**FACTS, "laws": 3},
    {**FACTS, "laws": [3]},
    {**FACTS, "laws": [{"kind": "fd"}]},
    {**FACTS, "laws": [{**FD_A, "kind": "law"}]},
    {**FACTS, "laws": [{**FD_A, "rhs": "unknown"}]},
    {**FACTS, "laws": [{**FD_A, "score": "high"}]},
    {**FACTS, "laws": [{**FD_A, "score": 10**400}]},
    {**FACTS, "laws": [FD_A], "counts": 3},
    {**FACTS, "laws": [FD_A], "counts": {"law": 3}},
    {**FACTS, "laws": [FD_A], "columns": 3},
    {**FACTS, "laws": [FD_A], "columns": [["a"]]},
    {**FACTS, "laws": [{"kind": "pod", "lhs": [], "rhs": {"column": "a", "operator": "<"}, "score": 1}]},
]


def assert_refused(path: Path) -> None:
    with pytest.raises(LawfulError) as told:
        Laws.load(path)
    assert path.name in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("document", RUBBISH, ids=lambda document: json.dumps(document)[:60])
def test_json_that_is_no_file_of_laws_is_refused(document: Any, tmp_path: Path) -> None:
    (tmp_path / "laws.json").write_text(json.dumps(document))
    assert_refused(tmp_path / "laws.json")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"rubbish",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"{}",
        b'{"facts": 3}',
        b"PAR1PAR1",
        b"kind,text\n1,2\n",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_rubbish_is_refused(ending: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"laws{ending}"
    path.write_bytes(content)
    (tmp_path / "laws.facts.json").write_bytes(content)
    assert_refused(path)


@pytest.mark.parametrize("ending", ENDINGS)
@examples(60)
@given(data=st.data())
def test_damaged_files_are_refused_or_read(ending: str, data: st.DataObject) -> None:
    """Never another error, and what is read can be used."""
    facts = Facts(stats={"rows": 1, "columns": 2}, seconds={"discover": 0.5})
    made = Laws.of(["a", "b"], [(FD({"a"}, "b"), Rating(0.5)), (OD(set(), "a", "b"), Rating(1.0))], facts)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"laws{ending}"
        made.save(path)
        content = bytearray(path.read_bytes())
        if data.draw(st.booleans()):
            content = content[: data.draw(st.integers(0, len(content)))]
        else:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(content)
        try:
            laws = Laws.load(path)
        except LawfulError:
            return
    assert len(laws.to_arrow()) == len(laws)
    assert sum(laws.counts.values()) <= len(laws)
    assert laws._repr_html_()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_file_is_told(ending: str, tmp_path: Path) -> None:
    with pytest.raises(LawfulError, match="there is no file"):
        Laws.load(tmp_path / f"laws{ending}")


def test_a_csv_file_without_its_facts_is_told(laws: Laws, tmp_path: Path) -> None:
    laws.save(tmp_path / "laws.csv")
    (tmp_path / "laws.facts.json").unlink()
    with pytest.raises(LawfulError, match=r"laws\.facts\.json"):
        Laws.load(tmp_path / "laws.csv")


def test_a_parquet_file_of_something_else_is_refused(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "laws.parquet")
    assert_refused(tmp_path / "laws.parquet")


UNRATED = [(FD({"a"}, "b"), Rating(math.nan)), (FD({"b"}, "a"), Rating(0.5, 12.25))]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_rating_that_was_not_computed_stays_so(ending: str, tmp_path: Path) -> None:
    Laws.of(["a", "b"], UNRATED, Facts(kinds=("fd",))).save(tmp_path / f"laws{ending}")
    loaded = Laws.load(tmp_path / f"laws{ending}")
    for numbers, first in ((loaded.scores.tolist(), 0.5), (loaded.bits.tolist(), 12.25)):
        assert numbers[0] == first
        assert math.isnan(numbers[1])


def test_a_rating_that_was_not_computed_is_null(tmp_path: Path) -> None:
    laws = Laws.of(["a", "b"], UNRATED, Facts(kinds=("fd",)))
    assert [(law["score"], law["bits"]) for law in laws.to_arrow().to_pylist()] == [
        (0.5, 12.25),
        (None, None),
    ]
    laws.save(tmp_path / "laws.json")
    last = json.loads((tmp_path / "laws.json").read_text("utf-8"))["laws"][-1]
    assert (last["score"], last["bits"]) == (None, None)


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_from_before_there_were_bits_are_read(ending: str, tmp_path: Path) -> None:
    """As an older version wrote them."""
    path, facts = tmp_path / f"laws{ending}", {**FACTS, "reason": None}
    if ending == ".json":
        path.write_text(json.dumps({**facts, "laws": [FD_A]}))
    elif ending == ".jsonl":
        path.write_text(f"{json.dumps(FD_A)}\n{json.dumps({'facts': facts})}\n")
    elif ending == ".csv":
        path.write_text("kind,text,size,score\nfd,{} -> a,1,1.0\n")
        (tmp_path / "laws.facts.json").write_text(json.dumps(facts))
    else:
        table = pa.table({"text": ["{} -> a"], "score": [1.0]})
        parquet.write_table(table.replace_schema_metadata({b"lawful": json.dumps(facts).encode()}), path)
    loaded = Laws.load(path)
    assert [str(law) for law in loaded] == ["{} -> a"]
    assert loaded.scores.tolist() == [1.0]
    assert math.isnan(loaded.bits[0])
    assert loaded.facts.equivalents == ()
    check_writable(path)
