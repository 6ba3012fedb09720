"""What a search is asked for."""

import math
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypedDict

from lawful.engine import Limits
from lawful.errors import LawfulError
from lawful.laws.base import KINDS

FOUND_KINDS = tuple(kind for kind in KINDS if kind != "pod")  # that can be looked for
DEFAULT_KINDS = ("key", "fd", "od")  # that are where nothing else is asked for
CROSS_COLUMNS = ("auto", "off", "all")
_LEAST = {"max_size": 0, "partition_memory": 0, "sample_rows": 0, "pairs_kept": 1, "seed": 0}


class SearchOptions(TypedDict, total=False):
    """The options of a search but for the kinds of law, as keyword arguments."""

    max_size: int | None
    time_limit: float | None
    memory_limit: int | None
    partition_memory: int | None
    min_score: float
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
    partition_memory: int | None = None  # bytes of partitions that a process keeps; None: those of the ranks
    min_score: float = 0.0
    sample_rows: int = 100  # random rows all of whose pairs start the evidence
    pairs_kept: int = 10  # violating pairs that a refuted candidate adds to the evidence
    seed: int = 0
    columns: Collection[str] | None = None  # that laws may speak of, all if None
    exclude: Collection[str] = ()  # that they may not
    # Of denial constraints only:
    cross_columns: str = "auto"  # which columns are compared with each other
    order_strings: bool = False  # whether texts have an order

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in FOUND_KINDS]
        if unknown or not self.kinds:
            wrong = f"unknown kind of law {unknown[0]!r}" if unknown else "no kind of law asked for"
            raise LawfulError(f"{wrong}: choose among {', '.join(FOUND_KINDS)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise LawfulError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
        for name in ("time_limit", "memory_limit"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise LawfulError(f"{name.replace('_', '-')} must be more than 0, not {value}")
        if not 0 <= self.min_score <= 1 or math.isnan(self.min_score):
            raise LawfulError(f"min-score must be between 0 and 1, not {self.min_score}")

        if self.cross_columns not in CROSS_COLUMNS:
            choices = ", ".join(CROSS_COLUMNS)
            raise LawfulError(f"unknown way to cross columns {self.cross_columns!r}: choose among {choices}")

    def limits(self) -> Limits:
        """The limits of a search that starts now."""
        ends = None if self.time_limit is None else time.time() + self.time_limit
        return Limits(ends, self.memory_limit, self.partition_memory)

    @property
    def smallest_first(self) -> bool:
        """Whether to deepen size by size: a limit that may strike must find the smaller laws proven."""
        return self.time_limit is not None or self.memory_limit is not None
