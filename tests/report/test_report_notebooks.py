"""What notebooks show: the words of the command line, as HTML."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from rich.console import Console

import lawful
from lawful.report.change_tables import print_change, print_state
from lawful.report.column_table import describe, print_columns
from lawful.report.tables import print_laws
from lawful.report.verdict_tables import print_verdicts
from lawful.shown import Shown

BRACKETS = "<b>&"
TABLE = pa.table({BRACKETS: [1, 2, 3, 4], "city": ["Oslo", "Oslo", "Rome", "Rome"], "zip": [1, 1, 2, 2]})


class Page(HTMLParser):
    """The words of a page, and its tags, each of which must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags, self._open = "", set[str](), list[str]()
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self.text += " "

    def handle_data(self, text: str) -> None:
        self.text += text


def words(text: str) -> list[str]:
    """Of a terminal's text, without the lines of tables."""
    return re.sub("─+", " ", text).split()


def printed(show: Callable[[Console], None]) -> str:
    out = io.StringIO()
    show(Console(file=out, width=1_000, highlight=False))
    return out.getvalue()


def check(thing: Shown, terminal: str) -> None:
    page = Page(thing._repr_html_())
    assert words(page.text) == words(terminal) == words(str(thing))
    assert "b" not in page.tags


@pytest.fixture(scope="module")
def laws() -> lawful.Laws:
    return lawful.discover(TABLE, "key,fd", all=True)


def test_laws_and_tables(laws: lawful.Laws) -> None:
    check(laws, printed(lambda console: print_laws(laws, console)))
    table = lawful.read(TABLE)
    check(table, printed(lambda console: print_columns(describe("table", table), console)))


def test_states_and_changes() -> None:
    state = lawful.keep(TABLE, "key,fd")
    check(state, printed(lambda console: print_state(state, console)))
    change = state.insert([{BRACKETS: 4, "city": "<Bari>", "zip": 2}])
    check(change, printed(lambda console: print_change(change, console)))
    assert "broken by" in Page(change._repr_html_()).text
    check(state, printed(lambda console: print_state(state, console)))


def test_checks() -> None:
    verdicts = lawful.check(TABLE, ["{zip} -> city", "key {city}"])
    check(verdicts, printed(lambda console: print_verdicts(verdicts, console, 5)))
    wide = pa.table({f"c{number}": [1, 2] for number in range(30)})
    many = lawful.check(wide, [f"key {{{name}}}" for name in wide.column_names])
    assert "and 10 more" in Page(many._repr_html_()).text


def test_what_is_said_of_laws(laws: lawful.Laws) -> None:
    check(laws.normalize("bcnf"), str(laws.normalize("bcnf")))
    check(laws.orders("zip", "city"), str(laws.orders("zip", "city")))
    query = "select * from t order by zip, city"
    check(laws.advise(query), str(laws.advise(query)))
