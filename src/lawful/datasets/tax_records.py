"""Tax records: the fifteen columns on which denial constraints are usually measured.

Rates, exemptions, zip and area codes come from one fixed country, so that tables of different seeds
obey the same rules together (apart from the key).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lawful.datasets.dataset import Dataset, Integers, pick
from lawful.datasets.word_lists import FEMALE_NAMES, LAST_NAMES, MALE_NAMES, PLACE_NAMES

# fmt: off
STATES = (
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
    "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",
    "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
)
# fmt: on

_COUNTRY_SEED = 1776
_ZIPS_PER_AREA = 30
_PHONES_PER_AREA = 10_000_000
# Without a common factor with the number of phones, so that steps meet each phone once.
_PHONE_STEP = 7_368_787


@dataclass(frozen=True)
class _Country:
    """Arrays by state, and of all area and zip codes; those of one state stand together."""

    area_codes: Integers
    area_states: Integers
    zip_codes: Integers
    zip_places: Integers
    zips: Integers
    first_zip: Integers
    single_exemptions: Integers
    child_exemptions: Integers
    base_rates: Integers
    rate_steps: Integers
    taxed_from: Integers


@cache
def _country() -> _Country:
    rng = np.random.default_rng(_COUNTRY_SEED)
    states = len(STATES)
    areas = 1 + rng.integers(4, size=states) ** 2 + rng.integers(4, size=states)
    zips = areas * _ZIPS_PER_AREA
    total_zips = int(zips.sum())
    # No state tax at all, one rate for all salaries, or rates that rise with the salary.
    kind = rng.choice(3, states, p=[0.1, 0.2, 0.7])
    return _Country(
        area_codes=201 + rng.choice(789, int(areas.sum()), replace=False),
        area_states=np.repeat(np.arange(states), areas),
        zip_codes=501 + rng.choice(99_450, total_zips, replace=False),
        zip_places=rng.integers(len(PLACE_NAMES), size=total_zips),
        zips=zips,
        first_zip=np.cumsum(zips) - zips,
        single_exemptions=50 * rng.integers(73, size=states),
        child_exemptions=50 * rng.integers(67, size=states),
        base_rates=np.where(kind > 0, rng.integers(100, 600, size=states), 0),
        rate_steps=np.where(kind > 1, rng.integers(5, 40, size=states), 0),
        taxed_from=1000 * rng.integers(10, 40, size=states),
    )


def _build(rows: int, rng: np.random.Generator) -> pa.Table:
    country = _country()
    area = rng.integers(len(country.area_codes), size=rows)
    state = country.area_states[area]
    zip_ = country.first_zip[state] + rng.integers(country.zips[state])
    name = rng.integers(len(FEMALE_NAMES) + len(MALE_NAMES), size=rows)
    married = rng.integers(2, size=rows)
    has_child = rng.integers(2, size=rows)
    salary = 1000 * (10 + rng.integers(50, size=rows) + rng.integers(100, size=rows))
    exemption = country.single_exemptions[state]
    columns = {
        "fname": pick(FEMALE_NAMES + MALE_NAMES, name),
        "lname": pick(LAST_NAMES, rng.integers(len(LAST_NAMES), size=rows)),
        "gender": pick("FM", (name >= len(FEMALE_NAMES)).astype(np.int64)),
        "area_code": country.area_codes[area],
        "phone": _phones(area, len(country.area_codes), rng),
        "city": pick(PLACE_NAMES, country.zip_places[zip_]),
        "state": pick(STATES, state),
        "zip": country.zip_codes[zip_],
        "marital_status": pick("SM", married),
        "has_child": pick("NY", has_child),
        "salary": salary,
        "rate": _rates(country, state, salary),
        "single_exemp": exemption * (1 - married),
        "married_exemp": 2 * exemption * married,
        "child_exemp": country.child_exemptions[state] * has_child,
    }
    return pa.table(columns)


def _phones(area: Integers, areas: int, rng: np.random.Generator) -> pa.Array:
    """Phones that look random and differ within an area: steps around the circle of all phones."""
    number = rng.integers(_PHONES_PER_AREA, size=areas)[area] + _PHONE_STEP * _nth_of_its_kind(area, areas)
    number %= _PHONES_PER_AREA
    exchange = pick([f"{n:03}" for n in range(1000)], number // 10_000)
    line = pick([f"{n:04}" for n in range(10_000)], number % 10_000)
    return pc.binary_join_element_wise(exchange, line, "-")


def _nth_of_its_kind(kind: Integers, kinds: int) -> Integers:
    """For each entry how many equal ones stand before it."""
    sizes = np.bincount(kind, minlength=kinds)
    nth = np.empty(len(kind), dtype=np.int64)
    nth[np.argsort(kind, kind="stable")] = np.arange(len(kind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return nth


def _rates(country: _Country, state: Integers, salary: Integers) -> pa.Array:
    """Percent; counted in hundredths, as whole numbers are the same on every machine."""
    taxed = np.maximum(salary - country.taxed_from[state], 0)
    return pa.array((country.base_rates[state] + country.rate_steps[state] * taxed // 5000) / 100)


tax = Dataset(
    _build,
    rules=(
        "key {area_code, phone}",
        "{fname} -> gender",
        "{area_code} -> state",
        "{zip} -> city",
        "{zip} -> state",
        "{state, marital_status} -> single_exemp",
        "{state, marital_status} -> married_exemp",
        "{state, single_exemp} -> married_exemp",
        "{state, married_exemp} -> single_exemp",
        "{state, has_child} -> child_exemp",
        "{state, salary} -> rate",
        "{state}: salary asc ~ rate asc",
        "{state}: single_exemp asc ~ married_exemp desc",
        "not(t.state = s.state and t.salary > s.salary and t.rate < s.rate)",
        "not(t.state = s.state and t.has_child = s.has_child and t.child_exemp != s.child_exemp)",
        "not(t.salary < t.single_exemp)",
    ),
)
