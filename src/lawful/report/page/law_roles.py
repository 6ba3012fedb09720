"""What a law does with its columns, whatever its kind: what a picture and examples of it need to know."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from lawful.laws import DC, FD, OD, POD, Law
from lawful.laws.equivalents import simpler_form


class Roles(NamedTuple):
    """Rows with the same values there have the same `right`, or one that rises or falls with `left`."""

    same: Set[str]
    left: str | None = None
    right: str | None = None
    falls: bool = False


def roles_of(law: Law) -> Roles:
    """The roles of a law's columns; a POD or DC that states a simpler law has those of that one."""
    match simpler_form(law) or law:
        case FD(lhs=lhs, rhs=rhs):
            return Roles(lhs, right=rhs)
        case OD(context=context, left=left, right=right, descending=falls):
            return Roles(context, left, right, falls)
        case POD() | DC() as other:
            own = [one for one in other.as_dc().predicates if one.left.column == one.right.column]
            return Roles({one.left.column for one in own if one.operator == "="})
        case other:
            return Roles(other.columns)
