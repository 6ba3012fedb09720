"""The loop, its limits and its progress. Knows neither Spark nor how results are shown."""

from lawful.discovery.duplicates import Duplicates, duplicates_of
from lawful.discovery.journal import LINES, UNASKED, Journal
from lawful.discovery.predicate_space import MANY_COLUMNS, PredicateSpace, space_of
from lawful.discovery.progress import Progress
from lawful.discovery.search import MAX_SIZE, TOO_MANY, Search
from lawful.discovery.search_options import (
    DEFAULT_KINDS,
    MIN_BITS,
    Options,
    SearchOptions,
    options_of,
)

__all__ = [
    "DEFAULT_KINDS",
    "LINES",
    "MANY_COLUMNS",
    "MAX_SIZE",
    "MIN_BITS",
    "TOO_MANY",
    "UNASKED",
    "Duplicates",
    "Journal",
    "Options",
    "PredicateSpace",
    "Progress",
    "Search",
    "SearchOptions",
    "duplicates_of",
    "options_of",
    "space_of",
]
