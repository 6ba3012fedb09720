"""The examples of the documentation, run."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest
from pyarrow import csv

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
            assert re.sub(r"in \d+\.\d+ s", "in 0.01 s", out.getvalue()) == output
            tried += 1
    assert tried == commands


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_have_words_that_exist(page: Path) -> None:
    """Those in blocks and those within a line: the options exist, and their values are possible."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^\$ (?:.* \| )?lawful (.*)$", text, re.M)
    for words in blocks + re.findall(r"`lawful (\w+ [^-`…][^`…]*)`", text):
        command, *arguments = shlex.split(words, comments=True)
        COMMANDS[command].make_context(command, arguments)
