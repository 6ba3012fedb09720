"""ChooseIndex: which indexes serve a set of laws (IncPOD, section V-B).

Value lists where a column of `=` is selective; else chains for two order literals, those first that fetch few
rows for many laws; else any `=`, rows with another value where most have the same, or all rows. Two scores
are more exact than the paper's: that of chains knows whether the literals go along with the correlation of
their columns (then up to half of the table is fetched) or against it (then hardly a row is), and that of
value lists knows that some are longer than others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, UNEQUAL, Flags, Ints
from lawful.table.ranked import Ranks
from lawful.validate.chains import CONTEXT, SIGN
from lawful.validate.partition import RowNumbers
from lawful.validate.probe_literals import Excluded, exchanged
from lawful.validate.probe_pairs import (
    BY_DIFFERENCE,
    BY_ORDER,
    BY_SCAN,
    BY_VALUE,
    OUTCOMES_IN_ORDER,
    LawGroup,
)
from lawful.words import Words, words_for

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]  # [law, column]
Of = tuple[int, ...]  # what an index is of: left column, right column, direction of the right one, context

SPREAD_SAMPLE = 2048  # rows
NO_SHARE = 2.0  # of the table, where a law has no literal to fetch by
MOSTLY_SAME = 0.5  # of the pairs of rows: if so many have the same value, the others are worth a list


class ChoiceOptions(NamedTuple):
    """The paper's parameters with its values, and some of our own."""

    selectivity: float = 0.6  # value lists of a lower score are taken first
    correlation: float = 0.2  # from which on chains follow the correlation and not the literals
    short_list: float = 250.0  # rows of a value list that cost no more than a search in some chains
    kept: float = 0.5  # by which the score of chains is multiplied that exist already
    long_fetch: float = 1000.0  # rows to fetch, from which on a law with `=` may have an index of its own
    own_indexes: int = 32  # of which there are no more


class Spread(NamedTuple):
    """What a sample tells of the columns of a table."""

    rows: int  # that the table has
    agreeing: Floats  # [column]: share of pairs of rows with the same value
    missing: Floats  # [column]: share of rows without a value
    correlation: Floats  # [column, column]: of ranks


class Routes(NamedTuple):
    """For each law how candidates are fetched, and by which index; those without one scan all rows."""

    ways: Ints
    places: Ints  # [law]: where `indexes` has what its index is of
    indexes: list[Of]

    @classmethod
    def of_laws(cls, laws: int) -> Routes:
        """None has an index yet."""
        return cls(np.full(laws, BY_SCAN), np.full(laws, -1), [])

    def send(self, laws: Flags, way: int, of: Of) -> None:
        """Give those of some laws an index that have none."""
        chosen = laws & self.open
        if chosen.any():
            if of not in self.indexes:
                self.indexes.append(of)
            self.ways[chosen], self.places[chosen] = way, self.indexes.index(of)

    def send_by_column(self, laws: Flags, way: int, columns: Ints) -> None:
        """The same with value lists, each law of its own column."""
        for column in np.unique(columns[laws & self.open]).tolist():
            self.send(laws & (columns == column), way, (column, column, 1))

    @property
    def open(self) -> Flags:
        """The laws without an index."""
        without: Flags = self.ways == BY_SCAN
        return without


def no_spread(columns: int) -> Spread:
    """Of a table without rows."""
    return Spread(0, np.zeros(columns), np.zeros(columns), np.zeros((columns, columns)))


def spread_of(ranks: Ranks, rows: RowNumbers) -> Spread:
    """Look at some rows."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:SPREAD_SAMPLE])
    values = ranks[:, rows[chosen]]
    agreeing = np.array([_agreeing(line) for line in values])
    missing = (values < 0).sum(axis=1) / max(values.shape[1], 1)
    return Spread(len(rows), agreeing, missing, _correlation(values))


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
    # No product of matrices, here and below: the threads of BLAS would go on spinning beside ours.
    correlation: Floats = np.einsum("ir,jr->ij", places, places) / np.outer(lengths, lengths)
    return correlation


def directions(excluded: Excluded) -> Signs:
    """1 for `<` and `<=`, -1 for `>` and `>=`, 0 for other literals and for none."""
    up, down = excluded & UNEQUAL == GREATER, excluded & UNEQUAL == LESS
    signs: Signs = up.astype(np.int8) - down.astype(np.int8)
    return signs


def choose_routes(
    excluded: Excluded, spread: Spread, known: set[Of], bad: set[Of], options: ChoiceOptions
) -> Routes:
    """How to fetch candidates for each law; `known` indexes exist, and `bad` ones have too many chains."""
    routes = Routes.of_laws(len(excluded))
    if not excluded.size:
        return routes
    column, fetched = _best(np.where(excluded == UNEQUAL, spread.agreeing, NO_SHARE))
    routes.send_by_column(_selective(fetched, spread.rows, options), BY_VALUE, column)
    signs = np.where(routes.open[:, None], directions(excluded), 0)
    pairs = _scored_pairs(signs, spread, known, bad, options)
    chained = _least_shares(signs, pairs)
    _send_to_own_indexes(excluded, spread, np.minimum(fetched, chained), bad, routes, options)
    routes.send_by_column(fetched <= chained, BY_VALUE, column)
    for pair in pairs:
        routes.send(_asking(signs, pair), BY_ORDER, pair.of)
    routes.send_by_column(fetched < NO_SHARE, BY_VALUE, column)
    column, fetched = _best(np.where(excluded & EQUAL != 0, 1 - spread.agreeing, NO_SHARE))
    routes.send_by_column(fetched < MOSTLY_SAME, BY_DIFFERENCE, column)
    return routes


def _best(shares: Floats) -> tuple[Ints, Floats]:
    """For each law the column whose value lists fetch the least share of the table, and that share."""
    return shares.argmin(axis=1), shares.min(axis=1)


def _send_to_own_indexes(
    excluded: Excluded, spread: Spread, fetched: Floats, bad: set[Of], routes: Routes, options: ChoiceOptions
) -> None:
    """Laws with `=` that fetch much: in an index with their `=` as its context hardly a row is left."""
    costly = routes.open & (excluded == UNEQUAL).any(axis=1) & (fetched * spread.rows > options.long_fetch)
    laws = np.flatnonzero(costly)
    for law in laws[np.argsort(-fetched[laws], kind="stable")][: options.own_indexes].tolist():
        way, of = _own_index(excluded[law], spread)
        missing = spread.missing[[of[0], *of[CONTEXT:]]].sum() if way == BY_DIFFERENCE else 0
        if of not in bad and missing * spread.rows <= options.long_fetch:
            routes.send(np.arange(len(excluded)) == law, way, of)


def _own_index(excluded: npt.NDArray[np.uint8], spread: Spread) -> tuple[int, Of]:
    """What a law fetches by in the classes of its `=`; if it holds there are few such rows, or none."""
    context, signs = np.flatnonzero(excluded == UNEQUAL).tolist(), directions(excluded)
    pairs = [
        ((1 + turn * spread.correlation[left, right]) / 4, (left, right, -int(turn), *context))
        for left, right in combinations(np.flatnonzero(signs).tolist(), 2)
        for turn in [signs[left] * signs[right]]
    ]
    if pairs:
        return BY_ORDER, min(pairs)[1]
    different = np.flatnonzero(excluded & EQUAL)
    if len(different):
        column = int(different[spread.agreeing[different].argmax()])
        return BY_DIFFERENCE, (column, column, 1, *context)
    return BY_VALUE, (context[-1], context[-1], 1, *context[:-1])


def _selective(fetched: Floats, rows: int, options: ChoiceOptions) -> Flags:
    """Which value lists are short: their score is 1 - values / rows, as if all of them were equally long."""
    length = np.maximum(fetched * rows, 1)
    selective: Flags = (1 - 1 / length < options.selectivity) | (length <= options.short_list)
    return selective & (fetched < NO_SHARE)


class _Pair(NamedTuple):
    """Order literals on two columns, in the same direction (1) or in opposite ones (-1)."""

    of: Of
    turn: int
    share: float  # of the table that is fetched, as the correlation tells
    score: float


def _asking(signs: Signs, pair: _Pair) -> Flags:
    """The laws with such literals."""
    asking: Flags = signs[:, pair.of[0]] * signs[:, pair.of[1]] == pair.turn
    return asking


@kernel
def pairs_of_signs(signs):
    """How many laws have order literals of one direction on two columns, the lower first, or of opposite."""
    columns = signs.shape[1]
    same, opposite = np.zeros((columns, columns)), np.zeros((columns, columns))
    for law in range(signs.shape[0]):
        for left in range(columns):
            for right in range(left + 1, columns if signs[law, left] else 0):
                same[left, right] += signs[law, left] == signs[law, right]
                opposite[left, right] += signs[law, left] == -signs[law, right]
    return same, opposite


def _scored_pairs(
    signs: Signs, spread: Spread, known: set[Of], bad: set[Of], options: ChoiceOptions
) -> list[_Pair]:
    """The pairs of columns that laws have order literals on, the best first."""
    found, (along, against) = [], pairs_of_signs(signs)
    for turn, coverage in ((1, along), (-1, against)):
        for left, right in np.argwhere(np.triu(coverage, 1)).tolist():
            with_it = float(spread.correlation[left, right])
            share = (1 + turn * with_it) / 4
            of = (left, right, turn if abs(with_it) <= options.correlation else 1 if with_it > 0 else -1)
            score = share / coverage[left, right] * (options.kept if of in known else 1)
            found.append(_Pair(of, turn, share, score))
    return sorted((pair for pair in found if pair.of not in bad), key=lambda pair: pair.score)


def _least_shares(signs: Signs, pairs: list[_Pair]) -> Floats:
    """The least share of the table that chains fetch for each law."""
    least = np.full(len(signs), 1.0)
    for pair in pairs:
        asking = _asking(signs, pair)
        least[asking] = np.minimum(least[asking], pair.share)
    return least


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
        best = min(rest, key=lambda column: float((left * passing[:, column]).sum()))
        left = left * passing[:, best]
        order.append(best)
        rest.remove(best)
    return np.array(order, np.int64)


def _passing(excluded: Excluded, agreeing: Floats) -> Floats:
    """The share of pairs that pass each literal."""
    directed = (1 - agreeing) / 2 * np.bitwise_count(UNEQUAL & ~excluded)
    passing: Floats = directed + np.where(excluded & EQUAL, 0, agreeing)
    return passing
