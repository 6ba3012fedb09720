"""What each kind of law means, without data: text and JSON forms, order, mirror images, implication."""

from lawful.laws.base import KINDS, Kind, Law
from lawful.laws.dc import DC, Cell, Comparison, Predicate
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.operators import OPERATORS, OUTCOMES, Operator
from lawful.laws.parsing import from_json, parse
from lawful.laws.pod import POD, PodReading, Term

__all__ = [
    "DC",
    "FD",
    "KINDS",
    "OD",
    "OPERATORS",
    "OUTCOMES",
    "POD",
    "Cell",
    "Comparison",
    "Key",
    "Kind",
    "Law",
    "Operator",
    "PodReading",
    "Predicate",
    "Term",
    "from_json",
    "parse",
]
