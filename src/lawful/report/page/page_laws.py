"""Laws in a page: the few shapes that their sentences have, and for each law the columns that fill one.

A shape is a law whose columns are places, `_0000` for the first of its columns by name. So the page has all
texts and sentences of fifty thousand laws from those of a hundred, as Python says them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Any, NamedTuple

from lawful.laws import DC, FD, OD, POD, Law
from lawful.laws.equivalents import simpler_form
from lawful.laws.exchange import renamed
from lawful.report.collection import Laws
from lawful.report.law_sentences import sentence


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
            return Roles(other.as_dc().context)
        case other:
            return Roles(other.columns)


def laws_document(laws: Laws) -> dict[str, Any]:
    """All laws: their shapes, which one each has, the columns of one law after the other, their ratings."""
    number = {name: place for place, name in enumerate(laws.names)}
    places = [f"_{place:04}" for place in range(len(number))]
    found: dict[Law, tuple[int, dict[str, Any]]] = {}
    shapes, columns = [], []
    for law, fact in zip(laws, laws.are_facts.tolist(), strict=True):
        shape, own = shape_of(law, places)
        if shape not in found:
            found[shape] = len(found), shape_document(shape, fact)
        shapes.append(found[shape][0])
        columns += [number[name] for name in own]
    return {
        "shapes": [document for _, document in found.values()],
        "shape": shapes,
        "columns": columns,
        "bits": [
            None if math.isnan(one) else _short(math.floor(10 * one) / 10) for one in laws.bits.tolist()
        ],
        "score": [None if math.isnan(one) else _short(float(f"{one:.3g}")) for one in laws.scores.tolist()],
    }


def shape_of(law: Law, places: Sequence[str]) -> tuple[Law, list[str]]:
    """A law with places instead of columns, and the columns that stand there."""
    own = sorted(law.columns)
    return renamed(law, dict(zip(own, places, strict=False))), own


def shape_document(shape: Law, fact: bool) -> dict[str, Any]:
    """What a page needs to know of all laws of a shape."""
    simpler, roles = simpler_form(shape), roles_of(shape)
    return {
        "kind": shape.kind,
        "text": str(shape),
        "sentence": sentence(shape),
        "states": "" if simpler is None else str(simpler),
        "size": shape.size,
        "places": len(shape.columns),
        "fact": fact,
        "same": sorted(map(_number, roles.same)),
        "left": None if roles.left is None else _number(roles.left),
        "right": None if roles.right is None else _number(roles.right),
        "falls": roles.falls,
    }


def _number(place: str) -> int:
    return int(place[1:])


def _short(number: float) -> float:
    """A whole number without the ".0" that many laws would have."""
    return int(number) if number == int(number) else number
