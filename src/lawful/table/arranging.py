"""An order of rows that keeps those alike together.

Kernels visit the rows class by class and look up their ranks. In a long table each look-up waits for memory,
unless rows that agree on much are neighbours. Files are often ordered so already; where a column's order does
better, that is the order to search in.
"""

import numpy as np
import numpy.typing as npt
import psutil

from lawful.table.store import Codes

LONG = 1 << 18  # rows from which on it pays
_CLASS = 64  # rows that have a value of the column in common at least, on average
_LOOKS = 1 << 14  # pairs of neighbours to compare
_ROOM = 4  # times the size of the ranks must be free: look-ups in a file that is not in memory gain nothing
_GAIN = 1.25  # times as many columns must agree as in the order of the file

Numbers = npt.NDArray[np.int64]


def arrangement(ranks: Codes) -> Numbers | None:
    """All rows of a long table in a better order than that of the file, where there is one."""
    rows = ranks.shape[1]
    if ranks.nbytes > psutil.virtual_memory().available // _ROOM:
        return None
    places = np.sort(np.random.default_rng(0).integers(0, rows - 1, _LOOKS))
    some = ranks[:, places]
    as_found = _GAIN * _agreement(some, ranks[:, places + 1])
    better = {column: _agreement_by(some, column) for column in _eligible(ranks).tolist()}
    best = max(better, key=better.__getitem__, default=None)
    if best is None or better[best] < as_found:
        return None
    return np.argsort(ranks[best], kind="stable")


def _eligible(ranks: Codes) -> Numbers:
    """Columns with values that many rows share."""
    return np.flatnonzero(ranks.max(axis=1) < ranks.shape[1] // _CLASS)


def _agreement_by(some: Codes, column: int) -> float:
    """On how many columns neighbours in a column's order agree that have the same value there."""
    ordered = some[:, np.argsort(some[column], kind="stable")]
    same = ordered[column, 1:] == ordered[column, :-1]
    return _agreement(ordered[:, 1:][:, same], ordered[:, :-1][:, same])


def _agreement(some: Codes, others: Codes) -> float:
    """On how many columns pairs of rows agree, on average."""
    return float(np.mean(some == others)) * len(some) if some.size else 0.0
