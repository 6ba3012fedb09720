"""Which pairs of rows to compare first."""

import numpy as np
import numpy.typing as npt

from lawful.evidence.evidence_set import EvidenceSet, Pairs
from lawful.table.ranked import RankedRows

PAIRS = 20_000  # pairs of neighbours at a time, of all columns
NEIGHBOURS = (50, 1000)  # and of one column at least and at most
FARTHEST = 2  # and how far apart in that order they may stand
ENOUGH = 0.5  # farther neighbours follow while this share of the pairs is new evidence


def sample(rows: RankedRows, evidence: EvidenceSet, sample_rows: int, seed: int) -> None:
    """Start the evidence: all pairs of some random rows, and neighbours in each column's order.

    The rows may be part of the table that the evidence is about.
    """
    if rows.count < 2:
        return
    random = np.random.default_rng(seed)
    chosen = random.choice(rows.count, min(rows.count, sample_rows), replace=False)
    evidence.add_pairs(rows.in_table(_all_pairs(chosen)))
    count = min(max(PAIRS // rows.columns, NEIGHBOURS[0]), NEIGHBOURS[1])
    for distance in range(1, min(FARTHEST, rows.count - 1) + 1):
        pairs = np.concatenate([_neighbours(order, distance, count, random) for order in rows.orders])
        if evidence.add_pairs(rows.in_table(pairs)) < ENOUGH * len(pairs):
            break


def _all_pairs(chosen: npt.NDArray[np.int64]) -> Pairs:
    first, second = np.triu_indices(len(chosen), 1)
    return np.stack([chosen[first], chosen[second]], axis=1).astype(np.int32)


def _neighbours(
    order: npt.NDArray[np.int32], distance: int, count: int, random: np.random.Generator
) -> Pairs:
    """Some of the pairs that stand `distance` apart in an order."""
    places = len(order) - distance
    at = random.choice(places, min(places, count), replace=False)
    return np.stack([order[at], order[at + distance]], axis=1)
