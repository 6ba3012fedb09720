"""Flights: the calendar, schedule, delay and airport columns on which order dependencies are measured.

Airports and schedule are fixed, so that tables of different seeds obey the same rules together
(apart from the key).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lawful.datasets.dataset import Dataset, Integers, pick


class _Airport(NamedTuple):
    code: str
    city: str
    state: str
    fips: int
    latitude: float
    longitude: float


AIRPORTS = (
    _Airport("ANC", "Anchorage, AK", "Alaska", 2, 61.2, -150.0),
    _Airport("PHX", "Phoenix, AZ", "Arizona", 4, 33.4, -112.0),
    _Airport("LAX", "Los Angeles, CA", "California", 6, 33.9, -118.4),
    _Airport("SAN", "San Diego, CA", "California", 6, 32.7, -117.2),
    _Airport("SFO", "San Francisco, CA", "California", 6, 37.6, -122.4),
    _Airport("DEN", "Denver, CO", "Colorado", 8, 39.9, -104.7),
    _Airport("BDL", "Hartford, CT", "Connecticut", 9, 41.9, -72.7),
    _Airport("MCO", "Orlando, FL", "Florida", 12, 28.4, -81.3),
    _Airport("MIA", "Miami, FL", "Florida", 12, 25.8, -80.3),
    _Airport("TPA", "Tampa, FL", "Florida", 12, 28.0, -82.5),
    _Airport("ATL", "Atlanta, GA", "Georgia", 13, 33.6, -84.4),
    _Airport("HNL", "Honolulu, HI", "Hawaii", 15, 21.3, -157.9),
    _Airport("BOI", "Boise, ID", "Idaho", 16, 43.6, -116.2),
    _Airport("MDW", "Chicago, IL", "Illinois", 17, 41.8, -87.8),
    _Airport("ORD", "Chicago, IL", "Illinois", 17, 42.0, -87.9),
    _Airport("IND", "Indianapolis, IN", "Indiana", 18, 39.7, -86.3),
    _Airport("CVG", "Cincinnati, OH", "Kentucky", 21, 39.0, -84.7),
    _Airport("MSY", "New Orleans, LA", "Louisiana", 22, 30.0, -90.3),
    _Airport("PWM", "Portland, ME", "Maine", 23, 43.6, -70.3),
    _Airport("BWI", "Baltimore, MD", "Maryland", 24, 39.2, -76.7),
    _Airport("BOS", "Boston, MA", "Massachusetts", 25, 42.4, -71.0),
    _Airport("DTW", "Detroit, MI", "Michigan", 26, 42.2, -83.4),
    _Airport("MSP", "Minneapolis, MN", "Minnesota", 27, 44.9, -93.2),
    _Airport("MCI", "Kansas City, MO", "Missouri", 29, 39.3, -94.7),
    _Airport("SGF", "Springfield, MO", "Missouri", 29, 37.2, -93.4),
    _Airport("STL", "St. Louis, MO", "Missouri", 29, 38.7, -90.4),
    _Airport("LAS", "Las Vegas, NV", "Nevada", 32, 36.1, -115.2),
    _Airport("EWR", "Newark, NJ", "New Jersey", 34, 40.7, -74.2),
    _Airport("ABQ", "Albuquerque, NM", "New Mexico", 35, 35.0, -106.6),
    _Airport("BUF", "Buffalo, NY", "New York", 36, 42.9, -78.7),
    _Airport("JFK", "New York, NY", "New York", 36, 40.6, -73.8),
    _Airport("LGA", "New York, NY", "New York", 36, 40.8, -73.9),
    _Airport("CLT", "Charlotte, NC", "North Carolina", 37, 35.2, -80.9),
    _Airport("RDU", "Raleigh, NC", "North Carolina", 37, 35.9, -78.8),
    _Airport("CLE", "Cleveland, OH", "Ohio", 39, 41.4, -81.8),
    _Airport("CMH", "Columbus, OH", "Ohio", 39, 40.0, -82.9),
    _Airport("PDX", "Portland, OR", "Oregon", 41, 45.6, -122.6),
    _Airport("PHL", "Philadelphia, PA", "Pennsylvania", 42, 39.9, -75.2),
    _Airport("PIT", "Pittsburgh, PA", "Pennsylvania", 42, 40.5, -80.2),
    _Airport("BNA", "Nashville, TN", "Tennessee", 47, 36.1, -86.7),
    _Airport("MEM", "Memphis, TN", "Tennessee", 47, 35.0, -90.0),
    _Airport("AUS", "Austin, TX", "Texas", 48, 30.2, -97.7),
    _Airport("DAL", "Dallas, TX", "Texas", 48, 32.8, -96.9),
    _Airport("HOU", "Houston, TX", "Texas", 48, 29.6, -95.3),
    _Airport("IAH", "Houston, TX", "Texas", 48, 30.0, -95.3),
    _Airport("SLC", "Salt Lake City, UT", "Utah", 49, 40.8, -112.0),
    _Airport("DCA", "Washington, DC", "Virginia", 51, 38.9, -77.0),
    _Airport("IAD", "Washington, DC", "Virginia", 51, 38.9, -77.5),
    _Airport("SEA", "Seattle, WA", "Washington", 53, 47.4, -122.3),
    _Airport("MKE", "Milwaukee, WI", "Wisconsin", 55, 42.9, -87.9),
)
CARRIERS = ("AA", "AS", "B6", "DL", "F9", "G4", "HA", "NK", "OO", "UA", "WN", "YX")

_SCHEDULE_SEED = 1903
_FLIGHTS_PER_CARRIER = 1500
_FIRST_DAY = np.datetime64("2023-01-01")
_FEWEST_DAYS = 731
_CANCELLED = 0.015
_DIVERTED = 0.005


class _Schedule(NamedTuple):
    """Arrays by scheduled flight; times in minutes after midnight."""

    origin: Integers
    dest: Integers
    departure: Integers
    miles: Integers


@cache
def _schedule() -> _Schedule:
    rng = np.random.default_rng(_SCHEDULE_SEED)
    flights = len(CARRIERS) * _FLIGHTS_PER_CARRIER
    origin = rng.integers(len(AIRPORTS), size=flights)
    dest = (origin + rng.integers(1, len(AIRPORTS), size=flights)) % len(AIRPORTS)
    return _Schedule(origin, dest, 5 * rng.integers(60, 288, size=flights), _miles(origin, dest))


def _miles(origin: Integers, dest: Integers) -> Integers:
    """On a flat map: square roots, unlike sines, are the same on every machine."""
    north = 69.0 * np.array([airport.latitude for airport in AIRPORTS])
    east = 54.0 * np.array([airport.longitude for airport in AIRPORTS])
    return np.sqrt((north[origin] - north[dest]) ** 2 + (east[origin] - east[dest]) ** 2).astype(np.int64)


def _build(rows: int, rng: np.random.Generator) -> pa.Table:
    schedule = _schedule()
    day, flight = _departures(rows, len(schedule.origin), rng)
    columns = {
        **_calendar(day),
        "carrier": pick(CARRIERS, flight // _FLIGHTS_PER_CARRIER),
        "flight_number": 1 + flight % _FLIGHTS_PER_CARRIER,
        **_airport("origin", schedule.origin[flight]),
        **_airport("dest", schedule.dest[flight]),
        **_flown(schedule.departure[flight], schedule.miles[flight], rng),
    }
    return pa.table(columns)


def _departures(rows: int, flights: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Days and scheduled flights, each pair once; more days where the table is too long for two years."""
    days = max(_FEWEST_DAYS, 2 * rows // flights)
    departures = np.sort(rng.choice(days * flights, rows, replace=False, shuffle=False))
    return departures // flights, departures % flights


def _calendar(day: Integers) -> dict[str, object]:
    flight_date = _FIRST_DAY + day.astype("timedelta64[D]")
    months = flight_date.astype("datetime64[M]")
    month = months.astype(np.int64) % 12
    first_weekday = int(_FIRST_DAY.astype(object).weekday())
    return {
        "year": flight_date.astype("datetime64[Y]").astype(np.int64) + 1970,
        "quarter": 1 + month // 3,
        "month": 1 + month,
        "day_of_month": 1 + (flight_date - months).astype(np.int64),
        "day_of_week": 1 + (day + first_weekday) % 7,
        "flight_date": pa.array(flight_date, pa.date32()),
    }


def _airport(role: str, airport: Integers) -> dict[str, object]:
    return {
        role: pick([a.code for a in AIRPORTS], airport),
        f"{role}_city": pick([a.city for a in AIRPORTS], airport),
        f"{role}_state": pick([a.state for a in AIRPORTS], airport),
        f"{role}_fips": np.array([a.fips for a in AIRPORTS])[airport],
    }


def _flown(departure: Integers, miles: Integers, rng: np.random.Generator) -> dict[str, object]:
    """Times, delays and distances; a cancelled flight never left, a diverted one never arrived."""
    rows = len(departure)
    luck = rng.random(rows)
    not_left = luck < _CANCELLED
    not_arrived = luck < _CANCELLED + _DIVERTED
    late = (rng.random(rows) < 0.3) * rng.integers(24, size=rows) ** 2
    dep_delay = rng.integers(-12, 10, size=rows) + late
    arr_delay = dep_delay + rng.integers(-25, 20, size=rows)
    air_time = 18 + miles // 8 + rng.integers(-6, 15, size=rows)
    return {
        "crs_dep_time": _clock(departure),
        "dep_time": pa.array(_clock(departure + dep_delay), mask=not_left),
        "dep_delay": pa.array(dep_delay, mask=not_left),
        "dep_delay_group": pa.array(_delay_group(dep_delay), mask=not_left),
        "arr_delay": pa.array(arr_delay, mask=not_arrived),
        "arr_delay_group": pa.array(_delay_group(arr_delay), mask=not_arrived),
        "distance": miles,
        "distance_group": np.minimum(1 + miles // 250, 11),
        "air_time": pa.array(air_time, mask=not_arrived),
    }


def _clock(minutes: Integers) -> Integers:
    """The time of day as a number, 1435 for 14:35."""
    minutes = minutes % 1440
    return 100 * (minutes // 60) + minutes % 60


def _delay_group(delay: Integers) -> Integers:
    return np.clip(delay // 15, -2, 12)


def _airport_rules(role: str) -> tuple[str, ...]:
    return (
        f"{{{role}}} -> {role}_city",
        f"{{{role}}} -> {role}_state",
        f"{{{role}_city}} -> {role}_state",
        f"{{{role}_fips}} -> {role}_state",
        f"{{{role}_state}} -> {role}_fips",
        f"{{}}: {role}_fips asc ~ {role}_state asc",
    )


flights = Dataset(
    _build,
    rules=(
        "key {flight_date, carrier, flight_number}",
        "{year, month, day_of_month} -> flight_date",
        "{flight_date} -> year",
        "{flight_date} -> month",
        "{flight_date} -> day_of_month",
        "{flight_date} -> day_of_week",
        "{month} -> quarter",
        "{carrier, flight_number} -> origin",
        "{carrier, flight_number} -> dest",
        "{carrier, flight_number} -> crs_dep_time",
        "{origin, dest} -> distance",
        "{distance} -> distance_group",
        "{crs_dep_time, dep_delay} -> dep_time",
        "{crs_dep_time, dep_time} -> dep_delay",
        "{dep_delay} -> dep_delay_group",
        "{arr_delay} -> arr_delay_group",
        *_airport_rules("origin"),
        *_airport_rules("dest"),
        "{}: flight_date asc ~ year asc",
        "{year}: flight_date asc ~ quarter asc",
        "{year}: flight_date asc ~ month asc",
        "{year, month}: flight_date asc ~ day_of_month asc",
        "{}: month asc ~ quarter asc",
        "{}: dep_delay asc ~ dep_delay_group asc",
        "{}: arr_delay asc ~ arr_delay_group asc",
        "{}: distance asc ~ distance_group asc",
        "not(t.year = s.year and t.month < s.month and t.flight_date >= s.flight_date)",
        "not(t.arr_delay < s.arr_delay and t.arr_delay_group > s.arr_delay_group)",
        "not(t.origin_fips < s.origin_fips and t.origin_state >= s.origin_state)",
        "not(t.origin = t.dest)",
    ),
)
