"""Numbers in texts: decimal point or comma, groups of three digits, currency signs and percent.

A *numeral format* is how the number 1234.56 is written, as in "$1,234.56" or "1.234,56%". Brackets are
around what some texts of a column may have and others not: the group mark in "1[,]234.56", leading zeros in
"[0]1234.56". A format is about one text at a time, so texts that are added later change nothing as long as
they fit it too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import pyarrow as pa
import pyarrow.compute as pc

PLAIN = "1234.56"
ZEROS = "[0]"  # leading zeros mean nothing
_BLANKS = " \u00a0\u2009\u202f"
_GROUP_MARKS = {" ": _BLANKS, "'": "'\u2019"}  # characters that do the work of one
_OTHER = {".": ",", ",": "."}
_FORMAT = re.compile(
    r"(?P<before>[^\d\[]*)(?P<zeros>\[0\])?1(?P<group>\[?[^\d\[\]]?\]?)234(?P<decimal>[.,])56(?P<after>\D*)"
)
_NUMBER_LIKE = re.compile(
    rf"(?P<sign>[+-]?)(?P<before>[^\w\s.,+-]?)[{_BLANKS}]*[+-]?"
    rf"(?=\D*\d)[\d.,'\u2019{_BLANKS}]+?(?:[eE][+-]?\d+)?[{_BLANKS}]*(?P<after>[^\w\s.,+-]?)"
)
_LEADING_ZERO = r"^[+-]?0\d"


@dataclass(frozen=True)
class Numeral:
    """What a numeral format says; `loose` where the group mark may be missing."""

    before: str
    zeros: bool
    group: str
    loose: bool
    decimal: str
    after: str

    def fits(self, texts: Sequence[str]) -> bool:
        """Whether trimmed texts are of this format: a quick look at a few."""
        return all(map(self._compiled.match, texts))

    def plain(self, texts: pa.Array) -> pa.Array:
        """The numbers of trimmed texts with nothing but digits and a decimal point; NULL for other texts."""
        if not (self.before or self.after or self.group) and self.decimal == ".":
            return texts if self.zeros else _unless(texts, _LEADING_ZERO)
        bare = pc.if_else(pc.match_substring_regex(texts, self._regex), texts, None)
        if self.before or self.after:
            before, after = re.escape(self.before), re.escape(self.after)
            around = rf"^([+-]?){before}[{_BLANKS}]*([+-]?)(.*?)[{_BLANKS}]*{after}$"
            bare = pc.replace_substring_regex(bare, around, r"\1\2\3")
        if self.group:
            bare = pc.replace_substring_regex(bare, self._group_class, "")
        return bare if self.decimal == "." else pc.replace_substring(bare, ",", ".")

    @property
    def _group_class(self) -> str:
        return f"[{_GROUP_MARKS.get(self.group, self.group)}]"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._regex)

    @cached_property
    def _regex(self) -> str:
        ungrouped = r"\d*" if self.zeros else r"(?:0|[1-9]\d*)?"
        whole = ungrouped
        if self.group:
            first = r"\d{1,3}" if self.zeros else r"[1-9]\d{0,2}"
            grouped = rf"{first}(?:{self._group_class}\d{{3}})*"
            whole = rf"(?:{grouped}|{ungrouped if self.loose else '0?'})"
        before, after = re.escape(self.before), re.escape(self.after)
        front = rf"(?:[+-]?{before}[{_BLANKS}]*|{before}[{_BLANKS}]*[+-]?)"
        return rf"^{front}{whole}(?:{re.escape(self.decimal)}\d*)?(?:[eE][+-]?\d{{1,5}})?[{_BLANKS}]*{after}$"


@cache
def numeral(pattern: str) -> Numeral:
    """The meaning of a format."""
    found = _FORMAT.fullmatch(pattern)
    assert found is not None, pattern
    group = found["group"].strip("[]")
    loose = group != found["group"]
    return Numeral(found["before"], bool(found["zeros"]), group, loose, found["decimal"], found["after"])


def numeral_formats(texts: Sequence[str], decimal: str, zeros: bool) -> list[str]:
    """The formats that all of the texts may have, the likeliest first; the plain one has words such as inf.

    Args:
        texts: some texts, trimmed.
        decimal: the decimal mark that the caller prefers, or "": then a point.
        zeros: whether leading zeros mean nothing.
    """
    like, lead = _NUMBER_LIKE.fullmatch(texts[0]), ZEROS if zeros else ""
    if like is None:
        return [lead + PLAIN]
    before, after = (_unit(like[side]) for side in ("before", "after"))
    formats = _preferring(decimal) if decimal else _by_evidence()
    found = [before + lead + one + after for one in formats]
    return [one for one in found if one == lead + PLAIN or numeral(one).fits(texts)]


@cache
def _by_evidence() -> list[str]:
    """Formats in which all numbers are in groups or none, before those that leave that open."""
    strict = [one for mark in _OTHER for one in (f"1234{mark}56", f"1{_OTHER[mark]}234{mark}56")]
    strict += [f"1{group}234{mark}56" for group in _GROUP_MARKS for mark in _OTHER]
    return [*strict, *(loosened(one) for one in strict if loosened(one) != one)]


def _preferring(decimal: str) -> list[str]:
    """All formats with this decimal mark before those with the other."""
    marks = (decimal, _OTHER[decimal])
    groups = {mark: ("", *(f"[{group}]" for group in (_OTHER[mark], *_GROUP_MARKS))) for mark in marks}
    return [f"1{group}234{mark}56" for mark in marks for group in groups[mark]]


def loosened(pattern: str) -> str:
    """The same format, with a group mark that may be missing."""
    return re.sub(r"1([^\d\[\]])234", r"1[\1]234", pattern)


def other_readings(pattern: str) -> Sequence[str]:
    """The formats with the other decimal mark that texts of this format may have as well."""
    here = numeral(pattern)
    mark = _OTHER[here.decimal]
    others = [f"1234{mark}56", f"1{here.decimal}234{mark}56"]
    if pattern != PLAIN:
        others.append(loosened(others[-1]))
    return [here.before + other + here.after for other in others]


def _unless(texts: pa.Array, regex: str) -> pa.Array:
    return pc.if_else(pc.match_substring_regex(texts, regex), None, texts)


def _unit(sign: str) -> str:
    return sign if sign == "%" or (sign and unicodedata.category(sign) == "Sc") else ""
