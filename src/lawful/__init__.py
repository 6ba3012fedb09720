"""lawful finds the laws that a table obeys.

>>> import lawful
>>> laws = lawful.discover(lawful.datasets.employees(50))
>>> laws.complete
True
"""

from lawful import datasets, laws
from lawful.api import approximate, check, discover, flag, split, stream, suspects, violations
from lawful.errors import LawfulError
from lawful.report import Laws
from lawful.table import Relation, SourceOptions, read

__all__ = [
    "LawfulError",
    "Laws",
    "Relation",
    "SourceOptions",
    "approximate",
    "check",
    "datasets",
    "discover",
    "flag",
    "laws",
    "read",
    "split",
    "stream",
    "suspects",
    "violations",
]
