"""The oracle of what follows: two rows are enough to break a law, so all ways in which two rows can compare
in all columns decide whether a law follows from others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from hypothesis import strategies as st

import naive
from lawful.laws import FD, OD, Key, Law

VALUES: dict[str, list[tuple[object, ...]]] = {
    "equal": [(0, 1), (0, 0), (1, 0)],
    "distinct": [(0, 1), (0, 0), (1, 0), (None, 0)],
}


def pairs(names: Sequence[str], nulls: naive.Nulls) -> Iterator[naive.Table]:
    """Two rows in every way in which they can compare."""
    for columns in product(VALUES[nulls], repeat=len(names)):
        yield naive.Table(names, [*zip(*columns, strict=True)], nulls=nulls)


def follows(law: Law, known: Iterable[Law], names: Sequence[str], nulls: naive.Nulls = "equal") -> bool:
    """Whether a law holds wherever the known ones do."""
    known = list(known)
    return all(
        naive.holds(law, two) for two in pairs(names, nulls) if all(naive.holds(own, two) for own in known)
    )


@st.composite
def laws_over(draw: st.DrawFn, names: Sequence[str]) -> Law:
    """A key, an FD or an OD."""
    order = draw(st.permutations(names))
    context = draw(st.frozensets(st.sampled_from(order[2:]), max_size=2)) if order[2:] else frozenset[str]()
    kind = draw(st.sampled_from(["key", "fd", "fd", "od", "od", "od"]))
    if kind == "key":
        return Key(context | {order[0]})
    if kind == "fd":
        return FD(context | draw(st.sampled_from([frozenset(), frozenset([order[1]])])), order[0])
    return OD(context, order[0], order[1], draw(st.booleans()))


def theories(names: Sequence[str], most: int = 6) -> st.SearchStrategy[list[Law]]:
    """A few laws."""
    return st.lists(laws_over(names), max_size=most)
