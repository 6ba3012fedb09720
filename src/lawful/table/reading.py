"""Reading a source into a relation."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lawful.errors import LawfulError
from lawful.table.arrows import give_back, in_threads
from lawful.table.column_names import require_columns, unique_names
from lawful.table.columns import Dictionary, Rule
from lawful.table.manifests import ColumnFile, Manifest, make_safe, options_to_json, point_to, save_manifest
from lawful.table.pile import Reading
from lawful.table.placing import Way
from lawful.table.relation import Relation
from lawful.table.source_options import SourceOptions
from lawful.table.sources import gather
from lawful.table.store import new_codes, save_dictionary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DEFAULTS = SourceOptions()
_AT_ONCE = 4  # columns whose dictionaries are in memory
_LONG = 1 << 16  # one whose memory is worth to be given back


def read(
    source: Any,
    options: SourceOptions = _DEFAULTS,
    session: SparkSession | None = None,
    folder: str | Path | None = None,
    way: Way = "auto",
) -> Relation:
    """Read a table and rank its columns.

    Args:
        source: a path, glob pattern or folder, here or at an address that Spark knows; "-" for standard
            input; "jdbc:..." (with options.table); "table:name" of Spark's catalog; a Spark, pandas, polars
            or Arrow table; a list of dicts. A relation that is read already stays as it is.
        options: how to read it.
        session: the Spark session to use, where one is needed.
        folder: where to keep the relation; by default it goes when the relation does.
        way: where the table is encoded: in this process, in Spark's workers, or where that pays.
            The result is the same.

    Raises:
        LawfulError: the source cannot be read as asked; nothing is left behind.
    """
    if isinstance(source, Relation) and folder is None:
        return source
    target = None if folder is None else Path(folder)
    if target is not None and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise LawfulError(f"{target} exists already: give a new folder for the relation")
    try:
        draft = Path(
            tempfile.mkdtemp(prefix="lawful-", dir=None if target is None else target.absolute().parent)
        )
    except OSError as problem:
        raise LawfulError(
            f"{target or 'a temporary folder'} cannot be written ({problem.strerror}): give another"
        ) from None
    try:
        heap = draft / "pile"
        _build(gather(source, options, session, way, heap), options, draft)
        give_back()
        heap.unlink(missing_ok=True)
        if target is None:
            return Relation(draft, options, temporary=True)
        draft.chmod(0o755)
        make_safe([*draft.iterdir(), draft])
        os.replace(draft, target)
        return Relation(target, options)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _build(reading: Reading, options: SourceOptions, folder: Path) -> None:
    """Write the files of a relation: the dictionaries of a few columns in memory at a time."""
    names = unique_names(reading.names)
    require_columns(options.types, names, "types")
    require_columns(options.unordered, names, "unordered")
    pile, named = reading.pile, any(reading.names)
    out = new_codes(folder / "codes-0.npy", (len(names), pile.n_rows))

    def build(index: int, name: str) -> ColumnFile:
        values, entries = pile.distinct(index)
        rule = Rule.of(name, reading.mode, options, reading.categories.get(index, ()))
        renamed = reading.names[index] if named and reading.names[index] != name else None
        rule = replace(rule, encodings=reading.encodings, renamed=renamed)
        dictionary, code = Dictionary.make(values, rule).sorted_by_rank()
        pile.write_codes(index, code[entries], out[index])
        unordered = name in options.unordered
        column = save_dictionary(folder, f"column-{index}-0.arrow", dictionary, unordered)
        del values, entries, dictionary, code
        if column.size >= _LONG:
            give_back()
        return column

    columns = in_threads(build, range(len(names)), names, most=_AT_ONCE)
    about = tuple(columns), "codes-0.npy", tuple(pile.blocks())
    save_manifest(folder, Manifest(0, *about, options=options_to_json(options)))
    point_to(folder, 0, durable=False)
