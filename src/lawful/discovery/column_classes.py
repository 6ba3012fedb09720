"""Columns that have the same classes: the same pairs of rows agree on them. Each determines the others.

NULLs that equal nothing must stand in the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import numpy as np

from lawful.laws.comparisons import Ints
from lawful.table.ranked import Ranks

FEW_TELLING = 256  # rows of a column that tell it from most others

Trait = TypeVar("Trait", bound=Hashable)


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
        rows, sizes = len(self.ranks), sizes_of_classes(self.ranks).astype(np.float64)
        return float((sizes * (sizes - 1)).sum() / (rows * (rows - 1)))

    def in_one_order(self, columns: Iterable[int]) -> list[tuple[int, ...]]:
        """Some of the columns, those together that put the classes in the same or the reverse order."""
        return [*map(tuple, grouped(columns, lambda column: self.orders[column].digest).values())]


def same_classes(ranks: Ranks, columns: Iterable[int]) -> list[SameClasses]:
    """The groups of columns that have the same classes; constants are in none."""
    found: list[SameClasses] = []
    for _, alike in _alike(columns, lambda column: _at_a_glance(ranks[column])):
        for (classes, _), some in _alike(alike, lambda column: _in_short(ranks[column])):
            if classes > 1:
                found += _by_shape(ranks, some)
    return found


def _by_shape(ranks: Ranks, alike: Sequence[int]) -> Iterator[SameClasses]:
    shapes = {column: _shape(ranks[column]) for column in alike}
    for _, columns in _alike(alike, lambda column: shapes[column][0]):
        orders = {column: shapes[column][1] for column in columns}
        yield SameClasses(tuple(columns), ranks[columns[0]], orders)


def _alike(columns: Iterable[int], by: Callable[[int], Trait]) -> Iterator[tuple[Trait, list[int]]]:
    """What some columns have in common, and which these are."""
    return ((trait, some) for trait, some in grouped(columns, by).items() if len(some) > 1)


def grouped(columns: Iterable[int], by: Callable[[int], Trait]) -> dict[Trait, list[int]]:
    """Columns by what they have in common."""
    groups: dict[Trait, list[int]] = {}
    for column in columns:
        groups.setdefault(by(column), []).append(column)
    return groups


def sizes_of_classes(ranks: Ranks) -> Ints:
    """The sizes of the classes of a column; a NULL that equals nothing is one of its own."""
    known = ranks[ranks >= 0]
    sizes: Ints = np.concatenate([np.bincount(known), np.ones(len(ranks) - len(known), np.int64)])
    return sizes


def _at_a_glance(ranks: Ranks) -> tuple[int, bytes]:
    """How many values there are, but for one, and the classes of a few rows from everywhere."""
    few = ranks[:: len(ranks) // FEW_TELLING + 1]
    return int(ranks.max(initial=-1)), _classes(few, _first_rows(few))


def _in_short(ranks: Ranks) -> tuple[int, int]:
    """How many classes there are, and how many pairs of rows agree."""
    sizes = sizes_of_classes(ranks)
    return len(sizes), int(np.square(sizes).sum())


def _shape(ranks: Ranks) -> tuple[bytes, ClassOrder]:
    """The classes of a column, and their order."""
    firsts = _first_rows(ranks)
    turned = len(firsts) > 1 and bool(firsts[0] > firsts[-1])
    order = ClassOrder(_digest(firsts[::-1] if turned else firsts), turned)
    return _classes(ranks, firsts), order


def _first_rows(ranks: Ranks) -> Ranks:
    """The first row of each rank that there is."""
    rows = np.flatnonzero(ranks >= 0)[::-1]
    firsts = np.empty(int(ranks.max(initial=-1)) + 1, np.int32)
    firsts[ranks[rows]] = rows  # the last that is written stays
    return firsts


def _classes(ranks: Ranks, firsts: Ranks) -> bytes:
    return _digest(np.append(firsts, np.int32(-1))[ranks])  # -1: a NULL that equals nothing


def _digest(array: Ranks) -> bytes:
    return blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()
