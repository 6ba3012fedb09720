"""lawful finds the laws that a table obeys.

>>> import lawful
>>> laws = lawful.discover(lawful.datasets.employees(50))
>>> laws.complete
True
"""

import sys

if sys.argv[:1] == ["-m"]:  # `python -m lawful`, which reads all of this before it is a command
    from lawful_command import end_quietly

    end_quietly()

from lawful import datasets, laws
from lawful.api import (
    State,
    approximate,
    check,
    discover,
    explain,
    flag,
    keep,
    open_state,
    split,
    stream,
    suspects,
    violations,
)
from lawful.changes import LawChange
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report import Laws, page_of, text_of
from lawful.shown import Shown
from lawful.table import Relation, SourceOptions, read

__all__ = [
    "LawChange",
    "LawfulError",
    "Laws",
    "Relation",
    "SourceOptions",
    "State",
    "approximate",
    "check",
    "datasets",
    "discover",
    "explain",
    "flag",
    "keep",
    "laws",
    "open_state",
    "read",
    "split",
    "stream",
    "suspects",
    "violations",
]

Shown.html_of, Shown.text_of = page_of, text_of
Law.rows_against = violations
