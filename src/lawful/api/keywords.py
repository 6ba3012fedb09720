"""How to read and how to search, as keyword arguments."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from lawful.discovery import Options, SearchOptions, options_of
from lawful.errors import LawfulError
from lawful.table import SourceOptions
from lawful.table.source_options import SourceKeywords, options_with


class Keywords(SearchOptions, SourceKeywords):
    """How to read and how to search, as keyword arguments."""


def settings_of(
    kinds: Collection[str] | str, options: SourceOptions, settings: Mapping[str, Any]
) -> tuple[Options, SourceOptions]:
    """How to search and how to read; an unknown keyword is an error that names the one that was meant."""
    for_search, for_source = SearchOptions.__annotations__, SourceKeywords.__annotations__
    for name in settings:
        if name not in for_search and name not in for_source:
            if name == "error":
                raise LawfulError(
                    "there is no option 'error': lawful.approximate(table, error) finds such laws"
                )
            close = get_close_matches(name, [*for_search, *for_source], 1)
            hint = (
                f"did you mean {close[0]}?" if close else "help(lawful.discover) names those that there are"
            )
            raise LawfulError(f"there is no option {name!r}: {hint}")
    search: Any = {name: value for name, value in settings.items() if name in for_search}
    source: Any = {name: value for name, value in settings.items() if name in for_source}
    return options_of(kinds, **search), options_with(options, **source)
