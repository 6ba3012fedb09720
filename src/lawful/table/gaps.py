"""Numbers with gaps, in an order to which more may come anywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WIDEST = 1 << 20  # the gap between two neighbours at most, so that there is room at both ends
TOP = (1 << 31) - 1  # no number is as great
_FIRST, _SPAN = 1 << 29, 1 << 30  # at first all are in the middle of the positive numbers
_LEFT = 1024  # times the room that a batch takes at an end is left there for others

Numbers = npt.NDArray[np.int64]
_NONE: Numbers = np.empty(0, np.int64)


def spread(count: int, busy: Numbers = _NONE) -> Numbers:
    """Numbers for so many things in their order; wider gaps around the busy ones, where more may come."""
    steps = np.full(count, usual_gap(count))
    around = np.unique(np.concatenate([busy, busy + 1]))
    around = around[around < count]
    steps[around] = np.maximum(steps[around], usual_gap(len(around)))
    return _FIRST + np.cumsum(steps)


def usual_gap(count: int) -> int:
    """The gap between neighbours where so many share half of the room."""
    return max(1, min(WIDEST, _SPAN // 2 // max(count, 1)))


def in_gaps(below: Numbers, above: Numbers, gap: int) -> Numbers | None:
    """Numbers between those of neighbours (0 and TOP where there is none); None where a gap is full.

    Things in one gap stand in their order. Inside they part the gap evenly; at an end, where the next ones
    are likely to come, they take little of the room.
    """
    starts = np.flatnonzero(np.diff(below, prepend=-1))
    counts = np.diff(starts, append=len(below))
    low, high = below[starts], above[starts]
    alone, at_top, at_bottom = (low == 0) & (high == TOP), high == TOP, low == 0
    low = np.where(alone, _FIRST, low)
    shares = counts + 1
    steps = (high - low) // shares
    ends = np.clip((high - low) // (_LEFT * shares), 1, gap)
    steps = np.where(at_top | at_bottom, np.minimum(ends, steps), steps)
    if (steps < 1).any():
        return None
    bases = np.where(at_bottom & ~alone, high - steps * shares, low)
    position = np.arange(len(below)) - np.repeat(starts, counts) + 1
    return np.repeat(bases, counts) + np.repeat(steps, counts) * position
