"""Lists of columns to sort by, and what it takes that sorting by one list sorts by another.

A list-based (lexicographic) order dependency is a set of set-based ones, and the other way round (Szlichta
et al., 2017; DISTOD, section 3.3): rows sorted by X are sorted by Y exactly if X determines all columns of Y,
and x ~ y for each x of X and each y of Y among rows that agree on the columns before these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from lawful.laws import FD, OD, Law
from lawful.laws.text import Tokens, quoted


class SortItem(NamedTuple):
    """A column in a list to sort by. NULL is smaller than all values unless `nulls_first` says otherwise."""

    column: str
    descending: bool = False
    nulls_first: bool | None = None

    def __str__(self) -> str:
        odd = "" if self.nulls_are_smallest else f" nulls {'first' if self.nulls_first else 'last'}"
        return f"{quoted(self.column)}{' desc' * self.descending}{odd}"

    @property
    def nulls_are_smallest(self) -> bool:
        """Whether NULL is where the laws have it: first, or last in a descending order."""
        return self.nulls_first is None or self.nulls_first != self.descending

    def reversed(self) -> SortItem:
        """The other way round, as if the sorted rows were read from behind."""
        nulls_first = None if self.nulls_first is None else not self.nulls_first
        return SortItem(self.column, not self.descending, nulls_first)

    def plain(self, nullable: Collection[str]) -> SortItem:
        """The same without a word on NULLs, where these are as in laws, or there are none."""
        return SortItem(*self[:2]) if self.nulls_are_smallest or self.column not in nullable else self


def parse_order(text: str) -> tuple[SortItem, ...]:
    """The list that a text such as "a, b desc, c nulls last" means."""
    tokens = Tokens(text, "the order")
    items = [] if tokens.peek().kind == "end" else [_item(tokens)]
    while tokens.take_if(","):
        items.append(_item(tokens))
    tokens.take_end()
    return tuple(items)


def _item(tokens: Tokens) -> SortItem:
    column, descending = tokens.take_name(), tokens.take_if("desc")
    if not descending:
        tokens.take_if("asc")
    nulls_first = tokens.take("first", "last") == "first" if tokens.take_if("nulls") else None
    return SortItem(column, descending, nulls_first)


def shown(items: Sequence[SortItem]) -> str:
    """A list as text."""
    return ", ".join(map(str, items))


def set_based(
    left: Sequence[SortItem], right: Sequence[SortItem], nullable: Collection[str] = ()
) -> Iterator[tuple[Law, ...]]:
    """The laws that together mean that sorting by `left` sorts by `right`: of each tuple one is enough.

    Where NULLs of a column that may hold some are not where the laws have them, no OD speaks of that order.
    """
    columns = frozenset(item.column for item in left)
    for item in right:
        if item.column not in columns:
            yield (FD(columns, item.column),)
    for (i, one), (j, other) in product(enumerate(left), enumerate(right)):
        context = frozenset(item.column for item in (*left[:i], *right[:j]))
        if one.column not in context and other.column not in context:
            yield from _compatible(context, one.plain(nullable), other.plain(nullable))


def _compatible(context: frozenset[str], one: SortItem, other: SortItem) -> Iterator[tuple[Law, ...]]:
    if one == other:
        return
    if one.column == other.column:
        yield (FD(context, one.column),)
    elif one.nulls_are_smallest and other.nulls_are_smallest:
        yield (OD(context, one.column, other.column, one.descending != other.descending),)
    else:
        yield FD(context, one.column), FD(context, other.column)
