"""What a person would tell others of a table, from its laws: a few sentences before the laws themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from lawful.discovery import MIN_BITS
from lawful.laws import FD
from lawful.laws.text import braced, quoted
from lawful.report.collection import Laws
from lawful.report.law_sentences import in_words, listed, sentence
from lawful.report.sentences import at_least_bits, number

_NAMED = 10  # columns or groups of them, where there may be any number
_SOURCES = 3  # of columns that follow from others
_NEAR = 4  # columns of what would be a key: more are a key of anything
_PARTNERS = 0.5  # rows that agree with a row on the left side, on average: fewer show little
_TRIED = 1000  # FDs among which these are looked for


def overview(laws: Laws) -> Iterator[str]:
    """The best key or why there is none, constants, equivalent columns, columns that follow from others."""
    if laws.facts.stats.get("rows") == 0:
        yield "no rows: nothing to learn, every law holds"
        return
    if "key" in laws.facts.kinds:
        yield from _keys(laws)
    if constants := [quoted(name) for name in laws.constants]:
        yield f"all rows have the same {in_words(_some(constants, 'column'))}"
    if groups := [*_groups(laws.facts.equivalents)]:
        yield f"equivalent columns, of which laws name the first: {', '.join(_some(groups, 'group'))}"
    yield from _redundant(laws)


def _keys(laws: Laws) -> Iterator[str]:
    same, most = laws.facts.duplicates, laws.facts.options.get("max_size")
    if best := next(iter(laws.filter(kind="key").sorted("size")[:1].items()), None):
        key, rating = best
        chance = key.size > 1 and rating.bits < MIN_BITS
        yield f"{sentence(key)}{', which may be chance' if chance else ''}"
    elif same is not None:
        more = f", and {number(same['rows'], 'row')} in all repeat others" if same["rows"] > 1 else ""
        yield f"no key: {_identical(same)} are identical{more}"
        if near := [braced(names) for names in same["nearest"] if 0 < len(names) <= _NEAR]:
            yield f"without repeated rows {' or '.join(near)} would be a key"
        elif any(same["nearest"]):
            yield f"without repeated rows a key would take {min(map(len, same['nearest']))} columns"
    elif laws.facts.hidden.get("key"):
        return
    elif most is not None:
        yield f"no key of at most {number(most, 'column')}{at_least_bits(laws).replace(' of', ' and of')}"
    elif laws.complete and at_least_bits(laws):
        yield "no two rows are identical, but what tells them apart may be chance: --all finds such keys"


def _identical(same: Mapping[str, Any]) -> str:
    """Two identical rows: those of a source are counted from 1, those of a state have ids."""
    if "ids" in same:
        return "the rows with the ids {} and {}".format(*same["ids"])
    return "rows {:,} and {:,}".format(*same["example"])


def _groups(equivalents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Groups of equivalent columns but for those within others, which are in one order besides."""
    for group in equivalents:
        if not any({*group["columns"]} < {*other["columns"]} for other in equivalents):
            yield _group(group)


def _group(group: Mapping[str, Any]) -> str:
    """Equivalent columns, with those that fall where the first one rises."""
    turned = {*group["reversed"]}
    return " <-> ".join(f"{quoted(name)}{' (reversed)' * (name in turned)}" for name in group["columns"])


def _redundant(laws: Laws) -> Iterator[str]:
    """Columns that follow from others by laws that are no mere chance."""
    derived = _derived(laws)
    parts: list[str] = []
    left = sum(map(len, derived.values()))
    it = "it" if left == 1 else "they"
    for source, columns in islice(derived.items(), _SOURCES):
        follow = "" if parts else "follows " if len(columns) == 1 else "follow "
        names = in_words(_some([quoted(name) for name in sorted(columns)], "column"))
        parts.append(f"{names} {follow}from {listed(source)}")
        left -= len(columns)
    if left:
        parts.append(f"{number(left, 'more column')} from others")
    if parts:
        yield f"{'; '.join(parts)}: {it} could be dropped"


def _derived(laws: Laws) -> dict[Set[str], list[str]]:
    """Columns that could be dropped, by those that they follow from; never two from each other.

    They follow by laws that many rows show, from few columns rather than from many, and from those that
    determine the most.
    """
    determined: dict[Set[str], list[str]] = {}
    others = laws.facts.stats.get("rows", math.inf) - 1  # that a row may agree with
    fds = laws.filter(kind="fd", min_bits=MIN_BITS).split(max_size=1)[1].sorted("size")
    for law, rating in fds[:_TRIED].items():
        if isinstance(law, FD) and rating.score > 0 and rating.score * others >= _PARTNERS:
            determined.setdefault(law.lhs, []).append(law.rhs)
    sources: dict[str, Set[str]] = {}
    derived: dict[Set[str], list[str]] = {}
    for source in sorted(determined, key=lambda lhs: (len(lhs), -len(determined[lhs]))):
        for column in determined[source]:
            if column not in sources.keys() | _origins(source, sources):
                sources[column] = source
                derived.setdefault(source, []).append(column)
    return derived


def _origins(columns: Set[str], sources: Mapping[str, Set[str]]) -> set[str]:
    """These columns and all that they follow from."""
    origins = set(columns)
    for column in columns & sources.keys():
        origins |= _origins(sources[column], sources)
    return origins


def _some(parts: Sequence[str], what: str) -> list[str]:
    """The first of many parts of a sentence, and how many more there are."""
    left = len(parts) - _NAMED
    return [*parts[:_NAMED], *([number(left, f"more {what}")] if left > 0 else [])]
