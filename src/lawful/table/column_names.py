"""Column names: made unique, and looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from lawful.errors import LawfulError


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names that differ: an empty one becomes column_1, ..., a repeated one a, a_2, a_3.

    A name that stands in the source unchanged is never given to another column.
    """
    given = [name if name.strip() else f"column_{i}" for i, name in enumerate(names, 1)]
    taken, seen, result = set(given), set[str](), list[str]()
    for name in given:
        free, count = name, 1
        while free in seen or (count > 1 and free in taken):
            count += 1
            free = f"{name}_{count}"
        seen.add(free)
        result.append(free)
    return tuple(result)


def require_columns(wanted: Iterable[str], names: Sequence[str], option: str) -> None:
    """Raise for the first wanted name that is no column."""
    for name in wanted:
        if name not in names:
            raise LawfulError(f"{option}: {unknown_column(name, names)}")


def unknown_column(name: str, names: Sequence[str]) -> str:
    """Say that there is no such column, and which ones were meant perhaps."""
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(repr(match) for match in close) + "?" if close else _known(names)
    return f"there is no column {name!r}: {hint}"


def unknown_columns(missing: Sequence[str], names: Sequence[str]) -> str:
    """Say that there are no such columns, and which there are."""
    if len(missing) == 1:
        return unknown_column(missing[0], names)
    return f"there are no columns {', '.join(map(repr, missing[:-1]))} and {missing[-1]!r}: {_known(names)}"


def _known(names: Sequence[str]) -> str:
    shown = ", ".join(repr(known) for known in names[:10])
    return f"the columns are {shown}{', ...' if len(names) > 10 else ''}"
