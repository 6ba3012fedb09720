"""Tables in parts, so that each fact is stored once: third normal form and Boyce-Codd normal form.

Whether a join of the parts is the table again is seen by the chase.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from lawful.errors import LawfulError
from lawful.laws import FD
from lawful.reasoning.candidate_keys import candidate_keys, key_within
from lawful.reasoning.closures import Closures, Columns, in_order
from lawful.reasoning.covers import fd_cover
from lawful.reasoning.theory import Theory


def joins_without_loss(names: Sequence[str], cover: Sequence[FD], parts: Sequence[Columns]) -> bool:
    """Whether the join of the parts has no rows but those of the table: the chase (Aho, Beeri, Ullman, 1979).

    Take a row of the join. Each part has it from some row of the table, which has its values (here 0) in the
    columns of the part and unknown ones in the others. The dependencies say which unknown values are equal.
    If one of these rows gets to be the row of the join, that is in the table.
    """
    symbols = [
        {name: 0 if name in part else number for name in names} for number, part in enumerate(parts, 1)
    ]
    changed = 1
    while changed:
        changed = sum(_apply(symbols, law) for law in cover)
    return any(set(row.values()) <= {0} for row in symbols)


def _apply(rows: Sequence[dict[str, int]], law: FD) -> bool:
    """Make equal what a dependency says is equal; whether anything changed."""
    groups: dict[tuple[int, ...], set[int]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in sorted(law.lhs)), set()).add(row[law.rhs])
    unequal = [values for values in groups.values() if len(values) > 1]
    for values in unequal:
        _replace(rows, law.rhs, values)
    return unequal != []


def _replace(rows: Sequence[dict[str, int]], name: str, values: set[int]) -> None:
    for row in rows:
        if row[name] in values:
            row[name] = min(values)


def is_kept(law: FD, closures: Closures, parts: Sequence[Columns]) -> bool:
    """Whether a dependency follows from those within single parts."""
    reached, before = frozenset(law.lhs), None
    while reached != before:
        before = reached
        for part in parts:
            reached |= closures.closure(reached & part) & part
    return law.rhs in reached


FORMS = ("3nf", "bcnf")
_TRIED = 14  # columns all sets of which are tried as left sides
_OF_MANY = 3  # columns in such a set, where there are more
_SOME_KEYS = 100  # of which the shortest is taken


@dataclass(frozen=True)
class SchemaPart:
    """One of the tables that a table is divided into."""

    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]  # that are known, the shortest first


@dataclass(frozen=True)
class Decomposition:
    """A table in parts; their natural join has the rows of the table, each once."""

    form: str
    parts: tuple[SchemaPart, ...]
    kept: tuple[FD, ...]  # dependencies that keys and FDs of single parts enforce
    lost: tuple[FD, ...]  # those that only a join can check
    lossless: bool  # whether the chase proves that the join has no other rows
    distinct: bool  # whether the table is known to have no identical rows, which the parts would not repeat


def normalized(theory: Theory, form: str) -> Decomposition:
    """The parts of a table in a normal form."""
    if form not in FORMS:
        raise LawfulError(f"{form!r} is no normal form: use one of {', '.join(FORMS)}")
    closures, cover = theory.closures, fd_cover(theory)
    parts = _synthesis(closures, cover) if form == "3nf" else [*_bcnf(closures, cover)]
    parts = _without_parts_of_others(parts)
    kept = [law for law in cover if is_kept(law, closures, parts)]
    return Decomposition(
        form,
        tuple(_part(closures, columns, cover) for columns in parts),
        tuple(kept),
        tuple(law for law in cover if law not in kept),
        joins_without_loss(theory.names, cover, parts),
        theory.is_key(frozenset(theory.names)),
    )


def _synthesis(closures: Closures, cover: Sequence[FD]) -> list[Columns]:
    """Third normal form (Bernstein, 1976): a part for each left side, and one with a key of the whole.

    Left sides that determine each other share a part where that is in Boyce-Codd normal form.
    """
    parts: dict[Columns, Columns] = {}
    for law in cover:
        lhs = frozenset(law.lhs)
        parts[lhs] = parts.get(lhs, lhs) | {law.rhs}
    lefts, alike = [*parts], defaultdict[Columns, list[Columns]](list)
    for lhs, part in parts.items():
        alike[closures.closure(lhs)].append(part)
    found: list[Columns] = []
    for some in alike.values():
        together = frozenset[str]().union(*some)
        found += some if _splitting(closures, together, lefts) else [together]
    everything = frozenset(closures.names)
    if not any(everything <= closures.closure(part) for part in found):
        found.append(min(islice(candidate_keys(closures), _SOME_KEYS), key=len))
    return found


def _bcnf(closures: Closures, cover: Sequence[FD]) -> Iterator[Columns]:
    """Boyce-Codd normal form: as long as a left side is no key of its part, what it determines moves out."""
    open_ones = [frozenset(closures.names)]
    lefts = list(dict.fromkeys(frozenset(law.lhs) for law in cover))
    while open_ones:
        part = open_ones.pop()
        split = _splitting(closures, part, lefts)
        if split is None:
            yield part
        else:
            moved = closures.closure(split) & part
            open_ones += [moved, part - (moved - split)]


def _left_sides(part: Columns, lefts: Sequence[Columns]) -> Iterator[Columns]:
    """Sets of columns of a part that may determine others: those of laws, then of all that follows."""
    yield from (lhs for lhs in lefts if lhs <= part)
    able = sorted(part & frozenset().union(*lefts))
    most = len(able) if len(able) <= _TRIED else _OF_MANY
    for size in range(most + 1):
        yield from map(frozenset, combinations(able, size))


def _splitting(closures: Closures, part: Columns, lefts: Sequence[Columns]) -> Columns | None:
    """A set that determines more of a part than itself, but not all; None if the part is in BCNF."""
    sets = _left_sides(part, lefts)
    return next((lhs for lhs in sets if lhs < closures.closure(lhs) & part < part), None)


def _without_parts_of_others(parts: Sequence[Columns]) -> list[Columns]:
    distinct = list(dict.fromkeys(parts))
    return [part for part in distinct if not any(part < other for other in distinct)]


def _part(closures: Closures, columns: Columns, cover: Iterable[FD]) -> SchemaPart:
    lefts = [frozenset(law.lhs) for law in cover if law.lhs <= columns <= closures.closure(law.lhs)]
    superkeys = [*lefts, columns]
    keys = {in_order(key_within(closures, one, columns), closures.names) for one in superkeys}
    return SchemaPart(
        in_order(columns, closures.names),
        tuple(sorted(keys, key=lambda key: (len(key), [*map(closures.names.index, key)]))),
    )
