"""The loop, its limits and its progress. Knows neither Spark nor how results are shown."""

from lawful.discovery.loop import Progress, Proven, Search
from lawful.discovery.options import KINDS, Options, SearchOptions

__all__ = ["KINDS", "Options", "Progress", "Proven", "Search", "SearchOptions"]
