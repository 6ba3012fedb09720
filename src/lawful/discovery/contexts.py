"""In which order the columns of contexts are refined, when many contexts share their partitions.

Contexts are walked as a prefix tree, and a product costs what its partition holds. So columns come first that
are in many contexts, which makes prefixes common, and that tell much, which makes partitions small.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lawful.cover.sets import sort_keys
from lawful.discovery.findings import Sets
from lawful.table.ranked import RankedRows

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Refinement:
    """An order of all columns."""

    columns: Numbers

    def keys(self, sets: Sets) -> Sets:
        """What sorts contexts so that common beginnings in this order follow each other."""
        places = np.zeros(sets.shape[1] * 64, np.int64)
        places[self.columns] = np.arange(len(self.columns))
        keys: Sets = sort_keys(sets, places)
        return keys


def refinement_for(sets: Sets, rows: RankedRows) -> Refinement:
    """A good order for the partitions of these contexts."""
    one = np.uint64(1)
    frequency = [int((sets[:, c >> 6] >> np.uint64(c & 63) & one).sum()) for c in range(rows.columns)]
    return Refinement(np.argsort(-np.array(frequency) * rows.information, kind="stable"))
