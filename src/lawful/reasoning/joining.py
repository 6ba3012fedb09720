"""What becomes of a table and its dependencies when it is divided into parts and joined again."""

from __future__ import annotations

from collections.abc import Sequence

from lawful.laws import FD
from lawful.reasoning.closures import Closures, Columns


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
