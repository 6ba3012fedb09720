"""Laws with their routes, put into groups that fetch the same candidates."""

from collections.abc import Iterator

import numpy as np

from lawful.laws.comparisons import EQUAL, Ints
from lawful.validate.index_choice import Floats, Of, Routes, directions
from lawful.validate.probe_literals import UNEQUAL, Excluded, exchanged, packed
from lawful.validate.probe_pairs import BY_DIFFERENCE, BY_ORDER, BY_SCAN, LawGroup


def law_groups(
    excluded: Excluded, numbers: Ints, routes: Routes, agreeing: Floats
) -> Iterator[tuple[Of, LawGroup]]:
    """Each group with what its index is of; `numbers` are those of the laws."""
    signs, laws = directions(excluded), np.arange(len(excluded))
    left, right, sign = routes.of.T
    by_order = routes.ways == BY_ORDER
    rises = by_order & (signs[laws, left] * signs[laws, right] == sign)
    turned = by_order & (signs[laws, left] < 0)
    keys = np.column_stack([routes.ways, routes.of, rises])
    for way, *of, right_rises in np.unique(keys, axis=0).tolist():
        chosen = np.flatnonzero((keys == (way, *of, right_rises)).all(axis=1))
        literals = np.where(turned[chosen, None], exchanged(excluded[chosen]), excluded[chosen])
        path = np.array([way, right_rises, *_all_strict(literals, of[:2])], np.int64)
        common = _common_literals(literals, way, of[:2], agreeing)
        columns = np.flatnonzero(literals.any(axis=0))
        yield tuple(of), LawGroup(path, numbers[chosen], turned[chosen], packed(literals), common, columns)


def _all_strict(literals: Excluded, columns: list[int]) -> list[bool]:
    """Whether all laws ask for a difference, in each of some columns."""
    return [bool((literals[:, column] & EQUAL).all()) for column in columns]


def _common_literals(literals: Excluded, way: int, fetched: list[int], agreeing: Floats) -> Ints:
    """What all laws exclude and candidates do not exclude already: those first that few pairs pass."""
    common = np.bitwise_and.reduce(literals, axis=0)
    if way == BY_DIFFERENCE:
        common[fetched] &= UNEQUAL
    elif way != BY_SCAN:
        common[fetched] = 0
    columns = np.flatnonzero(common)
    order = np.argsort(_passing(common, agreeing)[columns])
    return np.column_stack([columns, common[columns]]).astype(np.int64)[order]


def _passing(excluded: Excluded, agreeing: Floats) -> Floats:
    """The share of pairs that pass each literal."""
    directed = (1 - agreeing) / 2 * np.bitwise_count(UNEQUAL & ~excluded)
    passing: Floats = directed + np.where(excluded & EQUAL, 0, agreeing)
    return passing
