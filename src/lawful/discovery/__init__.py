"""The loop, its limits and its progress. Knows neither Spark nor how results are shown."""

from lawful.discovery.cost import cpu_seconds
from lawful.discovery.denial_space import space_of
from lawful.discovery.loop import Progress, Proven, Search
from lawful.discovery.search_options import ALL_KINDS, KINDS, Options, SearchOptions
from lawful.discovery.whole import WholeSearch

__all__ = [
    "ALL_KINDS",
    "KINDS",
    "Options",
    "Progress",
    "Proven",
    "Search",
    "SearchOptions",
    "WholeSearch",
    "cpu_seconds",
    "space_of",
]
