"""Numbers with gaps, in an order to which more may come anywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel

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


@kernel
def in_gaps(below, above, gap):
    """Numbers between those of neighbours (0 and TOP where there is none); nothing where a gap is full.

    Things in one gap stand in their order. Inside they part the gap evenly; at an end, where the next ones
    are likely to come, they take little of the room.
    """
    numbers, start = np.empty(below.shape[0], np.int64), 0
    while start < below.shape[0]:
        end = start
        while end < below.shape[0] and below[end] == below[start]:
            end += 1
        high, shares = above[start], end - start + 1
        at_bottom, at_top = below[start] == 0, high == TOP
        low = _FIRST if at_bottom and at_top else below[start]
        step = (high - low) // shares
        if at_bottom or at_top:
            step = min(step, gap, max((high - low) // (_LEFT * shares), 1))
        if step < 1:
            return numbers[:0]
        base = high - step * shares if at_bottom and not at_top else low
        for place in range(start, end):
            numbers[place] = base + step * (place - start + 1)
        start = end
    return numbers
