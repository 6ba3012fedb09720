"""The counts of agree-sets that a state keeps, among its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.evidence.agree_sets import AgreeSets
from lawful.table import Relation
from lawful.table.spaced import SpacedRanks

_PREFIX = "agree-"


def counted_agree_sets(relation: Relation) -> AgreeSets:
    """The agree-sets of all pairs of rows of a relation."""
    rows, counted = SpacedRanks(relation), AgreeSets(len(relation.names))
    counted.insert(rows.ranks, rows.alive, np.flatnonzero(rows.alive))
    return counted


def arrays_of(counted: AgreeSets | None) -> dict[str, npt.NDArray[Any]]:
    """What is saved of them."""
    arrays = {} if counted is None else counted.arrays()
    return {_PREFIX + name: array for name, array in arrays.items()}


def agree_sets_from(arrays: Mapping[str, npt.NDArray[Any]]) -> AgreeSets | None:
    """What was saved, if anything was."""
    own = {name.removeprefix(_PREFIX): array for name, array in arrays.items() if name.startswith(_PREFIX)}
    return AgreeSets.from_arrays(own) if own else None
