"""Equivalent columns: each determines the others, so that one stands for all in the laws that are looked for.

Two columns *have the same classes* if the same pairs of rows agree on them: then each determines the other.
(NULLs that equal nothing must stand in the same rows of both.) Where laws speak of equality only, as keys,
FDs and contexts of ODs do, the first of such columns stands for the others. As a side of an OD, and in DCs
with order, it stands for those that put the classes in the same or the reverse order. What stands for
another does so by more than chance: the FDs, or the ODs, between the two have the bits that are asked of laws.
So keys stand for each other as sides of ODs only: that one key determines another says nothing. Constants
stand for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

import numpy as np

from lawful.discovery.search_options import Options
from lawful.laws.codec import FD_KIND, OD_KIND, LawArrays
from lawful.laws.comparisons import Crossing, Flags, Ints
from lawful.laws.targets import as_targets, split, swap
from lawful.table.ranked import RankedRows, Ranks
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits

Column = TypeVar("Column", bound=Hashable)


class ClassOrder(NamedTuple):
    """The order in which the values of a column put its classes, up to reversal."""

    digest: bytes
    turned: bool


@dataclass(frozen=True)
class SameClasses:
    """Columns that have the same classes, in the table's order."""

    columns: tuple[int, ...]
    ranks: Ranks  # of the first of them
    orders: Mapping[int, ClassOrder]

    @property
    def score(self) -> float:
        """The share of pairs of rows that agree: the score of an FD from one of them."""
        rows, sizes = len(self.ranks), _sizes(self.ranks).astype(np.float64)
        return float((sizes * (sizes - 1)).sum() / (rows * (rows - 1)))


@dataclass(frozen=True)
class Equivalence:
    """Columns of which the first stands for the others in laws of some kinds."""

    columns: tuple[int, ...]
    turned: tuple[int, ...]  # whose order is the reverse of the first's
    ordered: bool  # whether the others are in its order or the reverse
    kinds: tuple[str, ...]  # "fd": wherever laws speak of equality only; "od": as a side; "dc"
    bits: Mapping[str, float]  # of the laws between two of them, by kind
    score: float  # of the FDs between two of them

    def told(self, names: Sequence[str]) -> dict[str, Any]:
        """It with the names of its columns, as plain data."""
        return {
            "columns": [names[column] for column in self.columns],
            "reversed": [names[column] for column in self.turned],
            "ordered": self.ordered,
            "kinds": list(self.kinds),
            "bits": {kind: round(bits, 6) for kind, bits in self.bits.items()},  # as those of laws
            "score": self.score,
        }


@dataclass(frozen=True)
class DCColumns:
    """What matters of columns that denial constraints compare: where one cannot stand for another."""

    ordered: Flags  # of each column of the table, whether its order counts
    crossings: Sequence[Crossing]
    same_values: Callable[[int, int], bool]  # of columns that have the same classes in the same order


def same_classes(ranks: Ranks, columns: Iterable[int]) -> list[SameClasses]:
    """The groups of columns that have the same classes; constants are in none."""
    alike = _grouped(columns, lambda column: _sizes_in_short(ranks[column]))
    found = []
    for (classes, _), some in alike.items():
        if classes > 1 and len(some) > 1:
            firsts = {column: _first_rows(ranks[column]) for column in some}
            by_classes = _grouped(some, lambda column: _digest(_classes(ranks[column], firsts[column])))  # noqa: B023
            for group in by_classes.values():
                if len(group) > 1:
                    orders = {column: _order(firsts[column]) for column in group}
                    found.append(SameClasses(tuple(group), ranks[group[0]], orders))
    return found


def equivalences_of(
    groups: Iterable[SameClasses], options: Options, ordered: Flags, breadth: int, denials: DCColumns
) -> tuple[Equivalence, ...]:
    """Which columns stand for which, in the table's order; `breadth` is the number of columns of laws."""
    found = []
    for group in groups:
        bits = _bits(group.ranks, breadth)
        kinds: dict[tuple[int, ...], list[str]] = {}
        if bits["fd"] >= options.min_bits and {*options.kinds} & {"key", "fd", "od"}:
            kinds.setdefault(group.columns, []).append("fd")
        if bits["od"] >= options.min_bits and "od" in options.kinds:
            sides = [column for column in group.columns if ordered[column]]
            for some in _in_one_order(group, sides):
                kinds.setdefault(some, []).append("od")
        if "dc" in options.kinds:
            enough = {kind: worth >= options.min_bits for kind, worth in bits.items()}
            for some in _exchangeable_in_dcs(group, denials, enough):
                kinds.setdefault(some, []).append("dc")
        found += [
            _equivalence(group, columns, of_kinds, bits, ordered)
            for columns, of_kinds in kinds.items()
            if len(columns) > 1
        ]
    return tuple(sorted(found, key=lambda one: (one.columns, one.kinds)))


def without_represented(columns: Sequence[int], equivalences: Iterable[Equivalence], kind: str) -> list[int]:
    """The columns that stand for themselves in laws of a kind."""
    represented = {column for one in equivalences if kind in one.kinds for column in one.columns[1:]}
    return [column for column in columns if column not in represented]


def _equivalence(
    group: SameClasses,
    columns: tuple[int, ...],
    kinds: list[str],
    bits: Mapping[str, float],
    ordered: Flags,
) -> Equivalence:
    first = group.orders[columns[0]]
    one_order = all(ordered[column] and group.orders[column].digest == first.digest for column in columns)
    turned = tuple(column for column in columns if one_order and group.orders[column].turned != first.turned)
    own = {kind: bits[kind] for kind in bits if kind in kinds}
    return Equivalence(columns, turned, one_order, tuple(kinds), own, group.score)


def _in_one_order(group: SameClasses, columns: Iterable[int]) -> list[tuple[int, ...]]:
    """The columns that put the classes in the same or the reverse order."""
    return [*map(tuple, _grouped(columns, lambda column: group.orders[column].digest).values())]


def _exchangeable_in_dcs(
    group: SameClasses, denials: DCColumns, enough: Mapping[str, bool]
) -> Iterable[tuple[int, ...]]:
    """Columns of which each can take the place of another in all its comparisons.

    That holds for columns with the same values. Others, in one order or without order, can do so where none
    is compared with another column.
    """
    with_order = [column for column in group.columns if denials.ordered[column]]
    without = tuple(column for column in group.columns if not denials.ordered[column])
    for columns, kind in [*((some, "od") for some in _in_one_order(group, with_order)), (without, "fd")]:
        alone: list[tuple[int, ...]] = []
        for same in _with_same_values(group, columns, denials.same_values):
            if any((left in same) != (right in same) for left, right, _ in denials.crossings):
                if enough["od"]:  # so many have one column's values in every row
                    yield same
            else:
                alone.append(same)
        if enough[kind]:
            yield tuple(sorted(column for same in alone for column in same))
        elif enough["od"]:
            yield from alone


def _with_same_values(
    group: SameClasses, columns: Iterable[int], same_values: Callable[[int, int], bool]
) -> list[tuple[int, ...]]:
    found: list[list[int]] = []
    for column in columns:
        for others in found:
            if group.orders[column] == group.orders[others[0]] and same_values(others[0], column):
                others.append(column)
                break
        else:
            found.append([column])
    return [*map(tuple, found)]


def _grouped(columns: Iterable[int], by: Callable[[int], Column]) -> dict[Column, list[int]]:
    groups: dict[Column, list[int]] = {}
    for column in columns:
        groups.setdefault(by(column), []).append(column)
    return groups


def _sizes(ranks: Ranks) -> Ints:
    """The sizes of the classes; a NULL that equals nothing is one of its own."""
    known = ranks[ranks >= 0]
    sizes: Ints = np.concatenate([np.bincount(known), np.ones(len(ranks) - len(known), np.int64)])
    return sizes


def _sizes_in_short(ranks: Ranks) -> tuple[int, int]:
    """How many classes there are and how many pairs of rows agree: most columns differ in these."""
    sizes = _sizes(ranks)
    return len(sizes), int(np.square(sizes).sum())


def _first_rows(ranks: Ranks) -> Ranks:
    """The first row of each rank."""
    rows = np.flatnonzero(ranks >= 0)[::-1]
    firsts = np.empty(int(ranks.max(initial=-1)) + 1, np.int32)
    firsts[ranks[rows]] = rows  # the last one that is written stays
    return firsts


def _classes(ranks: Ranks, firsts: Ranks) -> Ranks:
    """For each row the first one that agrees with it; -1 for a NULL that equals nothing."""
    return np.append(firsts, np.int32(-1))[ranks]


def _order(firsts: Ranks) -> ClassOrder:
    turned = len(firsts) > 1 and bool(firsts[0] > firsts[-1])
    return ClassOrder(_digest(firsts[::-1] if turned else firsts), turned)


def _digest(array: Ranks) -> bytes:
    return blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()


def _bits(ranks: Ranks, breadth: int) -> dict[str, float]:
    """The bits of the FDs and of the ODs between two columns that have the same classes.

    They depend on the sizes of the classes alone, so that the ranks of one column are enough.
    """
    classes = RankedRows(np.stack([ranks, ranks]), [True, True])
    targets = as_targets([split(1), swap(0, 1, descending=False)])
    laws = LawArrays(np.array([FD_KIND, OD_KIND]), targets, np.array([[1], [0]], np.uint64))
    fd, od = law_bits(Workspace(classes), laws, 1, breadth)
    return {"fd": float(fd), "od": float(od)}
