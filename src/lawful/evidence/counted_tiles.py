"""How many pairs of a small table have which outcomes, by the tiles of `lawful.evidence.tiles`."""

import numpy as np

from lawful.evidence.line_counts import count_block, counted_lines, no_lines
from lawful.evidence.outcomes import outcome_words
from lawful.evidence.tiles import fill_lanes, join_lanes
from lawful.kernels import kernel


@kernel
def counted_in_blocks(ranks, comparisons, blocks, size, halt):
    """The distinct outcomes of the pairs t < s with s in one of the blocks, each of `size` rows, counted."""
    known, weights = no_lines(outcome_words(comparisons)), np.ones(size, np.int64)
    lanes = np.empty((comparisons.kind.shape[0] // 8 + 1, size), np.uint16)
    columns, hashes = np.empty((outcome_words(comparisons), size), np.uint64), np.empty(size, np.uint64)
    for block in blocks:
        end = min((block + 1) * size, ranks.shape[1])
        for t in range(end - 1):
            if halt[0] != 0:
                break
            first = max(block * size, t + 1)
            fill_lanes(ranks, comparisons, t, (first, end), lanes)
            join_lanes(lanes, end - first, columns, hashes)
            known = count_block(known, columns, weights[: end - first], 1)
    return counted_lines(known)
