"""Sorting less: which lists sort by which others, by the laws of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lawful.laws import Law
from lawful.reasoning.order_lists import SortItem, set_based, shown
from lawful.reasoning.theory import Theory
from lawful.shown import Shown

Items = tuple[SortItem, ...]
_ALL_PARTS = 8  # so long lists are shortened in every way, longer ones column by column


@dataclass(frozen=True)
class OrderAnswer(Shown):
    """Whether rows sorted by one list are sorted by another: what speaks for it, or what is missing."""

    left: Items
    right: Items
    used: tuple[Law, ...]
    missing: tuple[Law, ...]

    def __bool__(self) -> bool:
        return not self.missing

    def __str__(self) -> str:
        lists = f"[{shown(self.left)}] {'sorts' if self else 'need not sort'} by [{shown(self.right)}]"
        laws = ", ".join(map(str, self.used if self else self.missing))
        return f"{lists}{f': {laws}' if self and laws else '' if self else f', without {laws}'}"


@dataclass(frozen=True)
class SortAdvice:
    """What the laws of a table say about sorting it."""

    theory: Theory
    nullable: Collection[str] = ()

    def orders(self, left: Items, right: Items) -> OrderAnswer:
        """Whether sorting by one list sorts by another."""
        used: dict[Law, None] = {}
        missing = []
        for choices in set_based(left, right, self.nullable):
            proofs = (self.theory.proof(law) for law in choices)
            proof = next((found for found in proofs if found is not None), None)
            if proof is None:
                missing.append(choices[0])
            else:
                used.update(dict.fromkeys(proof))
        return OrderAnswer(left, right, tuple(used), tuple(dict.fromkeys(missing)))

    def same(self, left: Items, right: Items) -> bool:
        """Whether both lists put rows in the same order, ties included."""
        return self._sorts(left, right) and self._sorts(right, left)

    def shortest(self, items: Items, others: Sequence[str] = ()) -> Items:
        """The shortest list of the same order that was found: some of its columns, else also other ones."""
        best = self._part_of(items)
        while shorter := self._with_another(best, others):
            best = self._part_of(shorter)
        return best

    def serving(self, items: Items, columns: Sequence[str]) -> Iterator[Items]:
        """Short lists such that an index on one, read from either end, gives the rows in order."""
        if not items:
            return
        found = [(SortItem(column),) for column in columns if self.serves((SortItem(column),), items)]
        yield from found
        best = self.shortest(items)
        if best[:1] not in found and len(best) > 1:
            yield best if not best[0].descending else tuple(item.reversed() for item in best)

    def serves(self, index: Items, items: Items) -> bool:
        """Whether an index that is sorted by a list, read from either end, gives rows in an order."""
        return self._sorts(index, items) or self._sorts(tuple(item.reversed() for item in index), items)

    def _part_of(self, items: Items) -> Items:
        """The shortest part of a list that is of the same order."""
        if len(items) <= _ALL_PARTS:
            parts = (part for size in range(len(items)) for part in combinations(items, size))
            return next((part for part in parts if self.same(part, items)), items)
        for place in reversed(range(len(items))):
            part = items[:place] + items[place + 1 :]
            if self.same(part, items):
                items = part
        return items

    def _with_another(self, items: Items, others: Sequence[str]) -> Items | None:
        """A shorter list of the same order, in which one column stands for some that follow each other."""
        for size in range(len(items), 1, -1):
            for first in range(len(items) - size + 1):
                for column in others:
                    for descending in (False, True):
                        new = SortItem(column, descending)
                        shorter = (*items[:first], new, *items[first + size :])
                        if self.same(shorter, items):
                            return shorter
        return None

    def _sorts(self, left: Items, right: Items) -> bool:
        """Whether one list sorts by another, told as soon as it is known."""
        determined = self.theory.closure(item.column for item in left)
        return all(item.column in determined for item in right) and all(
            any(self.theory.implies(law) for law in choices)
            for choices in set_based(left, right, self.nullable)
        )
