"""The loop, its limits and its progress. Knows neither Spark nor how results are shown."""

from lawful.discover.loop import Progress, Proven, Search
from lawful.discover.options import KINDS, Options

__all__ = ["KINDS", "Options", "Progress", "Proven", "Search"]
