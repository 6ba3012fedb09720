"""A predicate space as plain data: what laws may speak of stays as it was when a state was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lawful.discovery.predicate_space import PredicateSpace
from lawful.laws.comparisons import ACROSS, Crossing, comparisons_of


def space_to_json(space: PredicateSpace) -> dict[str, Any]:
    """A space of every column, as plain data."""
    compared = space.predicates
    return {
        "columns": space.columns.tolist(),
        "ordered": space.signs.ordered.tolist(),
        "compared": space.compared,
        "compared_ordered": space.ordered.tolist(),
        "crossings": [
            [left, right, ordered]
            for kind, left, right, ordered in zip(*(part.tolist() for part in compared[:4]), strict=True)
            if kind == ACROSS and left < right
        ],
    }


def space_from_json(data: Mapping[str, Any], names: tuple[str, ...]) -> PredicateSpace:
    """The same space of the columns of a table, whose ranks are on one scale where they are compared."""
    crossings = [Crossing(*crossing) for crossing in data["crossings"]]
    ordered = np.array(data["compared_ordered"], np.bool_)
    every = list(range(len(names)))
    return PredicateSpace(
        names,
        np.array(data["columns"], np.int64),
        comparisons_of(every, np.array(data["ordered"], np.bool_), []),
        comparisons_of(data["compared"], ordered, crossings),
        ordered,
        {},
    )
