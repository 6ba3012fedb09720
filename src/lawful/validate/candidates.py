"""How many laws of a kind and size there could be: so many chances has chance."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lawful.laws.codec import FD_KIND, KEY, LawArrays


def log_candidates(kind: int, size: int, columns: int) -> float:
    """The logarithm of the number of keys, FDs or ODs with contexts of a size over so many columns.

    For contexts of more than half of the columns it is that of the middle: it never falls when laws grow, so
    that bits never rise.
    """
    sides = {KEY: 0, FD_KIND: 1}.get(kind, 2)
    others = max(columns - sides, 0)
    contexts = math.comb(others, min(size, others // 2))
    return math.log2(contexts * max((1, columns, columns * (columns - 1))[sides], 1))


def bits_of_candidates(laws: LawArrays, columns: int) -> npt.NDArray[np.float64]:
    """The logarithm of the number of candidates of each law's kind and size."""
    sizes = np.bitwise_count(laws.sets).sum(axis=1, dtype=np.int64)
    known = {}
    for kind in np.unique(laws.kinds).tolist():
        most = int(sizes.max(initial=0))
        known[kind] = np.array([log_candidates(kind, size, columns) for size in range(most + 1)])
    chance = np.empty(len(sizes))
    for kind, of_size in known.items():
        own = laws.kinds == kind
        chance[own] = of_size[sizes[own]]
    return chance


@dataclass(frozen=True)
class Wanted:
    """How surely laws are to be no mere chance."""

    bits: float  # of each law; 0: any will do
    columns: int  # that laws may speak of
    share: float = 1.0  # of the rows that are looked at: so many of the bits can be seen there

    def needed(self, kind: int) -> npt.NDArray[np.float64]:
        """For each size of a context the bits that each of its columns needs; nothing if any will do."""
        return self.floors(kind)[: None if self.bits else 0]

    def floors(self, kind: int) -> npt.NDArray[np.float64]:
        """The same where laws by chance are only to be told from others: any will do, but these have none."""
        return _floors(self, kind)


@lru_cache(maxsize=64)  # every target asks for it
def _floors(wanted: Wanted, kind: int) -> npt.NDArray[np.float64]:
    sizes = range(wanted.columns + 1)
    return wanted.share * np.array([wanted.bits + log_candidates(kind, k, wanted.columns) for k in sizes])


ANY = Wanted(0.0, 0)
