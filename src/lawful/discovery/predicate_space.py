"""The predicate space: which columns and comparisons the laws of a table may use, on which scale.

Every column is compared with itself. Two columns of one type are compared with each other where that may mean
something: where they have enough values in common, or are about as large, and there are not too many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.discovery.column_classes import same_classes
from lawful.discovery.equivalent_columns import (
    DCColumns,
    Equivalence,
    equivalences_of,
    without_represented,
)
from lawful.discovery.first_run import compile_elsewhere, practices_for
from lawful.discovery.search_options import Options
from lawful.laws.codec import Codec
from lawful.laws.comparisons import Comparisons, Crossing, Flags, Ints, comparisons_of
from lawful.table.arrows import common_type
from lawful.table.column_names import require_columns
from lawful.table.columns import dense_order
from lawful.table.kinds import MOMENTS, NUMBERS

if TYPE_CHECKING:
    from lawful.table import Relation
    from lawful.table.columns import Column

COMMON = 0.2  # share of the values of each of two columns that must be values of both
MANY_COLUMNS = 100  # from there on none is compared with another, unless asked
_ALONE = ("null", "category")  # types whose columns have no scale in common
MAGNITUDE = 10.0  # one mean is at most so many times the other

Scale = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PredicateSpace:
    """What the laws of a table may speak of."""

    names: tuple[str, ...]  # of all columns
    columns: Ints  # of keys, FDs and contexts: those that laws may use and that none stands for
    signs: Comparisons  # of keys, FDs and ODs: each column with itself
    predicates: Comparisons  # of PODs and denial constraints
    ordered: Flags  # whether these may use the order of a column
    scales: Mapping[int, Scale]  # columns that are compared with others: the new rank of each old one
    equivalents: tuple[Equivalence, ...] = ()  # which columns stand for which
    ungrouped: Comparisons | None = None  # those of denial constraints if no column stood for another

    @property
    def breadth(self) -> int:
        """How many columns laws may use, those included that others stand for."""
        return len(self._allowed)

    def possible(self, pointwise: bool) -> Comparisons:
        """The comparisons of all columns that denial constraints, or PODs, may use."""
        every = self.predicates if self.ungrouped is None else self.ungrouped
        return self._own(every) if pointwise else every

    @property
    def sides(self) -> list[int]:
        """The columns that ODs may put in order."""
        return without_represented(self._allowed, self.equivalents, "od")

    @property
    def compared(self) -> list[int]:
        """The columns of denial constraints."""
        columns: list[int] = np.unique(self.predicates.left).tolist()
        return columns

    @cached_property
    def represented(self) -> Mapping[int, tuple[int, ...]]:
        """For which others a column of keys, FDs and contexts stands."""
        return {one.columns[0]: one.columns[1:] for one in self.equivalents if "fd" in one.kinds}

    @cached_property
    def _allowed(self) -> list[int]:
        return sorted([*self.columns.tolist(), *chain.from_iterable(self.represented.values())])

    @cached_property
    def pointwise(self) -> Comparisons:
        """The first of the predicates' comparisons: of each column with itself."""
        return self._own(self.predicates)

    def _own(self, comparisons: Comparisons) -> Comparisons:
        own = comparisons.left[comparisons.left == comparisons.right]
        return comparisons_of(own.tolist(), self.ordered, [])

    @cached_property
    def codec(self) -> Codec:
        """Between the arrays of a search and law objects."""
        return Codec(self.names, self.predicates)


def space_of(relation: Relation, options: Options) -> PredicateSpace:
    """The comparisons that the options allow for a table."""
    columns = _chosen(relation.names, options)
    kinds = (*NUMBERS, *MOMENTS, "category", *(("string",) if options.order_strings else ()))
    with_order = np.array([column.ordered for column in relation.columns], np.bool_)
    ordered = with_order & np.array([column.type in kinds for column in relation.columns], np.bool_)
    compared = columns if {"pod", "dc"} & {*options.kinds} else []
    crossed = columns if "dc" in options.kinds else []
    crossings = _crossings(relation, crossed, ordered, options.cross_columns)
    equivalents, possible = tuple[Equivalence, ...](), comparisons_of(compared, ordered, crossings)
    if options.grouped:
        # Before the first kernels are compiled here.
        compile_elsewhere(practices_for(options.kinds, relation.ranks().shape[1], len(columns)))
        denials = DCColumns(ordered, crossings, partial(_have_same_values, relation))
        alike = same_classes(relation.ranks(), columns)
        equivalents = equivalences_of(alike, options, with_order, len(columns), denials)
        compared = without_represented(compared, equivalents, "dc")
        crossings = [one for one in crossings if one.left in compared and one.right in compared]
    return PredicateSpace(
        relation.names,
        np.array(without_represented(columns, equivalents, "fd"), np.int64),
        comparisons_of(list(range(len(relation.names))), with_order, []),
        comparisons_of(compared, ordered, crossings),
        ordered,
        scales_of(relation, crossings),
        equivalents,
        possible,
    )


def _chosen(names: Sequence[str], options: Options) -> list[int]:
    require_columns(options.columns or (), names, "columns")
    require_columns(options.exclude, names, "exclude")
    require_columns([] if options.about is None else [options.about], names, "about")
    wanted = names if options.columns is None else options.columns
    return [number for number, name in enumerate(names) if name in wanted and name not in options.exclude]


def _crossings(relation: Relation, columns: Sequence[int], ordered: Flags, which: str) -> list[Crossing]:
    """The pairs of columns that are compared with each other."""
    if which == "off" or (which == "auto" and len(columns) > MANY_COLUMNS):
        return []
    values = cache(lambda number: relation.dictionary(relation.names[number]))
    means, found = {number: _mean(relation, number, values) for number in columns}, []
    for left, right in combinations(columns, 2):
        kinds = relation.columns[left], relation.columns[right]
        if kinds[0].type != kinds[1].type or kinds[0].type in _ALONE:
            continue
        with_order = bool(ordered[left] and ordered[right])
        if which == "auto":
            alike = _alike(kinds[0], means[left], means[right])
            if not (with_order and alike) and not (
                _as_many(*kinds) and _share_values(values(left), values(right))
            ):
                continue
            with_order &= alike
        found.append(Crossing(left, right, with_order))
    return found


def _have_same_values(relation: Relation, left: int, right: int) -> bool:
    """Whether columns with the same ranks have the same values; those of types without a scale never do."""
    kinds = relation.columns[left].type, relation.columns[right].type
    if kinds[0] != kinds[1] or kinds[0] in _ALONE:
        return False
    values = _same_type([relation.dictionary(relation.names[column]) for column in (left, right)])
    return bool(values[0].equals(values[1]))


def _as_many(left: Column, right: Column) -> bool:
    """Whether two columns may have enough values in common: neither has far more than the other."""
    return min(left.distinct, right.distinct) >= COMMON * max(left.distinct, right.distinct)


def _share_values(left: pa.Array, right: pa.Array) -> bool:
    """Whether both columns have enough values in common; NULL is none."""
    left, right = _same_type([left.drop_null(), right.drop_null()])
    common = pc.sum(pc.is_in(left, value_set=right)).as_py() or 0
    return bool(common and common >= COMMON * max(len(left), len(right)))


def _alike(column: Column, left: float, right: float) -> bool:
    """Whether the order of two columns may mean something: moments always, numbers if about as large."""
    if column.type not in NUMBERS:
        return column.type in MOMENTS
    small, large = sorted((abs(left), abs(right)))
    return left * right >= 0 and large <= MAGNITUDE * small


def _mean(relation: Relation, number: int, values: Callable[[int], pa.Array]) -> float:
    """The mean of a column of numbers, over its rows, given the values of each column."""
    if relation.columns[number].type not in NUMBERS:
        return 0.0
    numbers = pc.cast(values(number), pa.float64()).to_numpy(zero_copy_only=False)
    ranks = relation.ranks()[number]
    counts = np.bincount(ranks[ranks >= 0], minlength=len(numbers))
    finite = np.isfinite(numbers)
    # No product of vectors: the threads of BLAS would go on spinning beside ours.
    return float((numbers[finite] * counts[finite]).sum() / max(counts[finite].sum(), 1))


def scales_of(relation: Relation, crossings: Sequence[Crossing]) -> dict[int, Scale]:
    """Ranks on one scale for columns that are compared with each other, directly or by way of others."""
    scales: dict[int, Scale] = {}
    for group in groups_of(crossings):
        values = _same_type([relation.dictionary(relation.names[number]) for number in group])
        ranks = dense_order(pa.concat_arrays(values), "equal")
        parts = np.split(ranks, np.cumsum([len(part) for part in values])[:-1])
        scales.update(zip(group, parts, strict=True))
    return scales


def groups_of(crossings: Iterable[Crossing]) -> list[list[int]]:
    """The columns that are compared with each other, directly or by way of others."""
    groups: list[set[int]] = []
    for left, right, _ in crossings:
        touched = [group for group in groups if left in group or right in group]
        groups = [group for group in groups if group not in touched] + [{left, right}.union(*touched)]
    return [sorted(group) for group in groups]


def _same_type(arrays: Sequence[pa.Array]) -> list[pa.Array]:
    kind = arrays[0].type
    for array in arrays[1:]:
        kind = common_type(kind, array.type)
    return [array.cast(kind) for array in arrays]
