"""What notebooks show: of every object the words that the command line has for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console
from rich.text import Text

from lawful.changes import LawChange, LawState
from lawful.checking.checked_laws import CheckedLaws
from lawful.notebooks import html_of
from lawful.reasoning import OrderAnswer
from lawful.report.change_tables import print_change, print_state
from lawful.report.collection import Laws
from lawful.report.column_table import describe, print_columns
from lawful.report.html_console import as_html
from lawful.report.normalized_schema import NormalizedSchema
from lawful.report.query_advice import QueryAdvice
from lawful.report.sentences import SHOWN
from lawful.report.tables import print_laws
from lawful.report.verdict_tables import print_approximate, print_verdicts
from lawful.table import Relation

_VIOLATIONS = 5  # of a law


def _print_relation(relation: Relation, console: Console) -> None:
    print_columns(describe("table", relation), console)


def _print_checked(verdicts: CheckedLaws, console: Console) -> None:
    if len(verdicts) > SHOWN:
        print_approximate(verdicts, console, SHOWN)
    else:
        print_verdicts(verdicts, console, _VIOLATIONS)


def _print_text(thing: object, console: Console) -> None:
    console.print(Text(str(thing)))


_PRINTED_BY: dict[type, Callable[[Any, Console], None]] = {
    Laws: print_laws,
    Relation: _print_relation,
    LawState: print_state,
    LawChange: print_change,
    CheckedLaws: _print_checked,
    NormalizedSchema: _print_text,
    QueryAdvice: _print_text,
    OrderAnswer: _print_text,
}


def show_in_notebooks() -> None:
    """From now on notebooks show all these as HTML."""
    for kind, printed in _PRINTED_BY.items():
        html_of.register(kind, partial(as_html, printed))
