"""Ranks on one scale for columns that are compared with each other, wherever a task runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from lawful.table.ranked import RankedRows

Scale = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Scales:
    """A view: the same rows with a new rank for each old one of some columns. Equal names, equal scales."""

    name: str
    of: Mapping[int, Scale] = field(compare=False)

    def __call__(self, rows: RankedRows) -> RankedRows:
        ranks = np.array(rows.ranks)
        for column, scale in self.of.items():
            present = ranks[column] >= 0
            ranks[column, present] = scale[ranks[column, present]]
        return RankedRows(ranks, rows.ordered, rows.numbers, rows.ids)


def named(scales: Mapping[int, Scale]) -> Scales:
    """Scales under a name of their own, which tells those apart that travelled."""
    digest = sha256()
    for column, scale in sorted(scales.items()):
        digest.update(column.to_bytes(8, "little") + scale.tobytes())
    return Scales(digest.hexdigest(), scales)
