"""Why a table has no key: some of its rows are identical. What would be its keys without them."""

from dataclasses import dataclass

import numpy as np

from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.search import Search
from lawful.discovery.search_options import Options
from lawful.engine import Threads
from lawful.laws.comparisons import Ints
from lawful.machine import free_bytes
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.contexts import split_by, whole
from lawful.validate.partition import Partition, RowNumbers

SECONDS = 2.0  # that a search for the nearest keys may take: it is an answer beside the one asked for
SAMPLED = 20  # rows: to compare more of them takes longer than the rest
SHOWN_KEYS = 3


@dataclass(frozen=True)
class Duplicates:
    """Rows that are identical in the columns that laws may speak of."""

    rows: int  # that repeat an earlier one
    example: tuple[int, int]  # the first two that are identical, the first row of the table being 1
    nearest: tuple[tuple[str, ...], ...]  # some smallest sets of columns that tell all other rows apart


def duplicates_of(rows: RankedRows, space: PredicateSpace) -> Duplicates | None:
    """What there is to say of identical rows; None where there are none."""
    alike = identical_rows(rows, space.columns)
    if len(alike.ends) == 0:
        return None
    firsts, ids = np.append(0, alike.ends[:-1]), rows.row_ids(alike.rows)
    classes = np.repeat(np.arange(len(firsts)), np.diff(np.append(firsts, len(ids))))
    order = np.lexsort((ids, classes))  # each class stays where it is
    earliest = firsts[np.argmin(ids[order[firsts]])]
    first, second = ids[order[earliest : earliest + 2]].tolist()
    repeats = alike.rows[np.delete(order, firsts)]
    return Duplicates(len(repeats), (first + 1, second + 1), _nearest(rows, repeats, space))


def identical_rows(rows: RankedRows, columns: Ints) -> Partition:
    """The classes of rows that are equal in some columns."""
    order = columns[np.argsort(-rows.information[columns], kind="stable")]
    if len(order) == 0:
        return whole(rows)
    found = split_by(order[0], rows)
    for column in order[1:].tolist():
        found = split_by(column, rows, found)
    return found


def _nearest(rows: RankedRows, repeats: RowNumbers, space: PredicateSpace) -> tuple[tuple[str, ...], ...]:
    """Some smallest keys of the table without its repeated rows; none where that takes too much."""
    if 2 * rows.ranks.nbytes > free_bytes():
        return ()
    distinct = RankedRows(np.delete(rows.ranks, repeats, axis=1), rows.ordered)
    options = Options(("key",), min_bits=0, time_limit=SECONDS, sample_rows=SAMPLED)
    for laws in Search(Threads(Workspace(distinct)), space, options).laws():
        some = laws.chosen(np.argsort(space.codec.sizes(laws), kind="stable")[:SHOWN_KEYS])
        return tuple(tuple(sorted(law.columns)) for law in space.codec.decode(some))
    return ()
