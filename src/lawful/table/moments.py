"""Dates and timestamps from text, by formats in the letters of Java and Spark."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.errors import LawfulError

ISO = "ISO 8601"
Integers = npt.NDArray[np.int64]

_ZONE = r"(?P<zone>Z|[+-]\d{2}(?::?\d{2})?)"
_ISO_DATE = r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
_ISO_TIME = r"(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TOKEN = re.compile(r"(?P<letters>([A-Za-z])\2*)|'(?P<quoted>(?:[^']|'')*)'|(?P<other>.)", re.DOTALL)
_NUMBERS = {"M": "month", "d": "day", "H": "hour", "h": "hour", "m": "minute", "s": "second"}
_LETTERS = {
    "y": r"(?P<year>\d{4})",
    "yy": r"(?P<year>\d{2})",
    "yyyy": r"(?P<year>\d{4})",
    "MMM": f"(?P<month>{'|'.join(_MONTHS)})",
    "MMMM": r"(?P<month>\pL+)",
    "a": r"(?P<half>[AaPp][Mm])",
    **{letter: rf"(?P<{part}>\d{{1,2}})" for letter, part in _NUMBERS.items()},
    **{letter * 2: rf"(?P<{part}>\d{{2}})" for letter, part in _NUMBERS.items()},
    **{"S" * digits: rf"(?P<fraction>\d{{{digits}}})" for digits in range(1, 10)},
    **{letter * count: _ZONE for letter in "XxZ" for count in (1, 2, 3)},
    **{"E" * count: r"\pL+" for count in (1, 2, 3, 4)},
}


def day_and_month_formats(text: str) -> list[str]:
    """The formats of a date in numbers that ends with the year, without and with a time of day.

    Where day and month could be either, people write the month first with a slash and the day first else.
    """
    mark = re.match(r"\s*\d{1,2}([/.-])\d{1,2}\1\d{4}", text)
    if mark is None:
        return []
    day_first = f"d{mark[1]}M{mark[1]}yyyy"
    orders = (exchanged(day_first), day_first) if mark[1] == "/" else (day_first, exchanged(day_first))
    return [order + time for time in ("", "[ H:mm[:ss]]", " h:mm[:ss] a") for order in orders]


def exchanged(pattern: str) -> str:
    """A format with day and month in each other's place."""
    return pattern.translate({ord("d"): "M", ord("M"): "d"})


def has_time(pattern: str) -> bool:
    """Whether a format speaks of a time of day."""
    return "(?P<hour>" in _regex(pattern)


def parse_dates(texts: pa.Array, pattern: str) -> pa.Array:
    """Dates of the texts in this format; NULL where a text is not one."""
    parts = _Parts(texts, f"^{_ISO_DATE}$" if pattern == ISO else _regex(pattern))
    if not parts.valid.any():
        return pa.nulls(len(texts), pa.date32())
    days = parts.days()
    return pa.array(days.astype(np.int32), mask=~parts.valid).cast(pa.date32())


def parse_timestamps(texts: pa.Array, pattern: str) -> pa.Array:
    """Timestamps of the texts in this format; NULL where a text is not one.

    Either all carry a zone (then they are brought to UTC) or none, else no text fits: a clock time
    cannot be compared with a moment. Microseconds, or nanoseconds where a fraction needs them.
    """
    parts = _Parts(texts, _regex(pattern))
    if not parts.valid.any():
        return pa.nulls(len(texts), pa.timestamp("us"))
    zones = parts.text("zone")
    zoned = pc.not_equal(zones, "").to_numpy(zero_copy_only=False)[parts.valid]
    seconds = parts.days() * 86_400 + parts.seconds() - _offsets(zones)
    nanos = parts.nanos()
    if zoned.any() and not zoned.all():
        parts.valid[:] = False
    zone = "UTC" if zoned.any() else None
    if not (nanos % 1_000).any():
        ticks, unit = seconds * 1_000_000 + nanos // 1_000, "us"
    else:
        parts.valid &= np.abs(seconds) < 9_000_000_000
        ticks, unit = np.where(parts.valid, seconds, 0) * 1_000_000_000 + nanos, "ns"
    return pa.array(ticks, mask=~parts.valid).cast(pa.timestamp(unit, zone))


@cache
def _regex(pattern: str) -> str:
    """The regular expression (RE2) of a format."""
    if pattern == ISO:
        return rf"^{_ISO_DATE}(?:[T ]{_ISO_TIME}\s?{_ZONE}?)?$"
    parts = "".join(_token_regex(token, pattern) for token in _TOKEN.finditer(pattern))
    named = re.findall(r"\(\?P<(\w+)>", parts)
    if len(set(named)) < len(named) or not {"year", "month", "day"} <= set(named):
        raise LawfulError(
            f"the date format {pattern!r} must hold year, month and day once each, as in 'dd.MM.yyyy'"
        )
    try:
        pc.extract_regex(pa.array([""]), f"^{parts}$")
    except pa.ArrowInvalid:
        raise LawfulError(
            f"the date format {pattern!r} has a bracket too many: put optional parts in [ ]"
        ) from None
    return f"^{parts}$"


def _token_regex(token: re.Match[str], pattern: str) -> str:
    letters, quoted, other = token["letters"], token["quoted"], token["other"]
    if letters:
        regex = _LETTERS.get(letters.replace("u", "y").replace("L", "M"))
        if regex is None:
            raise LawfulError(
                f"{letters!r} in the date format {pattern!r} is unknown: use yyyy MM dd HH mm ss SSS a XXX"
            )
        return regex
    if other in ("[", "]"):
        return "(?:" if other == "[" else ")?"
    return re.escape(other if other is not None else quoted.replace("''", "'") or "'")


class _Parts:
    """The numbers that a format finds in texts; `valid` says where they make sense so far."""

    def __init__(self, texts: pa.Array, regex: str) -> None:
        trimmed = pc.utf8_trim_whitespace(texts)
        self.found = pc.extract_regex(trimmed, regex)
        self.names = [field.name for field in self.found.type]
        self.valid: npt.NDArray[np.bool_] = self.found.is_valid().to_numpy(zero_copy_only=False)

    def text(self, part: str) -> pa.Array:
        """The text of one part, empty where it is missing."""
        if part not in self.names:
            return pa.repeat("", len(self.found))
        return pc.fill_null(pc.struct_field(self.found, part), "")

    def number(self, part: str, low: int, high: int, missing: int = 0) -> Integers:
        """One part as numbers; those out of range are marked as not valid."""
        texts = self.text(part)
        if part == "month":
            texts = _month_numbers(texts)
        numbers = to_numpy(pc.cast(pc.if_else(pc.equal(texts, ""), str(missing), texts), pa.int64()))
        self.valid &= (numbers >= low) & (numbers <= high)
        return numbers

    def days(self) -> Integers:
        """Days since 1970-01-01; a day that its month does not have is marked as not valid."""
        year, month = self.number("year", 0, 9999, 1970), self.number("month", 1, 12, 1)
        short = pc.equal(pc.utf8_length(self.text("year")), 2).to_numpy(zero_copy_only=False)
        months = (year + 2000 * short - 1970) * 12 + (month - 1)
        first = months.astype("M8[M]")
        days = first.astype("M8[D]") + (self.number("day", 1, 31, 1) - 1)
        self.valid &= days.astype("M8[M]") == first
        return np.asarray(days.astype(np.int64))

    def seconds(self) -> Integers:
        """Seconds since midnight."""
        hour = self.number("hour", 0, 23)
        if "half" in self.names:
            afternoon = pc.starts_with(pc.utf8_lower(self.text("half")), "p").to_numpy(zero_copy_only=False)
            self.valid &= (hour >= 1) & (hour <= 12)
            hour = hour % 12 + 12 * afternoon
        return hour * 3_600 + self.number("minute", 0, 59) * 60 + self.number("second", 0, 59)

    def nanos(self) -> Integers:
        """Nanoseconds of the second."""
        return to_numpy(pc.cast(pc.utf8_rpad(self.text("fraction"), 9, "0"), pa.int64()))


def _month_numbers(texts: pa.Array) -> pa.Array:
    position = pc.index_in(pc.utf8_slice_codeunits(texts, 0, 3), value_set=pa.array(_MONTHS))
    return pc.coalesce(
        pc.cast(pc.add(position, 1), pa.string()),
        pc.if_else(pc.match_substring_regex(texts, r"^\d*$"), texts, "99"),
    )


def _offsets(zones: pa.Array) -> Integers:
    """Seconds that the zones are ahead of UTC."""
    found = pc.extract_regex(zones, r"^(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})?$")
    hours, minutes = (pc.fill_null(pc.struct_field(found, part), "") for part in ("hours", "minutes"))
    amount = sum(
        to_numpy(pc.cast(pc.if_else(pc.equal(part, ""), "0", part), pa.int64())) * unit
        for part, unit in ((hours, 3_600), (minutes, 60))
    )
    west = pc.starts_with(zones, "-").to_numpy(zero_copy_only=False)
    return np.asarray(np.where(west, -1, 1) * amount, dtype=np.int64)


def to_numpy(numbers: Any) -> Integers:
    """An Arrow array of integers without NULL as NumPy's."""
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.int64)
