"""The first version of a state: the laws that a search finds, and pairs of rows that show its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lawful import costs
from lawful.changes.family_arrays import FAMILIES, family_arrays
from lawful.changes.frozen_space import space_to_json
from lawful.changes.kept_laws import AGREE_SETS
from lawful.changes.searching import search_all
from lawful.changes.state_folder import Arrays, Frozen, StateFolder
from lawful.discovery import Options, Progress, space_of
from lawful.engine import Threads
from lawful.evidence.agree_sets import AgreeSets
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked
from lawful.table.spaced import SpacedRanks
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHORT_COUNTS = 0.2  # seconds that counting agree-sets may take where nobody asked for it


def make_state(
    path: Path,
    source: Any,
    options: Options,
    reading: SourceOptions,
    session: SparkSession | None = None,
    on_read: Callable[[Relation], None] = lambda relation: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    counts: bool | None = None,
) -> None:
    """Find all minimal laws of a table, and keep them and it in a new folder.

    With `counts` the agree-sets of all pairs of rows are counted; by default where that takes a moment.
    """
    folder = StateFolder(path)
    with folder.made():
        relation = read(source, reading, session, folder.relation)
        on_read(relation)
        space, rows = space_of(relation, options), ranked(relation)
        arrays: dict[str, Arrays] = {}
        names = {kinds: name for name, kinds in FAMILIES.items()}
        for kinds, found in search_all(Threads(Workspace(rows)), space, options, on_progress).items():
            since = np.zeros(len(found.laws.kinds), np.int64)
            seconds_a_row = costs.WITH_EVIDENCE * found.seconds / max(rows.count, 1)
            arrays[names[kinds]] = family_arrays(found.laws, since, found.pairs, seconds_a_row)
        seconds = costs.agree_set_seconds(rows.count, rows.columns, rows.count)
        if counts or (counts is None and seconds < SHORT_COUNTS):
            arrays[AGREE_SETS] = _counted_agree_sets(relation).arrays()
        asked = {**asdict(options), "kinds": list(options.kinds)}
        folder.begin(Frozen(asked, space_to_json(space)), relation.version, arrays)


def _counted_agree_sets(relation: Relation) -> AgreeSets:
    """The agree-sets of all pairs of rows."""
    rows, counted = SpacedRanks(relation), AgreeSets(len(relation.names))
    counted.insert(rows.ranks, np.flatnonzero(rows.alive))
    return counted
