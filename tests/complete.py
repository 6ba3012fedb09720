"""Searches for the complete sets of the papers, whatever is looked for where nothing else is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import lawful
from lawful import Laws
from lawful.discovery import DEFAULT_KINDS, Options
from lawful.laws import Law


def discover(source: Any, kinds: Collection[str] | str = DEFAULT_KINDS, **settings: Any) -> Laws:
    """All minimal laws, of every column."""
    return lawful.discover(source, kinds, all=True, **settings)


def stream(source: Any, kinds: Collection[str] | str = DEFAULT_KINDS, **settings: Any) -> Iterator[Law]:
    """The same, each as soon as it is proven."""
    return lawful.stream(source, kinds, all=True, **settings)


def options(**settings: Any) -> Options:
    """The options of such a search."""
    return Options(**{"min_bits": 0.0, "every_column": True, **settings})
