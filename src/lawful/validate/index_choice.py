"""ChooseIndex: which indexes serve a set of laws (IncPOD, section V-B).

Value lists where a column of `=` is selective; else chains for two order literals, those first that fetch few
rows for many laws; else any `=`, rows with another value where most have the same, or all rows. Two scores
are more exact than the paper's: that of chains knows whether the literals go along with the correlation of
their columns (then up to half of the table is fetched) or against it (then hardly a row is), and that of
value lists knows that some are longer than others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.laws.comparisons import EQUAL, GREATER, LESS, Flags, Ints
from lawful.table.ranked import Ranks
from lawful.validate.dc_literals import UNEQUAL
from lawful.validate.partition import RowNumbers
from lawful.validate.probe_literals import Excluded
from lawful.validate.probe_pairs import BY_DIFFERENCE, BY_ORDER, BY_SCAN, BY_VALUE

Floats = npt.NDArray[np.float64]
Of = tuple[int, int, int]  # what an index is of: left column, right column, direction of the right one


class ChoiceOptions(NamedTuple):
    """The paper's parameters with its values, and two of our own."""

    selectivity: float = 0.6  # value lists of a lower score are taken first
    correlation: float = 0.2  # from which on chains follow the correlation and not the literals
    short_list: float = 250.0  # rows of a value list that cost no more than a search in some chains
    kept: float = 0.5  # by which the score of chains is multiplied that exist already


class Spread(NamedTuple):
    """What a sample tells of the columns of a table."""

    rows: int  # that the table has
    agreeing: Floats  # [column]: share of pairs of rows with the same value
    correlation: Floats  # [column, column]: of ranks


class Routes(NamedTuple):
    """For each law how candidates are fetched, and by which index; those without one scan all rows."""

    ways: Ints
    of: Ints  # [law, 3]

    @classmethod
    def of_laws(cls, laws: int) -> Routes:
        """None has an index yet."""
        return cls(np.full(laws, BY_SCAN), np.zeros((laws, 3), np.int64))

    def send(self, laws: Flags, way: int, of: Of) -> None:
        """Give those of some laws an index that have none."""
        chosen = laws & (self.ways == BY_SCAN)
        self.ways[chosen], self.of[chosen] = way, of

    def indexes(self) -> set[Of]:
        """What the indexes are of that are needed."""
        _, firsts = np.unique(self.of @ (1 << 40, 1 << 20, 1), return_index=True)
        needed = self.of[firsts][self.ways[firsts] != BY_SCAN]
        return {(left, right, sign) for left, right, sign in needed.tolist()}


SAMPLE = 2048  # rows
NO_SHARE = 2.0  # of the table, where a law has no literal to fetch by


def no_spread(columns: int) -> Spread:
    """Of a table without rows."""
    return Spread(0, np.zeros(columns), np.zeros((columns, columns)))


def spread_of(ranks: Ranks, rows: RowNumbers) -> Spread:
    """Look at some rows."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:SAMPLE])
    values = ranks[:, rows[chosen]]
    return Spread(len(rows), np.array([_agreeing(line) for line in values]), _correlation(values))


def _agreeing(values: Ranks) -> float:
    pairs = len(values) * (len(values) - 1)
    counts = np.unique(values[values >= 0], return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / pairs) if pairs else 0.0


def _correlation(values: Ranks) -> Floats:
    """Spearman's: ranks have an order and no distances. Equal values share their mean place."""
    places = np.empty(values.shape)
    for line, place in zip(values, places, strict=True):
        _, which, counts = np.unique(line, return_inverse=True, return_counts=True)
        place[:] = (2 * np.cumsum(counts) - counts)[which]
    places -= places.mean(axis=1, keepdims=True) if places.size else 0
    lengths = np.sqrt((places**2).sum(axis=1))
    lengths[lengths == 0] = np.inf  # a constant goes along with nothing
    correlation: Floats = places @ places.T / np.outer(lengths, lengths)
    return correlation


def directions(excluded: Excluded) -> npt.NDArray[np.int8]:
    """1 for `<` and `<=`, -1 for `>` and `>=`, 0 for other literals and for none."""
    up, down = excluded & UNEQUAL == GREATER, excluded & UNEQUAL == LESS
    signs: npt.NDArray[np.int8] = up.astype(np.int8) - down.astype(np.int8)
    return signs


def choose_routes(
    excluded: Excluded, spread: Spread, known: set[Of], bad: set[Of], options: ChoiceOptions
) -> Routes:
    """How to fetch candidates for each law; `known` indexes exist, and `bad` ones have too many chains."""
    laws = len(excluded)
    routes = Routes.of_laws(laws)
    pairs = _scored_pairs(excluded, spread, known, bad, options)
    _send_by_value(excluded, spread, _least_shares(pairs, laws), routes, options)
    for pair in sorted(pairs, key=lambda pair: pair.score):
        routes.send(pair.laws, BY_ORDER, pair.of)
    _send_by_value(excluded, spread, np.ones(laws), routes, options)
    _send_by_difference(excluded, spread, routes)
    return routes


class _Pair(NamedTuple):
    """Two order literals, in the same or in opposite directions."""

    of: Of
    laws: Flags
    share: float  # of the table that is fetched, as the correlation tells
    score: float


def _scored_pairs(
    excluded: Excluded, spread: Spread, known: set[Of], bad: set[Of], options: ChoiceOptions
) -> list[_Pair]:
    signs, pairs = directions(excluded), []
    asked = np.flatnonzero(signs.any(axis=0))
    for place, left in enumerate(asked.tolist()):
        for right in asked[place + 1 :].tolist():
            product, along = signs[:, left] * signs[:, right], spread.correlation[left, right]
            for turn in (1, -1):
                laws = product == turn
                sign = turn if abs(along) <= options.correlation else int(np.sign(along))
                of, share = (left, right, sign), (1 + turn * along) / 4
                if laws.any() and of not in bad:
                    score = share / laws.sum() * (options.kept if of in known else 1)
                    pairs.append(_Pair(of, laws, share, score))
    return pairs


def _least_shares(pairs: list[_Pair], laws: int) -> Floats:
    """The least share of the table that chains fetch for each law."""
    least = np.ones(laws)
    for pair in pairs:
        least[pair.laws] = np.minimum(least[pair.laws], pair.share)
    return least


def _send_by_value(
    excluded: Excluded, spread: Spread, chains: Floats, routes: Routes, options: ChoiceOptions
) -> None:
    """Laws whose most selective `=` has a low score, a short list, or fetches no more than chains do."""
    shares = np.where(excluded == UNEQUAL, spread.agreeing, NO_SHARE)
    if not excluded.size:
        return
    best, least = shares.argmin(axis=1), shares.min(axis=1)
    values_in_use = 1 / np.maximum(least, 1 / max(spread.rows, 1))  # that equal lists would need
    score = 1 - values_in_use / max(spread.rows, 1)
    taken = (score < options.selectivity) | (least * spread.rows <= options.short_list) | (least <= chains)
    for column in np.unique(best):
        chosen = (best == column) & taken & (least < NO_SHARE)
        routes.send(chosen, BY_VALUE, (int(column), int(column), 1))


def _send_by_difference(excluded: Excluded, spread: Spread, routes: Routes) -> None:
    """Laws of columns where most rows have the same value: the others are candidates."""
    if not excluded.size:
        return
    shares = np.where(excluded & EQUAL != 0, 1 - spread.agreeing, NO_SHARE)
    best, least = shares.argmin(axis=1), shares.min(axis=1)
    for column in np.unique(best):
        routes.send((best == column) & (least < 0.5), BY_DIFFERENCE, (int(column), int(column), 1))
