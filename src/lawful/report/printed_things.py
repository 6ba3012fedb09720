"""Every object that a person may want to see, as the command line prints it."""

from __future__ import annotations

from functools import singledispatch

from rich.console import Console
from rich.text import Text

from lawful.changes import LawChange, LawState
from lawful.checking.checked_laws import CheckedLaws
from lawful.report.change_tables import print_change, print_state
from lawful.report.collection import Laws
from lawful.report.column_table import describe, print_columns
from lawful.report.sentences import SHOWN
from lawful.report.tables import print_laws
from lawful.report.verdict_tables import print_approximate, print_verdicts
from lawful.table import Relation

_VIOLATIONS = 5  # of a law


@singledispatch
def print_thing(thing: object, console: Console) -> None:
    """Print a thing: its text, where there is no table for it."""
    console.print(Text(str(thing)))


print_thing.register(Laws, print_laws)
print_thing.register(LawState, print_state)
print_thing.register(LawChange, print_change)


@print_thing.register
def _(relation: Relation, console: Console) -> None:
    print_columns(describe("table", relation), console)


@print_thing.register
def _(verdicts: CheckedLaws, console: Console) -> None:
    if len(verdicts) > SHOWN:
        print_approximate(verdicts, console, SHOWN)
    else:
        print_verdicts(verdicts, console, _VIOLATIONS)
