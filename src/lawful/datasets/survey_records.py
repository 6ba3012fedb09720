"""Answers to a survey of wages: hundreds of rows, many yes/no columns, and few laws that mean something.

The columns are independent of each other but for these: `experience_squared` and `tenure_squared` are
squares, `log_wage` is the logarithm of `wage`, and the `state` tells the `region`. Whatever other law such a
table obeys, and there are tens of thousands, it obeys by chance.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lawful.datasets.dataset import Dataset, pick

REGIONS = ("Midwest", "Northeast", "South", "West")
# How often people say yes.
ANSWERS = {
    "female": 0.48,
    "married": 0.61,
    "nonwhite": 0.1,
    "urban": 0.72,
    "union_member": 0.17,
    "veteran": 0.08,
    "part_time": 0.19,
    "night_shifts": 0.12,
    "public_sector": 0.15,
    "owns_home": 0.64,
    "drives_to_work": 0.83,
    "moved_last_year": 0.14,
}
_STATES = 48
_DECIMALS = 6  # of the logarithms of wages, which keep these apart


def _build(rows: int, rng: np.random.Generator) -> pa.Table:
    wage = (50 + 5 * np.round(20 * np.exp(rng.normal(1.6, 0.5, rows)))) / 100
    experience = 1 + rng.integers(51, size=rows)
    tenure = np.minimum(rng.geometric(0.17, rows) - 1, 44)
    state = 1 + rng.integers(_STATES, size=rows)
    columns = {
        "wage": wage,
        "education": np.clip(np.round(rng.normal(12.6, 2.8, rows)), 0, 18).astype(np.int64),
        "experience": experience,
        "tenure": tenure,
        "dependents": np.minimum(rng.poisson(1, rows), 6),
        "state": state,
        "region": pick(REGIONS, state % len(REGIONS)),
        **{name: (rng.random(rows) < share).astype(np.int64) for name, share in ANSWERS.items()},
        "log_wage": np.round(np.log(wage), _DECIMALS),
        "experience_squared": experience**2,
        "tenure_squared": tenure**2,
    }
    return pa.table(columns)


def _same(column: str, other: str) -> tuple[str, str, str]:
    """The laws of two columns that say the same."""
    first, second = sorted((column, other))
    return f"{{{column}}} -> {other}", f"{{{other}}} -> {column}", f"{{}}: {first} asc ~ {second} asc"


survey = Dataset(
    _build,
    rules=(
        *_same("wage", "log_wage"),
        *_same("experience", "experience_squared"),
        *_same("tenure", "tenure_squared"),
        "{state} -> region",
    ),
    usual_rows=526,
)
