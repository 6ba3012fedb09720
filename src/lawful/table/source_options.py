"""How a source is to be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack

from lawful.errors import LawfulError

FORMATS = ("csv", "tsv", "parquet", "json", "orc", "xlsx")
TYPES = ("integer", "decimal", "float", "boolean", "date", "timestamp", "string")
NO_PAIRS_GIVEN: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class SourceOptions:
    """Everything a caller may say about a source; what is left out is found in the data.

    Attributes:
        format: csv, tsv, parquet, json, orc or xlsx; by default the file's extension.
        delimiter: what separates two fields of a CSV line.
        quote: the character around a field; "" when quotes mean nothing.
        escape: what stands before a quote inside quotes; the quote itself when quotes are doubled.
        header: whether each file's first line holds the column names.
        null_markers: further texts of a CSV field that mean NULL, as an empty one does.
        empty_is_null: whether an empty CSV field means NULL.
        comment: what CSV lines begin with that are no data, such as "#".
        encoding: of CSV text, as Python names it.
        multiline: parse each file in one task, because values with line breaks are common in it
            (where they are rare this is found out and done where needed).
        date_formats: further formats of dates and timestamps, in the letters of Java and Spark,
            as in ``dd.MM.yyyy``; they come before the built-in ones.
        decimal: "," or ".", where numbers such as 1,234 leave open which of them is the decimal mark.
        types: the type of columns that must not be inferred, by column name.
        unordered: names of columns whose order means nothing.
        nulls: "equal" (NULL equals NULL and sorts first) or "distinct" (NULL equals nothing).
        table: the table or parenthesised query of a JDBC source; the sheet of a spreadsheet.
        properties: user, password, driver and the like, for the JDBC or file reader of Spark.
    """

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    header: bool = True
    null_markers: tuple[str, ...] = ()
    empty_is_null: bool = True
    comment: str | None = None
    encoding: str | None = None
    multiline: bool = False
    date_formats: tuple[str, ...] = ()
    decimal: str | None = None
    types: Mapping[str, str] = field(default_factory=lambda: NO_PAIRS_GIVEN)
    unordered: tuple[str, ...] = ()
    nulls: Literal["equal", "distinct"] = "equal"
    table: str | None = None
    properties: Mapping[str, str] = field(default_factory=lambda: NO_PAIRS_GIVEN)

    def __post_init__(self) -> None:
        """Refuse what no source could satisfy."""
        if self.format is not None and self.format not in FORMATS:
            raise LawfulError(f"unknown format {self.format!r}: use one of {', '.join(FORMATS)}")
        for name, kind in self.types.items():
            if kind not in TYPES:
                raise LawfulError(f"unknown type {kind!r} for column {name!r}: use one of {', '.join(TYPES)}")
        if self.nulls not in ("equal", "distinct"):
            raise LawfulError(f"unknown treatment of NULL {self.nulls!r}: use 'equal' or 'distinct'")
        if self.decimal not in (None, ".", ","):
            raise LawfulError(f"the decimal mark {self.decimal!r} is neither '.' nor ',': use one of them")
        if self.comment == "" or (self.comment and set(self.comment) & set("\r\n")):
            raise LawfulError(f"no line begins with the comment {self.comment!r}: give a text, as in '#'")
        for what, text in (("delimiter", self.delimiter), ("quote", self.quote), ("escape", self.escape)):
            self._check_character(what, text)

    @property
    def all_null_markers(self) -> tuple[str, ...]:
        """The texts of a CSV field that mean NULL."""
        return ("", *self.null_markers) if self.empty_is_null else self.null_markers

    def _check_character(self, what: str, text: str | None) -> None:
        if text is None or (text == "" and what != "delimiter"):
            return
        if len(text) != 1 or not text.isascii() or text in "\r\n":
            raise LawfulError(f"the {what} {text!r} is not one ASCII character: give a single one, as in ','")


class SourceKeywords(TypedDict, total=False):
    """The options of a source as keyword arguments; one text may stand for a collection of one."""

    format: str | None
    delimiter: str | None
    quote: str | None
    escape: str | None
    header: bool
    null: Collection[str] | str
    empty_is_null: bool
    comment: str | None
    encoding: str | None
    multiline: bool
    date_formats: Collection[str] | str
    decimal: str | None
    types: Mapping[str, str]
    unordered: Collection[str] | str
    nulls: Literal["equal", "distinct"]
    table: str | None
    properties: Mapping[str, str]


def options_with(options: SourceOptions, **given: Unpack[SourceKeywords]) -> SourceOptions:
    """The same options but for those that are given."""
    changes: dict[str, Any] = dict(given)
    if "null" in changes:
        changes["null_markers"] = changes.pop("null")
    for name in ("null_markers", "date_formats", "unordered"):
        if name in changes:
            value = changes[name]
            changes[name] = (value,) if isinstance(value, str) else tuple(value)
    return replace(options, **changes)
