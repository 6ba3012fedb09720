"""Laws on other columns: the same statement with other names in it."""

from __future__ import annotations

from collections.abc import Mapping

from lawful.errors import LawfulError
from lawful.laws.base import Law
from lawful.laws.dc import DC, Cell, Predicate
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.pod import POD


def renamed(law: Law, names: Mapping[str, str]) -> Law:
    """The law with another name for each of its columns; names that differ must go on to differ."""
    match law:
        case Key():
            return Key({names[one] for one in law.columns})
        case FD():
            return FD({names[one] for one in law.lhs}, names[law.rhs])
        case OD():
            return OD({names[one] for one in law.context}, names[law.left], names[law.right], law.descending)
        case POD():
            return POD.denying({names[one]: operator for one, operator in law.denied().items()})
        case DC():
            return DC({_renamed_predicate(one, names) for one in law.predicates})
    raise LawfulError(f"{str(law)!r} is no key, FD, OD, POD or DC: it cannot be renamed")


def _renamed_predicate(predicate: Predicate, names: Mapping[str, str]) -> Predicate:
    left, right = (Cell(one.row, names[one.column]) for one in predicate.comparison)
    return Predicate(left, predicate.operator, right)
