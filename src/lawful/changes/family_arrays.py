"""The families of laws that a state keeps, as arrays for a file and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.changes.kept_columns import KeptColumnLaws
from lawful.changes.kept_family import KeptFamily
from lawful.changes.kept_predicates import KeptPredicateLaws
from lawful.discovery import Options, PredicateSpace
from lawful.discovery.findings import Pairs
from lawful.laws.codec import DC_KIND, FD_KIND, KEY, OD_KIND, POD_KIND, LawArrays
from lawful.table.spaced import SpacedRanks

FAMILIES = ((KEY, FD_KIND, OD_KIND), (POD_KIND,), (DC_KIND,))  # the kinds of each


def families_from(
    rows: SpacedRanks, space: PredicateSpace, options: Options, arrays: Mapping[str, npt.NDArray[Any]]
) -> list[KeptFamily]:
    """The families that a state keeps."""
    families: list[KeptFamily] = []
    for number, kinds in enumerate(FAMILIES):
        if f"pairs-{number}" in arrays:
            laws = LawArrays(*(arrays[f"{part}-{number}"] for part in LawArrays._fields))
            pairs: Pairs = arrays[f"pairs-{number}"]
            family: KeptFamily
            if KEY in kinds:
                family = KeptColumnLaws(rows, space, options, laws, pairs)
            else:
                family = KeptPredicateLaws(rows, space, options, laws, pairs, kinds[0])
            ends = np.cumsum([len(sets) for sets in family.sets])
            family.since = np.split(arrays[f"since-{number}"], ends[:-1])
            families.append(family)
    return families


def arrays_of_families(families: Iterable[KeptFamily]) -> dict[str, npt.NDArray[Any]]:
    """What is saved of the families."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for family in families:
        number = next(place for place, kinds in enumerate(FAMILIES) if family.kinds[0] in kinds)
        arrays |= named_arrays(number, family.laws, np.concatenate(family.since))
        arrays[f"pairs-{number}"] = family.evidence.witness_pairs
    return arrays


def named_arrays(number: int, laws: LawArrays, since: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
    named = {f"{part}-{number}": array for part, array in laws._asdict().items()}
    return {**named, f"since-{number}": since}
