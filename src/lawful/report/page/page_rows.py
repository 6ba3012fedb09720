"""Rows in a page: a few that show laws at work, from which the page takes examples for any law."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.report.collection import Laws
from lawful.report.page.page_columns import shown
from lawful.report.page.page_laws import roles_of
from lawful.table import Relation

_LOOKED_AT = 100_000  # rows among which examples are looked for
_CELLS, _ROWS = 24_000, 480  # that a page has room for
_LAWS = 150  # of each kind that examples are looked for
_SPREAD = 12  # rows from the first to the last one, whatever the laws

Ranks = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]


def rows_document(relation: Relation, laws: Laws) -> dict[str, Any]:
    """Some rows: their numbers in the source; of each column its values in order, and where each row's is."""
    ranks, room = relation.ranks()[:, :_LOOKED_AT], min(_ROWS, _CELLS // max(1, len(relation.names)))
    chosen = np.sort(np.fromiter(_some_rows(ranks, laws, max(room, _SPREAD)), np.int64))
    ids = relation.row_ids[chosen]
    rows = relation.rows(ids)
    found = [np.unique(line[chosen], return_index=True, return_inverse=True) for line in ranks]
    return {
        "numbers": [place.row for place in relation.locate(ids)],
        "values": [
            [shown(values[place].as_py()) for place in first.tolist()]
            for values, (_, first, _) in zip(rows.columns, found, strict=True)
        ],
        "codes": [inverse.tolist() for _, _, inverse in found],
        "nulls_equal": relation.nulls_are_equal,
    }


def _some_rows(ranks: Ranks, laws: Laws, room: int) -> Iterable[int]:
    """The places of rows: spread over the table, then those that show the first laws of each kind."""
    count, number = ranks.shape[1], {name: place for place, name in enumerate(laws.names)}
    rows = dict.fromkeys(np.linspace(0, count - 1, min(count, _SPREAD), dtype=int).tolist())
    for kind in laws.counts:
        for law in islice(laws.filter(kind=kind), _LAWS):
            roles = roles_of(law)
            order = [] if roles.left is None else [number[roles.left]]
            rows.update(dict.fromkeys(_alike(ranks, [number[name] for name in sorted(roles.same)], order)))
            if len(rows) >= room:
                return islice(rows, room)
    return rows


def _alike(ranks: Ranks, same: list[int], order: list[int]) -> Iterator[int]:
    """Rows of the two largest groups that agree on some columns, a few of each, spread in an order."""
    lines = ranks[[*order, *same]]
    rows = np.lexsort(lines) if len(lines) else np.arange(ranks.shape[1])
    ends = _ends(ranks[same][:, rows])
    sizes = np.diff(ends, prepend=0)
    for group in np.argsort(-sizes, kind="stable")[:2].tolist():
        last, size = int(ends[group]), int(sizes[group])
        if size > 1 and (not same or (ranks[same, rows[last - 1]] >= 0).all()):
            yield from rows[np.linspace(last - size, last - 1, min(size, 5), dtype=int)].tolist()


def _ends(lines: Ranks) -> Places:
    """Where groups of equal columns of an array end that is sorted by them."""
    changes = (lines[:, 1:] != lines[:, :-1]).any(axis=0)
    return np.append(np.flatnonzero(changes) + 1, lines.shape[1])
