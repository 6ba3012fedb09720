"""The ranks of values that came later among those of the first ones, without sorting these again."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa

from lawful.table.bisection import places_among
from lawful.table.columns import Ints, order_of_sorted
from lawful.table.entries import Entries


def merged_order(first: Entries, order: Ints, later: Entries, nulls: Literal["equal", "distinct"]) -> Ints:
    """The dense rank of each code, given the ranks of the first entries in their order."""
    missing = first.keys.null_count
    ranks = order - int(missing > 0 and nulls == "equal")
    own = order_of_sorted(later.keys)
    keys = later.keys.take(pa.array(np.flatnonzero(np.diff(own, prepend=-1))))
    places, known = places_among(first.keys, keys)
    new = ~known
    lesser = np.append(ranks, ranks.max(initial=-1) + 1)[places]  # of the first values
    among = lesser + np.cumsum(new) - new
    ranks[missing:] += np.cumsum(np.bincount(places[new], minlength=len(first) + 1))[missing:-1].astype(
        np.int32
    )
    result = np.empty(len(first) + len(later), np.int32)
    result[first.all_codes] = ranks
    result[later.all_codes] = np.append(among, -1)[own]
    return result + np.int32(nulls == "equal" and bool((result < 0).any()))
