"""The examples of the documentation, run."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import lawful
from lawful import datasets
from lawful.cli import main
from test_cli import COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
WITH_EXAMPLES = [page for page in PAGES if ">>>" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_examples_do_what_they_say(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


def test_the_package_s_own_example() -> None:
    result = doctest.testmod(lawful)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    targets = [part.split(")")[0] for part in text.split("](")[1:]]
    assert [target for target in targets if "://" not in target and not leads_somewhere(target, page)] == []


def test_the_site_has_every_page() -> None:
    """`make docs` builds it; a hook adds the two pages of the project's folder."""
    nav = re.findall(r": (\w+\.md)\b", (ROOT / "mkdocs.yml").read_text("utf-8"))
    pages = [page.name for page in (ROOT / "docs").glob("*.md")]
    assert sorted(nav) == sorted([*pages, "index.md", "changelog.md"])


def test_the_reference_has_every_name() -> None:
    named = re.findall(r"^::: lawful\.(\w+)$", (ROOT / "docs/api.md").read_text("utf-8"), re.M)
    assert sorted(named) == sorted(lawful.__all__)


def leads_somewhere(target: str, page: Path) -> bool:
    path, _, section = target.partition("#")
    there = page.parent / path if path else page
    return there.exists() and (not section or section in sections(there))


def sections(page: Path) -> set[str]:
    """What leads to each heading of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    ("page", "commands"),
    [
        ("README.md", 5),
        ("docs/changes.md", 3),
        ("docs/check.md", 7),
        ("docs/using.md", 8),
    ],
)
def test_commands_print_what_a_page_shows(
    page: str, commands: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are shown with their output; `cat` shows the files, and the survey is one of our own."""
    monkeypatch.chdir(tmp_path)
    csv.write_csv(datasets.survey(), "survey.csv")
    make_staff()
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    shown = [
        part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.M) if part
    ]
    tried = 0
    for command, _, output in shown:
        program, *words = shlex.split(command, comments=True)
        if program == "cat":
            (tmp_path / words[0]).write_text(output)
        elif program == "lawful" and (output or "--quiet" in words):
            monkeypatch.setattr("sys.argv", ["lawful", *words])
            with contextlib.redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
                main()
            assert re.sub(r"(in |\()\d+\.?\d* s", r"\g<1>0.01 s", out.getvalue()) == output
            tried += 1
    assert tried == commands


def commands_of(page: Path) -> list[list[str]]:
    """The words of all commands of a page, those in blocks and those within a line, in their order."""
    text = page.read_text("utf-8")
    found = re.findall(r"^\$ (?:.* \| )?lawful (.*)$|`lawful (\w+ [^-`…][^`…]*)`", text, re.M)
    return [shlex.split(block or line, comments=True) for block, line in found]


WITH_COMMANDS = [page for page in PAGES if commands_of(page)]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_have_words_that_exist(page: Path) -> None:
    """The options exist, and their values are possible."""
    for command, *arguments in commands_of(page):
        COMMANDS[command].make_context(command, arguments)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but those that need a cluster, or end by Ctrl-C; of the tables whose names the pages use."""
    monkeypatch.chdir(tmp_path)
    make_tables()
    lawful.discover("people.csv", all=True, max_size=2).save("laws.json")
    if any("orders.state" in words for words in commands_of(page)):
        lawful.keep("orders.csv", "fd", folder="orders.state")
    for command, *arguments in commands_of(page):
        if command == "watch" or "--master" in arguments:
            continue
        words = ["people.csv" if word == "FILE" else word for word in arguments]
        monkeypatch.setattr("sys.argv", ["lawful", command, *words])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("people.csv").read_bytes())))
        told = io.StringIO()
        with (
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(told),
            pytest.raises(SystemExit) as end,
        ):
            main()
        assert end.value.code == 0 or (end.value.code, command) == (1, "check"), [
            command,
            *words,
            told.getvalue(),
        ]


def make_tables() -> None:
    """Tables with the columns that the commands of pages name."""
    count = 12
    people = pa.table(
        {
            "id": range(count),
            "name": [f"name {number % 5}" for number in range(count)],
            **{name: [f"{name} {number % 3}" for number in range(count)] for name in ("zip", "city", "site")},
            **{name: [number // 4 for number in range(count)] for name in ("town", "phone", "year")},
            "month": [number // 2 for number in range(count)],
            "day": range(count),
        }
    )
    for name in ("people.csv", "table.csv", "hospital-dirty.csv"):
        csv.write_csv(people, name)
    for name, number in (("new.csv", 100), ("moved.csv", 0)):
        csv.write_csv(people.slice(0, 2).set_column(0, "id", pa.array([number, number + 1])), name)
    orders = pa.table(
        {
            "order": range(5),
            "customer": ["Ann", "Bob", "Ann", "Cid", "Bob"],
            "city": ["Oslo", "Rome", "Oslo", "Rome", "Rome"],
            "placed": [3, 3, 5, 7, 8],
            "shipped": [4, 6, 6, 9, 9],
        }
    )
    csv.write_csv(orders, "orders.csv")
    Path("orders").mkdir()
    parquet.write_table(orders, "orders/1.parquet")
    csv.write_csv(orders.rename_columns(["day", "badge", "door", "placed", "shipped"]), "visits.csv")
    csv.write_csv(datasets.survey(50), "survey.csv")
    make_staff()


def make_staff() -> None:
    """Employees, one who comes in and has the wrong floor, some who moved, and files that arrive."""
    staff = datasets.employees(402)
    csv.write_csv(staff.slice(0, 400), "staff.csv")
    for name, someone in (("arrivals.csv", staff.slice(400, 1)), ("moves.csv", staff.slice(0, 2))):
        wrong = pa.compute.add(someone["floor"], 1)
        csv.write_csv(someone.set_column(someone.column_names.index("floor"), "floor", wrong), name)
    Path("inbox").mkdir()
    csv.write_csv(staff.slice(0, 1).drop_columns("floor"), "inbox/monday.csv")
    csv.write_csv(staff.slice(401), "inbox/tuesday.csv")
