"""Laws with their routes, put into groups that fetch the same candidates."""

from collections.abc import Iterator

import numpy as np

from lawful.laws.comparisons import EQUAL, Ints
from lawful.validate.chains import CONTEXT, SIGN
from lawful.validate.dc_literals import UNEQUAL
from lawful.validate.index_choice import Floats, Of, Routes, directions
from lawful.validate.probe_literals import Excluded, exchanged
from lawful.validate.probe_pairs import BY_DIFFERENCE, BY_ORDER, BY_SCAN, OUTCOMES_IN_ORDER, LawGroup
from lawful.words import Words, words_for


def law_groups(
    excluded: Excluded, numbers: Ints, routes: Routes, agreeing: Floats
) -> Iterator[tuple[Of, LawGroup]]:
    """Each group with what its index is of; `numbers` are those of the laws."""
    signs, laws = directions(excluded), np.arange(len(excluded))
    left, right, sign = np.array([of[:CONTEXT] for of in [*routes.indexes, (0, 0, 1)]])[routes.places].T
    by_order = routes.ways == BY_ORDER
    rises = by_order & (signs[laws, left] * signs[laws, right] == sign)
    turned = by_order & (signs[laws, left] < 0)
    keys = np.column_stack([routes.places, routes.ways, rises]) @ (8, 2, 1)
    order = np.argsort(keys, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(order) else []:
        way, place = int(routes.ways[chosen[0]]), int(routes.places[chosen[0]])
        of = routes.indexes[place] if place >= 0 else ()
        literals = np.where(turned[chosen, None], exchanged(excluded[chosen]), excluded[chosen])
        path = np.array([way, rises[chosen[0]], *_all_strict(literals, of)], np.int64)
        common = np.bitwise_and.reduce(literals, axis=0)
        columns = _deciding_first(literals, np.flatnonzero((literals != common).any(axis=0)), agreeing)
        asked, allowing = _beside_fetched(common, way, of, agreeing), _allowing(literals, columns)
        yield of, LawGroup(path, numbers[chosen], turned[chosen], asked, columns, allowing)


def _all_strict(literals: Excluded, of: Of) -> list[bool]:
    """Whether all laws ask for a difference, in the left and the right column of an index."""
    return [bool((literals[:, column] & EQUAL).all()) for column in of[:SIGN]] or [False, False]


def _allowing(literals: Excluded, columns: Ints) -> Words:
    """For each column and outcome the laws that do not exclude it; then all laws."""
    laws = np.zeros((len(columns) + 1, len(OUTCOMES_IN_ORDER), 64 * words_for(len(literals))), np.bool_)
    for outcome, mask in enumerate(OUTCOMES_IN_ORDER):
        laws[:-1, outcome, : len(literals)] = literals[:, columns].T & mask == 0
    laws[-1, :, : len(literals)] = True
    return np.packbits(laws, axis=2, bitorder="little").view(np.uint64)


def _beside_fetched(common: Excluded, way: int, of: Of, agreeing: Floats) -> Ints:
    """Common literals that candidates need not satisfy, as they are fetched; first those that few pass."""
    rest = common.copy()
    if way == BY_DIFFERENCE:
        rest[of[0]] &= UNEQUAL
    elif way != BY_SCAN:
        rest[[*of[:SIGN], *of[CONTEXT:]]] = 0
    columns = np.flatnonzero(rest)
    order = np.argsort(_passing(rest, agreeing)[columns])
    return np.column_stack([columns, rest[columns]]).astype(np.int64)[order]


def _deciding_first(literals: Excluded, columns: Ints, agreeing: Floats) -> Ints:
    """Columns in an order in which most pairs are soon found to break none of the laws."""
    passing = _passing(literals, agreeing)
    rest, order, left = columns.tolist(), [], np.ones(len(literals))
    while rest:
        best = min(rest, key=lambda column: float(left @ passing[:, column]))
        left = left * passing[:, best]
        order.append(best)
        rest.remove(best)
    return np.array(order, np.int64)


def _passing(excluded: Excluded, agreeing: Floats) -> Floats:
    """The share of pairs that pass each literal."""
    directed = (1 - agreeing) / 2 * np.bitwise_count(UNEQUAL & ~excluded)
    passing: Floats = directed + np.where(excluded & EQUAL, 0, agreeing)
    return passing
