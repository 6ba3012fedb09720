"""Laws that are kept true: the calls that a user makes on tables that change."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lawful.api.found_laws import rated_laws
from lawful.api.keywords import Keywords, settings_of
from lawful.changes import LawState, attach, make_state
from lawful.changes.state_folder import holds_state
from lawful.discovery import DEFAULT_KINDS, MAX_SIZE, MIN_BITS, Progress
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report.collection import Laws
from lawful.report.law_sources import laws_from
from lawful.report.page.page_document import Reported
from lawful.report.page.page_file import check_report_file, write_report
from lawful.table import Relation, SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_AS_FOUND = SourceOptions()


class State(LawState):
    """A table and its laws in a folder: `insert`, `delete` and `update` rows, ask for the `laws` at any time.

    Examples:
        >>> import lawful
        >>> state = lawful.keep([{"zip": "0150", "city": "Oslo"}, {"zip": "5003", "city": "Bergen"}], "fd")
        >>> change = state.insert([{"zip": "0150", "city": "Bergen"}])
        >>> [(str(law), rows) for law, rows, since in change.removed]
        [('{city} -> zip', (2, 1)), ('{zip} -> city', (2, 0))]
    """

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
        return f"<State {str(self.path)!r}: {self.n_rows:,} rows, version {self.version}; {counts}>"

    def laws(self, min_bits: float = MIN_BITS, all: bool = False) -> Laws:
        """The minimal laws of the table as it is now, of at least so many bits, or all of them."""
        least = 0.0 if all else min_bits
        settings = replace(self.options, min_bits=least)
        found, reason = self.law_arrays, None if self.options.max_size is None else MAX_SIZE
        search = self.search(Progress(found=len(found.kinds), reason=reason))
        every, _ = rated_laws(self.relation, settings, search, found)
        laws = every.filter(min_bits=least)
        return laws.with_facts(
            complete=every.complete,
            reason=every.facts.reason,
            found=len(laws),
            duplicates=_by_ids(laws.facts.duplicates),
        )

    def report(
        self, path: str | Path, min_bits: float = MIN_BITS, all: bool = False, force: bool = False
    ) -> None:
        """Write a page for people: one .html file with the table, its laws as they are now, its history."""
        check_report_file(path, self.path, force)
        write_report(self.reported(min_bits, all), path)

    def reported(
        self, min_bits: float = MIN_BITS, all: bool = False, suspects: pa.Table | None = None
    ) -> Reported:
        """What such a page is made of."""
        return Reported(
            self.laws(min_bits, all), self.path.name, self.relation, suspects=suspects, history=self.history()
        )

    def attach(
        self,
        stream: DataFrame,
        name: str = "stream",
        *,
        checkpoint: str | Path | None = None,
        quarantine: str | Path | None = None,
        min_bits: float = 0.0,
    ) -> StreamingQuery:
        """Take the rows of a streaming table in, batch by batch, as long as the query that is returned runs.

        Each batch is one change of the state, in which its number is kept: one that comes again after a crash
        is not counted twice. Give a name to each of several streams. With a quarantine folder laws are
        enforced instead of learned, those of at least `min_bits` bits. The state object does not follow: open
        the state again to see it.
        """
        return attach(self, stream, name, checkpoint, quarantine, min_bits)


def keep(
    source: Any,
    kinds: Collection[str] | str = DEFAULT_KINDS,
    *,
    folder: str | Path | None = None,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    on_read: Callable[[Relation], None] = lambda relation: None,
    on_progress: Callable[[Progress], None] | None = None,
    counts: bool | None = None,
    **settings: Unpack[Keywords],
) -> State:
    """Find all minimal laws of a table, and keep them true while rows come and go.

    Args:
        source: whatever `lawful.read` takes.
        kinds: which kinds of law to keep.
        folder: where the state lies, a new one; by default it goes when the object does.
        options: how to read the source.
        session: the Spark session to use, where one is needed.
        on_read: called with the table before the search.
        on_progress: called now and then with what is done so far; by default a notebook shows it.
        counts: whether to count how many pairs of rows agree on exactly which columns (`state.agree_sets()`,
            `state.pairs(...)`); by default where that takes a moment.
        **settings: as for `discover`; `min_bits` and `all` are for `laws`, since which laws are worth showing
            changes with the rows.
    """
    from lawful.report.progress_bar import shown_to  # with Rich, which workers of a cluster need not have

    asked: Any = {**settings, "all": True, "min_bits": None}
    search, reading = settings_of(kinds, options, asked)
    if search.about is not None or search.min_score:
        raise LawfulError("a state keeps all laws: filter what state.laws() gives")
    path = Path(tempfile.mkdtemp(prefix="lawful-state-")) if folder is None else Path(folder)
    with shown_to(on_progress) as told:
        make_state(path, source, search, reading, session, on_read, told, counts)
    state = State(path, durable=folder is not None)
    if folder is None:
        weakref.finalize(state, shutil.rmtree, path, ignore_errors=True)
    return state


def _by_ids(duplicates: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Identical rows by their ids, as all that a state says of rows: they are no places in a source."""
    if duplicates is None:
        return None
    known = {name: told for name, told in duplicates.items() if name != "example"}
    return {**known, "ids": tuple(row - 1 for row in duplicates["example"])}


def open_state(folder: str | Path) -> State:
    """The state that lies in a folder."""
    return State(folder)


def laws_of(given: Any) -> list[Law]:
    """The laws that are given to a call, also by a state or its folder."""
    return laws_from(_those_of_states(given))


def _those_of_states(given: Any) -> Any:
    """The same with the laws of states in their place."""
    if isinstance(given, State):
        return given.laws()
    if isinstance(given, str | Path) and holds_state(given):
        return open_state(given).laws()
    return [*map(_those_of_states, given)] if isinstance(given, list | tuple) else given
