"""The one way between law objects and the arrays that searches and collections keep them in.

A law is its kind, its target and a set: of the columns of its context or, for a POD or a denial constraint,
of atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.laws.base import KINDS, Law
from lawful.laws.comparisons import (
    ACROSS,
    EQUAL,
    GREATER,
    IN_FIRST,
    IN_SECOND,
    LESS,
    Comparisons,
    Crossing,
    Flags,
    Ints,
    atom_words,
    comparisons_of,
    mirrored_outcomes,
)
from lawful.laws.dc import DC, Cell, Comparison, Predicate, Row
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.operators import OUTCOMES, Operator
from lawful.laws.pod import POD
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, RIGHT_OUTCOMES, own_columns, split, swap
from lawful.words import Words, bit_set, sizes_of, words_for

KEY, FD_KIND, OD_KIND, POD_KIND, DC_KIND = range(len(KINDS))  # the number of each kind
OF_ATOMS = (POD_KIND, DC_KIND)  # whose laws are sets of atoms
SLACK = 8  # full arrays of laws become longer by one so many-th
AT_ONCE = 1 << 16  # items of an array that Python has at once: each takes a multiple of its size

# The operator for each set of excluded outcomes
_OPERATORS: dict[int, Operator] = {
    sum(bit for bit, outcome in ((LESS, "<"), (EQUAL, "="), (GREATER, ">")) if outcome not in allowed): name
    for name, allowed in OUTCOMES.items()
}
EXCLUDED: dict[Operator, int] = {operator: excluded for excluded, operator in _OPERATORS.items()}
_ROWS: dict[int, tuple[Row, Row]] = {ACROSS: ("t", "s"), IN_FIRST: ("t", "t"), IN_SECOND: ("s", "s")}


class LawArrays(NamedTuple):
    """Some laws, a line each."""

    kinds: Ints  # their places in KINDS
    targets: Ints  # as `lawful.laws.targets` says
    sets: Words

    def chosen(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_] | slice) -> LawArrays:
        """Those at some places."""
        return LawArrays(self.kinds[places], self.targets[places], self.sets[places])


def items_of(array: npt.NDArray[Any]) -> Iterator[Any]:
    """The items of an array as Python has them."""
    for first in range(0, len(array), AT_ONCE):
        yield from array[first : first + AT_ONCE].tolist()


def joined(parts: Iterable[LawArrays], words: int) -> LawArrays:
    """All laws of some parts, with sets of so many words, at least as many as any part has.

    There may be laws for much of all memory, so each part goes when it has come. The arrays grow in their
    place, which copies nothing, and by little: what they grow by is filled with zeros and takes memory.
    """
    laws = LawArrays(np.empty(0, np.int64), np.empty((0, 4), np.int64), np.empty((0, words), np.uint64))
    count = 0
    for part in parts:
        first, count = count, count + len(part.kinds)
        if count > len(laws.kinds):
            _resize(laws, count + count // SLACK)
        laws.kinds[first:count], laws.targets[first:count] = part.kinds, part.targets
        laws.sets[first:count] = padded(part.sets, words)
    _resize(laws, count)
    return laws


def _resize(laws: LawArrays, count: int) -> None:
    for array in laws:
        array.resize((count, *array.shape[1:]), refcheck=False)


def padded(sets: Words, words: int) -> Words:
    """The same sets with so many words."""
    return sets if sets.shape[1] == words else np.pad(sets, ((0, 0), (0, words - sets.shape[1])))


class Codec:
    """Laws over columns of some names, those of atoms over some comparisons of these columns."""

    def __init__(self, names: Sequence[str], comparisons: Comparisons | None = None) -> None:
        self.names = tuple(names)
        self.comparisons = _comparisons_for((), names) if comparisons is None else comparisons
        self.words = max(words_for(len(names)), atom_words(self.comparisons))

    @classmethod
    def of(cls, names: Sequence[str], laws: Iterable[Law]) -> Codec:
        """One that can encode the given laws."""
        return cls(names, _comparisons_for(laws, names))

    def encode(self, laws: Sequence[Law]) -> LawArrays:
        """Laws as arrays."""
        kinds = np.array([KINDS.index(law.kind) for law in laws], np.int64)
        targets = np.array([self._target(law) for law in laws], np.int64).reshape(-1, 4)
        sets = np.array([self._set(law) for law in laws], np.uint64).reshape(-1, self.words)
        return LawArrays(kinds, targets, sets)

    def decode(self, laws: LawArrays) -> Iterator[Law]:
        """The law objects, one at a time."""
        for kind, target, words in zip(*map(items_of, laws), strict=True):
            yield self._law(kind, target, words)

    def sizes(self, laws: LawArrays) -> Ints:
        """The size of each law."""
        sizes: Ints = np.bitwise_count(laws.sets).sum(axis=1, dtype=np.int64) + own_columns(laws.targets)
        of_atoms = np.isin(laws.kinds, OF_ATOMS)
        if of_atoms.any():
            sizes[of_atoms] = sizes_of(laws.sets[of_atoms], 3)
        return sizes

    def speak_of(self, laws: LawArrays, column: int) -> Flags:
        """Which of the laws speak of a column."""
        bits = (laws.sets[:, column >> 6] >> np.uint64(column & 63)) & np.uint64(1)
        speaking: Flags = (bits == 1) | (laws.targets[:, [LEFT, RIGHT]] == column).any(axis=1)
        of_atoms = np.isin(laws.kinds, OF_ATOMS)
        if of_atoms.any():
            compared = (self.comparisons.left == column) | (self.comparisons.right == column)
            wanted = bit_set(np.flatnonzero(np.repeat(compared, 3)), laws.sets.shape[1])
            speaking[of_atoms] = (laws.sets[of_atoms] & wanted).any(axis=1)
        return speaking

    def facts(self, laws: LawArrays) -> Flags:
        """Which of the laws are facts: constants, keys of at most one column, the DCs that state these."""
        sizes = self.sizes(laws)
        facts: Flags = (sizes <= 1) & (laws.kinds != DC_KIND)
        of_atoms = np.flatnonzero((sizes <= 1) & (laws.kinds == DC_KIND))
        if len(of_atoms):
            across = self.comparisons.left != self.comparisons.right
            others = bit_set(np.flatnonzero(np.repeat(across, 3)), laws.sets.shape[1])
            facts[of_atoms] = ~(laws.sets[of_atoms] & others).any(axis=1)
        return facts

    def _law(self, kind: int, target: list[int], words: list[int]) -> Law:
        bits = sum(word << (64 * place) for place, word in enumerate(words))
        if kind == DC_KIND:
            denied = (Predicate(left, operator, right) for (left, right), operator in self._denied(bits))
            return DC(frozenset(denied)).canonical()
        if kind == POD_KIND:
            return POD.denying(
                {left.column: operator for (left, _), operator in self._denied(bits)}
            ).canonical()
        context = frozenset(self.names[member] for member in _members(bits))
        if kind == KEY:
            return Key(context)
        if kind == FD_KIND:
            return FD(context, self.names[target[LEFT]])
        left, right = self.names[target[LEFT]], self.names[target[RIGHT]]
        return OD(context, left, right, descending=target[RIGHT_OUTCOMES] == LESS)

    def _denied(self, bits: int) -> Iterator[tuple[Comparison, Operator]]:
        """What a set of atoms says never comes together."""
        rest = bits
        while rest:
            k = ((rest & -rest).bit_length() - 1) // 3
            excluded = bits >> (3 * k) & 7
            rest &= ~(7 << (3 * k))
            equality = excluded != EXCLUDED["!="] and not self.comparisons.ordered[k]
            yield self.compared(k), "=" if equality else _OPERATORS[excluded]

    def compared(self, k: int) -> Comparison:
        """What a comparison compares."""
        first, second = _ROWS[int(self.comparisons.kind[k])]
        left, right = self.names[self.comparisons.left[k]], self.names[self.comparisons.right[k]]
        return Comparison(Cell(first, left), Cell(second, right))

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _written(self) -> Mapping[Comparison, tuple[int, bool]]:
        """The number of each comparison as predicates write it, and whether its sides are exchanged there."""
        places = {}
        for k in range(len(self.comparisons.kind)):
            left, right = self.compared(k)
            written = Predicate(left, "=", right).comparison
            places[written] = (k, written != Comparison(left, right))
        return places

    def _target(self, law: Law) -> tuple[int, int, int, int]:
        match law:
            case FD():
                return split(self._numbers[law.rhs])
            case OD():
                left, right = sorted((self._numbers[law.left], self._numbers[law.right]))
                return swap(left, right, law.descending)
        return DUPLICATE

    def _set(self, law: Law) -> list[int]:
        """Its words; of a POD or DC and its mirror image the smaller ones, as searches have it."""
        if isinstance(law, POD | DC):
            denial = law.as_dc()
            return min(self._words(map(self._atoms, one.predicates)) for one in (denial, denial.mirror()))
        target = self._target(law)
        return self._words([{self._numbers[name] for name in law.columns} - {target[LEFT], target[RIGHT]}])

    def _words(self, members: Iterable[Iterable[int]]) -> list[int]:
        bits = 0
        for member in chain.from_iterable(members):
            bits |= 1 << member
        return [bits >> (64 * word) & (2**64 - 1) for word in range(self.words)]

    def _atoms(self, predicate: Predicate) -> list[int]:
        k, turned = self._written[predicate.comparison]
        excluded = EXCLUDED[predicate.operator]
        if turned:
            excluded = mirrored_outcomes(excluded)
        atoms = 3 if self.comparisons.ordered[k] else 2
        return [3 * k + atom for atom in range(atoms) if excluded >> atom & 1]


def _members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _comparisons_for(laws: Iterable[Law], names: Sequence[str]) -> Comparisons:
    """Comparisons that the given denial constraints can be written with."""
    number = {name: place for place, name in enumerate(names)}
    crossed = set()
    for law in laws:
        for predicate in law.predicates if isinstance(law, DC) else ():
            left, right = sorted(number[cell.column] for cell in predicate.comparison)
            if left != right:
                crossed.add((left, right))
    crossings = [Crossing(left, right, ordered=True) for left, right in sorted(crossed)]
    return comparisons_of(list(range(len(names))), np.ones(len(names), np.bool_), crossings)
