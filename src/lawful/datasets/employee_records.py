"""The staff of a company: a small friendly table to show every kind of law on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lawful.datasets.dataset import Dataset, Integers, pick
from lawful.datasets.word_lists import FEMALE_NAMES, LAST_NAMES, MALE_NAMES

DEPARTMENTS = ("Design", "Finance", "Legal", "Marketing", "Production", "Research", "Sales", "Support")

_FLOORS = np.array([3, 2, 2, 4, 1, 5, 4, 1])
_LOWEST_SALARIES = np.array([31_000, 36_000, 42_000, 30_000, 24_000, 40_000, 28_000, 22_000])
_GRADES = 6
_SALARY_BAND = 9_000
_TAXED_FROM = np.array([30_000, 40_000, 55_000, 75_000])
_TAX_RATES = np.array([12.5, 18.0, 24.5, 31.0, 38.5])
_FIRST_DAY = np.datetime64("1995-01-01")
_TODAY = np.datetime64("2025-01-01")


def _build(rows: int, rng: np.random.Generator) -> pa.Table:
    department = rng.integers(len(DEPARTMENTS), size=rows)
    grade = 1 + np.minimum(rng.integers(_GRADES, size=rows), rng.integers(_GRADES, size=rows))
    # Bands of one department do not overlap: whoever has a higher grade earns more.
    within_band = rng.integers(_SALARY_BAND // 500, size=rows) * 500
    salary = _LOWEST_SALARIES[department] + (grade - 1) * _SALARY_BAND + within_band
    tax_group = np.searchsorted(_TAXED_FROM, salary, side="right").astype(np.int64)
    days = np.sort(rng.integers(int((_TODAY - _FIRST_DAY).astype(int)), size=rows))
    hired = _FIRST_DAY + days.astype("timedelta64[D]")
    number = np.arange(1, rows + 1)
    columns = {
        "id": number,
        "name": _full_names(rows, rng),
        "department": pick(DEPARTMENTS, department),
        "floor": _FLOORS[department],
        "department_head": _first_of_each(department)[department],
        "grade": grade,
        "salary": salary,
        "tax_group": tax_group,
        "tax_rate": _TAX_RATES[tax_group],
        "bonus": salary * grade // 50,
        "hired": pa.array(hired, pa.date32()),
        "years_of_service": (_TODAY - hired).astype(np.int64) * 4 // 1461,
    }
    return pa.table(columns)


def _full_names(rows: int, rng: np.random.Generator) -> pa.Array:
    first_names = FEMALE_NAMES + MALE_NAMES
    first = pick(first_names, rng.integers(len(first_names), size=rows))
    last = pick(LAST_NAMES, rng.integers(len(LAST_NAMES), size=rows))
    return pc.binary_join_element_wise(first, last, " ")


def _first_of_each(department: Integers) -> Integers:
    """By department, the number of its longest-serving member."""
    heads = np.zeros(len(DEPARTMENTS), dtype=np.int64)
    present, first = np.unique(department, return_index=True)
    heads[present] = first + 1
    return heads


employees = Dataset(
    _build,
    rules=(
        "key {id}",
        "{department} -> floor",
        "{department} -> department_head",
        "{department_head} -> department",
        "{department, salary} -> grade",
        "{salary} -> tax_group",
        "{tax_group} -> tax_rate",
        "{tax_rate} -> tax_group",
        "{grade, salary} -> bonus",
        "{hired} -> years_of_service",
        "{}: id asc ~ hired asc",
        "{}: hired asc ~ years_of_service desc",
        "{}: salary asc ~ tax_group asc",
        "{}: salary asc ~ tax_rate asc",
        "{}: tax_group asc ~ tax_rate asc",
        "{department}: grade asc ~ salary asc",
        "{grade}: salary asc ~ bonus asc",
        "not(t.department = s.department and t.grade < s.grade and t.salary >= s.salary)",
        "not(t.salary > s.salary and t.tax_rate < s.tax_rate)",
        "not(t.bonus >= t.salary)",
    ),
)
