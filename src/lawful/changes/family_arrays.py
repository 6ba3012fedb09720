"""The families of laws that a state keeps, as arrays for files and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.changes.kept_columns import KeptColumnLaws
from lawful.changes.kept_family import KeptFamily
from lawful.changes.kept_predicates import KeptPredicateLaws
from lawful.discovery import Options, PredicateSpace
from lawful.discovery.findings import Numbers, Pairs
from lawful.laws.codec import DC_KIND, FD_KIND, KEY, OD_KIND, POD_KIND, LawArrays
from lawful.table.spaced import SpacedRanks

FAMILIES = {"columns": (KEY, FD_KIND, OD_KIND), "pods": (POD_KIND,), "dcs": (DC_KIND,)}  # the kinds of each


def family_from(
    arrays: Mapping[str, npt.NDArray[Any]],
    kinds: tuple[int, ...],
    rows: SpacedRanks,
    space: PredicateSpace,
    options: Options,
) -> KeptFamily:
    """The family that was saved."""
    laws, pairs = LawArrays(*(arrays[part] for part in LawArrays._fields)), arrays["pairs"]
    family: KeptFamily
    if KEY in kinds:
        family = KeptColumnLaws(rows, space, options, laws, pairs)
    else:
        family = KeptPredicateLaws(rows, space, options, laws, pairs, kinds[0])
    family.seconds_a_row = float(arrays["seconds_a_row"])
    family.since = np.split(arrays["since"], np.cumsum([len(sets) for sets in family.sets])[:-1])
    return family


def arrays_of_family(family: KeptFamily) -> dict[str, npt.NDArray[Any]]:
    """What is saved of a family."""
    since, pairs = np.concatenate(family.since), family.evidence.witness_pairs
    return family_arrays(family.laws, since, pairs, family.seconds_a_row)


def family_arrays(
    laws: LawArrays, since: Numbers, pairs: Pairs, seconds_a_row: float
) -> dict[str, npt.NDArray[Any]]:
    """The same of its parts."""
    return {**laws._asdict(), "since": since, "pairs": pairs, "seconds_a_row": np.array(seconds_a_row)}
