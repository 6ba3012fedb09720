"""Names and types as SQL has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# What lawful calls a type, and what SQL does; whatever else there is, is text.
_TYPES = {
    "integer": "BIGINT",
    "decimal": "DECIMAL(38, 10)",
    "float": "DOUBLE PRECISION",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
# Words that no database takes for a column without quotes, of those that are names of columns now and then.
_RESERVED = re.compile(
    "all|and|any|as|asc|between|by|case|cast|check|column|constraint|create|cross|current_date|default|desc|"
    "distinct|else|end|except|false|fetch|for|foreign|from|full|grant|group|having|in|inner|intersect|into|is|"
    "join|left|like|limit|natural|not|null|offset|on|or|order|outer|primary|references|right|select|table|"
    "then|to|true|union|unique|user|using|values|when|where|window|with"
)
_LONGEST = 60  # what databases allow for a name


def identifier(name: str, mark: str = '"') -> str:
    """A name in quotes, so that neither its case nor its words matter."""
    return mark + name.replace(mark, mark * 2) + mark


def needs_quotes(name: str) -> bool:
    """Whether a name may not stand in SQL as it is."""
    return re.fullmatch("[a-z_][a-z0-9_]*", name) is None or _RESERVED.fullmatch(name) is not None


def listed_names(names: Iterable[str], mark: str = '"') -> str:
    """Names separated by commas."""
    return ", ".join(identifier(name, mark) for name in names)


def sql_type(column: str, types: Mapping[str, str]) -> str:
    """The type of a column: TEXT where it is not known."""
    return _TYPES.get(types.get(column, ""), "TEXT")


def plain_name(*words: str) -> str:
    """A name of letters, digits and underscores made of some words."""
    return re.sub(r"\W+", "_", "_".join(words)).strip("_").lower()[:_LONGEST] or "t"


def comment(text: str) -> str:
    """A comment of one line each."""
    return "\n".join(f"-- {line}" for line in text.splitlines())
