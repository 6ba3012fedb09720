"""The first version of a state: the laws that a search finds, and pairs of rows that show its evidence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lawful.changes.agree_counts import arrays_of, counted_agree_sets
from lawful.changes.family_arrays import FAMILIES, named_arrays
from lawful.changes.frozen_space import space_to_json
from lawful.changes.kept_family import WITNESSES
from lawful.changes.state_folder import Saved, StateFolder
from lawful.costs import agree_set_seconds
from lawful.discovery import MAX_SIZE, Options, Progress, Search, space_of
from lawful.engine import Threads
from lawful.errors import LawfulError
from lawful.laws.codec import joined
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked
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
    folder.create()
    try:
        _fill(folder, source, options, reading, session, on_read, on_progress, counts)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise


def _fill(
    folder: StateFolder,
    source: Any,
    options: Options,
    reading: SourceOptions,
    session: SparkSession | None,
    on_read: Callable[[Relation], None],
    on_progress: Callable[[Progress], None],
    counts: bool | None,
) -> None:
    relation = read(source, reading, session, folder.relation)
    on_read(relation)
    space, rows = space_of(relation, options), ranked(relation)
    needed = replace(options, kinds=tuple({*options.kinds} | ({"fd"} if "od" in options.kinds else set())))
    search = Search(Threads(Workspace(rows)), space, needed, on_progress, witnesses=WITNESSES)
    laws = joined(search.laws(), space.codec.words)
    if search.progress.reason not in (None, MAX_SIZE):
        raise LawfulError(
            f"the search did not find all laws ({search.progress.reason}), and a state keeps all: "
            "bound them with --max-size, or choose --columns or --kinds"
        )
    arrays: dict[str, npt.NDArray[Any]] = {}
    for kinds, pairs in search.witnesses().items():
        number = FAMILIES.index(kinds)
        own = laws.chosen(np.isin(laws.kinds, kinds))
        arrays |= named_arrays(number, own, np.zeros(len(own.kinds), np.int64))
        arrays[f"pairs-{number}"] = np.unique(rows.row_ids(pairs).astype(np.int32), axis=0).reshape(-1, 2)
    if counts or (counts is None and agree_set_seconds(rows.count, rows.columns, rows.count) < SHORT_COUNTS):
        arrays |= arrays_of(counted_agree_sets(relation))
    asked = {**asdict(options), "kinds": list(options.kinds)}
    folder.switch(Saved(0, relation.version, asked, space_to_json(space)), arrays)
