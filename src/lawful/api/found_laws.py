"""What is to be said of the laws that a search found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from lawful.discovery import MANY_COLUMNS, MAX_SIZE, TOO_MANY, Options, Progress, Search, duplicates_of
from lawful.engine import TIME_LIMIT
from lawful.laws import KINDS
from lawful.laws.codec import LawArrays
from lawful.laws.text import visible
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Ratings
from lawful.report.sentences import NAMES, number
from lawful.table import Relation


def rated_laws(relation: Relation, settings: Options, search: Search, found: LawArrays) -> tuple[Laws, Laws]:
    """Laws that a search found, with all that is to be said of them: those asked for, and those hidden."""
    scores = search.scores(found)
    # Bits to a millionth: the order of laws must not depend on the order in which sums were made.
    ratings = Ratings(scores, np.round(search.bits(found, scores), 6))
    progress, kinds = search.progress, tuple(kind for kind in KINDS if kind in settings.kinds)
    facts = Facts.of_table(
        relation,
        complete=progress.reason is None,
        reason=progress.reason,
        kinds=kinds,
        found=progress.found,
        options={**asdict(settings), "kinds": list(settings.kinds)},
        stats={
            "evidence": progress.evidence,
            "validated": progress.validated,
            "refuted": progress.refuted,
            "resumed": progress.resumed,
        },
        version=_version(),
        equivalents=equivalents_of(search),
    )
    everything = Laws.best_first(search.codec, found, ratings, facts)
    laws, hidden = everything.split(settings.about, min_score=settings.min_score)
    laws = laws.with_facts(
        hidden={kind: count for kind, count in hidden.counts.items() if count},
        duplicates=_duplicates(search, everything),
        notes=tuple(_notes(relation, search, settings)),
    )
    return laws, hidden


@cache
def _version() -> str:
    """Of lawful: to look it up takes as long as the search of a small table."""
    return version("lawful")


def equivalents_of(search: Search) -> tuple[dict[str, Any], ...]:
    """Which columns stand for which."""
    return tuple(one.told(search.space.names) for one in search.space.equivalents)


def _notes(relation: Relation, search: Search, settings: Options) -> Iterator[str]:
    """What a person should know of a search: which laws are left out, how denial constraints compare."""
    for kind, size in search.progress.left_out.items():
        if kind in settings.kinds and search.progress.reason == TOO_MANY:
            what = "comparison" if kind in ("pod", "dc") else "column"
            found = f"all {NAMES[kind][1]} of up to {number(size - 1, what)} are found"
            yield f"{found}; larger ones are left out"
    if search.progress.reason == TIME_LIMIT:
        yield from _spent(search.progress, settings.time_limit or 0)
    if "dc" not in settings.kinds:
        return
    columns = [relation.columns[number] for number in search.space.compared]
    if settings.cross_columns == "auto" and search.space.breadth > MANY_COLUMNS:
        yield (
            f"DCs compare no two of more than {MANY_COLUMNS} columns: --columns chooses some, "
            "--cross-columns all compares them all"
        )
    incomplete = [visible(column.name) for column in columns if column.nulls]
    if incomplete and settings.cross_columns != "off" and relation.nulls_are_equal:
        more = f" and {len(incomplete) - 3} more" if len(incomplete) > 3 else ""
        yield (
            f"NULLs in {', '.join(incomplete[:3])}{more} are less than every value: "
            'a DC such as "starts before it ends" is lost where an end is missing; --nulls distinct keeps it'
        )


def _spent(progress: Progress, limit: float) -> Iterator[str]:
    """What else took the time that there was."""
    reading = progress.seconds.get("read", 0)
    if reading > limit / 10:
        yield f"{reading:.1f} s of the time went into reading: --time-limit counts that, too"
    if progress.compiled:
        yield "part of the time went into compiling, which is done once: the next search has more"


def _duplicates(search: Search, laws: Laws) -> dict[str, Any] | None:
    """Which identical rows leave a table without a key, if that is why it has none."""
    if laws.counts.get("key") != 0 or search.progress.reason not in (None, MAX_SIZE):
        return None
    found = duplicates_of(search.rows, search.space)
    return None if found is None else asdict(found)
