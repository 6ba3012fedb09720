"""Equivalent columns: each determines the others, so that one stands for all in the laws that are looked for.

Where laws speak of equality only, as keys, FDs and contexts of ODs do, the first of the columns that have the
same classes stands for the others. As a side of an OD, and in DCs with order, it stands for those that put
the classes in the same or the reverse order. What stands for another does so by more than chance: the FDs, or
the ODs, between the two have the bits that are asked of laws. So keys stand for each other as sides of ODs
only: that one key determines another says nothing. Constants stand for themselves.

DCs also compare columns with others, where only its copies can take the place of one. So all such columns are
searched, and what is the same law for equivalent ones is shown once (`ShownDenials`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lawful.discovery.column_classes import SameClasses
from lawful.discovery.search_options import Options
from lawful.laws.comparisons import Crossing, Flags
from lawful.validate.side_bits import bits_between


@dataclass(frozen=True)
class Equivalence:
    """Columns of which the first stands for the others in laws of some kinds."""

    columns: tuple[int, ...]
    turned: tuple[int, ...]  # whose order is the reverse of the first's
    ordered: bool  # whether the others are in its order or the reverse
    kinds: tuple[str, ...]  # where: `lawful.laws.exchange` says which there are
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
    """How denial constraints compare columns, and so where one cannot stand for another."""

    ordered: Flags  # of each column of the table, whether its order counts
    crossings: Sequence[Crossing]
    same_values: Callable[[int, int], bool]  # of columns that have the same classes in the same order

    def cross(self, columns: Iterable[int]) -> bool:
        """Whether one of some columns is compared with one that is not among them."""
        return any((left in columns) != (right in columns) for left, right, _ in self.crossings)


def equivalences_of(
    groups: Iterable[SameClasses], options: Options, ordered: Flags, breadth: int, denials: DCColumns
) -> tuple[Equivalence, ...]:
    """Which columns stand for which, in the table's order; `breadth` is the number of columns of laws."""
    found = []
    for group in groups:
        bits = dict(zip(("fd", "od"), bits_between(group.ranks, breadth), strict=True))
        enough = {kind for kind, worth in bits.items() if worth >= options.min_bits}
        kinds: dict[tuple[int, ...], list[str]] = {}
        for kind, columns in _exchangeable(group, {*options.kinds}, enough, ordered, denials):
            if len(columns) > 1:
                kinds.setdefault(columns, []).append(kind)
        found += [_equivalence(group, some, of_kinds, bits, ordered) for some, of_kinds in kinds.items()]
    return tuple(sorted(found, key=lambda one: (one.columns[0], -len(one.columns), one.columns)))


def without_represented(columns: Sequence[int], equivalences: Iterable[Equivalence], kind: str) -> list[int]:
    """The columns that stand for themselves in laws of a kind."""
    represented = {column for one in equivalences if kind in one.kinds for column in one.columns[1:]}
    return [column for column in columns if column not in represented]


def _exchangeable(
    group: SameClasses, wanted: set[str], enough: set[str], ordered: Flags, denials: DCColumns
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The columns of which each can take the place of another, for each kind that there is evidence for."""
    if "fd" in enough and wanted & {"key", "fd", "od"}:
        yield "fd", group.columns
    if "od" in enough and "od" in wanted:
        for columns in group.in_one_order(column for column in group.columns if ordered[column]):
            yield "od", columns
    if wanted & {"pod", "dc"}:
        in_one_order = group.in_one_order(column for column in group.columns if denials.ordered[column])
        without_order = tuple(column for column in group.columns if not denials.ordered[column])
        represented: set[int] = set()
        for columns in [*in_one_order, without_order]:
            alike = ("fd" if columns == without_order else "od") in enough
            for some in _exchangeable_in_dcs(group, columns, denials, alike, "od" in enough):
                represented.update(some[1:])
                yield "dc", some
        for kind, needed, sharing in [("equal", "fd", [group.columns]), ("order", "od", in_one_order)]:
            if needed in enough:
                yield from ((kind, some) for some in sharing if len({*some} - represented) > 1)


def _exchangeable_in_dcs(
    group: SameClasses, columns: Sequence[int], denials: DCColumns, alike: bool, same: bool
) -> Iterator[tuple[int, ...]]:
    """Columns that are in one order or have none: which of them can change places in all comparisons.

    Those with the same values can, if there is evidence that they are the `same`. Others can, if there is
    evidence that they are `alike`, where they are compared with no other column.
    """
    copies = _with_same_values(group, columns, denials.same_values)
    alone = [some for some in copies if not denials.cross(some)]
    if alike:
        yield tuple(sorted(column for some in alone for column in some))
    if same:
        yield from (some for some in copies if not alike or some not in alone)


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
