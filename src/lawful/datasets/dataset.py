"""What the generated tables have in common: size, seed, rules and planted errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.datasets.planting import Planted, plant
from lawful.errors import LawfulError

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Dataset:
    """A table of any size, made from a seed; call it with the number of rows, or without.

    `rules` are laws that the table obeys by construction, whatever its size and seed. With `errors`,
    a share of all cells between 0 and 1, the call returns the spoiled table and the list of its errors;
    without errors it is the same table as the call without the option.
    """

    build: Callable[[int, np.random.Generator], pa.Table]
    rules: tuple[str, ...]
    usual_rows: int = 1000

    @overload
    def __call__(self, rows: int | None = ..., *, seed: int = ..., errors: None = ...) -> pa.Table: ...

    @overload
    def __call__(self, rows: int | None = ..., *, seed: int = ..., errors: float) -> Planted: ...

    def __call__(
        self, rows: int | None = None, *, seed: int = 0, errors: float | None = None
    ) -> pa.Table | Planted:
        """Make the table, and plant errors in it if asked to."""
        count = self.usual_rows if rows is None else rows
        if count < 0:
            raise LawfulError(f"A table cannot have {count} rows; ask for 0 or more.")
        table = self.build(count, np.random.default_rng(seed))
        return table if errors is None else plant(table, errors, seed=seed)


def pick(pool: Sequence[str], positions: Integers) -> pa.Array:
    """The texts at the given positions of the pool."""
    return pa.array(pool, pa.string()).take(pa.array(positions))
