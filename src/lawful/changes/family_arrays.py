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
            family.seconds_a_row = float(arrays[f"seconds-{number}"])
            ends = np.cumsum([len(sets) for sets in family.sets])
            family.since = np.split(arrays[f"since-{number}"], ends[:-1])
            families.append(family)
    return families


def arrays_of_families(families: Iterable[KeptFamily]) -> dict[str, npt.NDArray[Any]]:
    """What is saved of the families."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for family in families:
        since, pairs = np.concatenate(family.since), family.evidence.witness_pairs
        number = FAMILIES.index(kinds_of(family))
        arrays |= named_arrays(number, family.laws, since, pairs, family.seconds_a_row)
    return arrays


def kinds_of(family: KeptFamily) -> tuple[int, ...]:
    """The kinds that laws of a family may have."""
    return next(kinds for kinds in FAMILIES if family.kinds[0] in kinds)


def named_arrays(
    number: int, laws: LawArrays, since: npt.NDArray[np.int64], pairs: Pairs, seconds_a_row: float
) -> dict[str, npt.NDArray[Any]]:
    """What is saved of a family, under names that no other one has."""
    named = {**laws._asdict(), "since": since, "pairs": pairs, "seconds": np.array(seconds_a_row)}
    return {f"{name}-{number}": array for name, array in named.items()}
