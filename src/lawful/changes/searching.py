"""The search for all laws of a state's families: the first one, and those that large changes ask for.

These start from the evidence that is left, so that nearly all their candidates are laws: that takes less time
than a search from scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lawful.changes.kept_family import WITNESSES
from lawful.discovery import MAX_SIZE, Options, PredicateSpace, Progress, Search
from lawful.discovery.findings import Pairs
from lawful.engine import Engine
from lawful.errors import LawfulError
from lawful.laws.codec import LawArrays, joined

Kinds = tuple[int, ...]  # those of a family


class Searched(NamedTuple):
    """What a search has found of a family."""

    laws: LawArrays
    pairs: Pairs  # of rows, by their ids, that show its evidence
    seconds: float  # of CPU that it took; NaN if kernels had to be compiled


def search_all(
    engine: Engine,
    space: PredicateSpace,
    options: Options,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    known: Mapping[Kinds, Pairs] | None = None,
) -> dict[Kinds, Searched]:
    """Find all laws of the kinds that are asked for, and of those that these need, family by family.

    Of some families pairs of rows may be known, by their ids, that show evidence.
    """
    rows = engine.work.rows
    shown = {kinds: rows.numbers_of(pairs) for kinds, pairs in (known or {}).items()}
    needed = replace(options, kinds=tuple({*options.kinds} | ({"fd"} if "od" in options.kinds else set())))
    search = Search(engine, space, needed, on_progress, witnesses=WITNESSES, known=shown)
    laws = joined(search.laws(), space.codec.words)
    if search.progress.reason == "interrupted":
        raise KeyboardInterrupt
    if search.progress.reason not in (None, MAX_SIZE):
        raise LawfulError(
            f"the search did not find all laws ({search.progress.reason}), and a state keeps all: "
            "bound them with --max-size, or choose --columns or --kinds"
        )
    return {
        kinds: Searched(
            laws.chosen(np.isin(laws.kinds, kinds)),
            np.unique(rows.row_ids(pairs).astype(np.int32), axis=0).reshape(-1, 2),
            np.nan if search.progress.compiled else search.seconds()[kinds],
        )
        for kinds, pairs in search.witnesses().items()
    }
