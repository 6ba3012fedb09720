"""All candidate keys that follow from dependencies (Lucchesi and Osborn, 1978)."""

from __future__ import annotations

from collections.abc import Iterator

from lawful.reasoning.closures import Closures, Columns, in_order


def candidate_keys(closures: Closures) -> Iterator[Columns]:
    """The minimal sets that determine all columns, one after the other: there may be very many.

    Each comes of another key K and a dependency X -> a: X and K without a determine everything, too.
    """
    lefts = list(dict.fromkeys(closures.split_up()))
    everything = frozenset(closures.names)
    found = [key_within(closures, everything, everything)]
    yield found[0]
    for key in found:  # which grows
        for lhs, column in lefts:
            if column not in key:
                continue
            superkey = lhs | (key - {column})
            if not any(known <= superkey for known in found):
                found.append(key_within(closures, superkey, everything))
                yield found[-1]


def key_within(closures: Closures, superkey: Columns, columns: Columns) -> Columns:
    """A minimal part of a set that determines some columns, which does so as well."""
    for name in reversed(in_order(superkey, closures.names)):
        if columns <= closures.closure(superkey - {name}):
            superkey = superkey - {name}
    return superkey
