"""What a search is asked for."""

import math
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from lawful.engine import Limits
from lawful.engine.watch import BY_CTRL_C
from lawful.errors import LawfulError
from lawful.laws.base import KINDS

DEFAULT_KINDS = ("key", "fd", "od")  # that are where nothing else is asked for
CROSS_COLUMNS = ("auto", "off", "all")
MIN_BITS = 10.0  # of the laws that are found where nothing else is asked for

OVERTIME = 0.5  # seconds after a limit of time or Ctrl-C in which laws are scored that were found before
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_BYTES = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_LEAST = {"max_size": 0, "partition_memory": 0, "sample_rows": 0, "pairs_kept": 1, "seed": 0}


class SearchOptions(TypedDict, total=False):
    """The options of a search but for the kinds of law, as people give them."""

    max_size: int | None
    time_limit: float | str | None
    memory_limit: int | str | None
    partition_memory: int | str | None
    min_bits: float | None
    all: bool
    min_score: float
    about: str | None
    sample_rows: int
    pairs_kept: int
    seed: int
    cross_columns: str
    order_strings: bool
    columns: Collection[str] | None
    exclude: Collection[str]


@dataclass(frozen=True)
class Options:
    """The options of a search; the defaults find all minimal laws of every kind."""

    kinds: Collection[str] = DEFAULT_KINDS
    max_size: int | None = None  # attributes in a law
    time_limit: float | None = None  # seconds
    memory_limit: int | None = None  # bytes that a process may hold
    partition_memory: int | None = None  # bytes of partitions that a process keeps; None: by the ranks
    min_bits: float = MIN_BITS  # of the laws that are found; constants and keys of one column always are
    every_column: bool = False  # not one of each group of equivalent columns only
    min_score: float = 0.0  # of the laws that are shown
    about: str | None = None  # a column that the laws that are shown speak of
    sample_rows: int = 100  # random rows all of whose pairs start the evidence
    pairs_kept: int = 10  # violating pairs that a refuted candidate adds to the evidence
    seed: int = 0
    columns: Collection[str] | None = None  # that laws may speak of, all if None
    exclude: Collection[str] = ()  # that they may not
    cross_columns: str = "auto"  # which columns denial constraints compare with each other
    order_strings: bool = False  # whether texts have an order for PODs and denial constraints

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown or not self.kinds:
            wrong = f"unknown kind of law {unknown[0]!r}" if unknown else "no kind of law asked for"
            raise LawfulError(f"{wrong}: choose among {', '.join(KINDS)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise LawfulError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
        for name in ("time_limit", "memory_limit"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise LawfulError(f"{name.replace('_', '-')} must be more than 0, not {value}")
        if not 0 <= self.min_bits < math.inf:
            raise LawfulError(f"min-bits must be at least 0, not {self.min_bits}")
        if not 0 <= self.min_score <= 1 or math.isnan(self.min_score):
            raise LawfulError(f"min-score must be between 0 and 1, not {self.min_score}")
        if self.cross_columns not in CROSS_COLUMNS:
            choices = ", ".join(CROSS_COLUMNS)
            raise LawfulError(f"unknown way to cross columns {self.cross_columns!r}: choose among {choices}")

    @property
    def grouped(self) -> bool:
        """Whether equivalent columns are named once, and one of each group stands for all."""
        return self.min_bits > 0 and not self.every_column

    def limits(self, started: float) -> Limits:
        """The limits of a search that started at a time of day."""
        ends = None if self.time_limit is None else started + self.time_limit
        return Limits(ends, self.memory_limit, self.partition_memory)

    def overtime(self, started: float, reason: str | None) -> Limits:
        """The limits of what is done when that search is over, for whatever reason."""
        limits, now = self.limits(started), time.time()
        if reason == BY_CTRL_C:
            return limits._replace(ends=now + OVERTIME)  # whoever pressed that waits
        return limits if limits.ends is None else limits._replace(ends=max(limits.ends, now) + OVERTIME)

    @property
    def smallest_first(self) -> bool:
        """Whether to deepen size by size: a limit that may strike must find the smaller laws proven."""
        return self.time_limit is not None or self.memory_limit is not None


def options_of(kinds: Collection[str] | str, **search: Unpack[SearchOptions]) -> Options:
    """The options of a search from what people give: "fd", "Key, FD", time_limit="5m", memory_limit="4GB"."""
    if isinstance(kinds, str):
        kinds = kinds.split(",")
    elif not isinstance(kinds, Collection):
        raise LawfulError(f"{kinds!r} are no kinds of law: choose among {', '.join(KINDS)}")
    given = dict(search)
    given["every_column"] = given.pop("all", False)
    if given.get("min_bits") is None:
        given["min_bits"] = 0.0 if given["every_column"] else MIN_BITS
    for name in ("columns", "exclude"):
        if isinstance(one := given.get(name), str):
            given[name] = (one,)  # a column, not its letters
    for name, units, example in (
        ("time_limit", _SECONDS, "90s, 5m or 1h"),
        ("memory_limit", _BYTES, "800MB or 4GB"),
        ("partition_memory", _BYTES, "800MB or 4GB"),
    ):
        if given.get(name) is not None:
            amount = _amount(name, given[name], units, example)
            given[name] = amount if units is _SECONDS else int(amount)
    return Options(tuple(str(kind).strip().lower() for kind in kinds), **given)  # type: ignore[arg-type]


def _amount(name: str, given: object, units: Mapping[str, int], example: str) -> float:
    """A number, with or without a unit."""
    if isinstance(given, int | float):
        return given
    amount = re.fullmatch(r"\s*(\d+\.?\d*)\s*([a-zA-Z]*)\s*", str(given))
    by_unit = {"": 1, **{unit[0]: size for unit, size in units.items()}, **units}
    if amount is None or amount[2].lower() not in by_unit:
        option = name.replace("_", "-")
        raise LawfulError(f"{option} {given!r} is no amount: write it as in {example}")
    if units is _BYTES and not amount[2] and 0 < float(amount[1]) < _BYTES["mb"]:
        raise LawfulError(f"{name.replace('_', '-')} {given!r} is too few bytes: give a unit, as in 3GB")
    return float(amount[1]) * by_unit[amount[2].lower()]
