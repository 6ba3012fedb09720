"""What could be misread in a column: one plain sentence each, with the option that decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lawful.table.kinds import MOMENTS, NUMBERS, STRING, Kind, infer, one_for_two
from lawful.table.moments import exchanged
from lawful.table.numerals import PLAIN, ZEROS, numeral, other_readings

if TYPE_CHECKING:
    from lawful.table.columns import Dictionary, Rule

_SHOWN = 40  # characters of a value
_NOT_PLAIN = r"[^\w.+-]|[.].*[.]"  # number texts that a computer would not write
_NOT_NAMES = ("#", "sep=")  # what lines begin with above the names; the second is for Excel
_WORDS = 2  # distinct texts that may mean NULL among numbers
# What UTF-8 looks like where it was taken for Latin-1 or Windows-1252, and characters that no text has.
_FOREIGN = "[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|[\u0080-\u009f]"
_FOREIGN_WORD = re.compile(r"[A-Za-z]{0,12}[^\x00-\x7f]+[A-Za-z]{0,12}")


def notes_of(dictionary: Dictionary) -> tuple[str, ...]:
    """What a user should know about how a column was read."""
    rule, raw = dictionary.rule, dictionary.raw
    if not (pa.types.is_string(raw.type) or pa.types.is_large_string(raw.type)):
        return (*_name(rule),)
    texts = rule.texts(raw)
    if len(texts) == 0:
        return (*_name(rule),)
    kind = dictionary.kind
    return (*_name(rule), *_header(rule, texts), *_reading(rule, kind, texts), *_encoding(rule, kind, texts))


def _name(rule: Rule) -> Iterator[str]:
    if rule.renamed is not None:
        twice = f"the source calls this column {_shown(rule.renamed)}, as another one"
        yield twice if rule.renamed.strip() else "the source has no name for this column"
    for mark in filter(rule.name.startswith, _NOT_NAMES if rule.mode == "text" else ()):
        yield f"the name begins with {mark!r}; if that line is a comment, --comment {mark!r} passes over it"


def _header(rule: Rule, texts: pa.Array) -> Iterator[str]:
    """A name that is also a value: there may be no line of names, or one more of them."""
    name = rule.name if rule.renamed is None else rule.renamed
    if rule.mode == "text" and pc.index(texts, pa.scalar(name, texts.type)).as_py() >= 0:
        yield (
            "the name is one of the values, too; if the first line is a row, --no-header reads it; "
            "if the line of names is repeated, take it out"
        )


def _reading(rule: Rule, kind: Kind, texts: pa.Array) -> Iterator[str]:
    if rule.mode == "text" and kind == STRING and not rule.fixed:
        yield from _kept_as_text(rule, texts)
    elif rule.mode != "typed" and kind.type in NUMBERS:
        yield from _numbers(rule, kind, texts)
    elif kind.type in MOMENTS and kind.format not in rule.date_formats:
        yield from _days_and_months(kind, texts)


def _kept_as_text(rule: Rule, texts: pa.Array) -> Iterator[str]:
    """Why texts that are numbers stay texts."""
    lenient = (replace(rule, fixed=wanted, date_formats=()).kinds(texts) for wanted in NUMBERS)
    found = infer(texts, chain(*lenient))
    if found is None:
        yield from _without_markers(rule, texts)
        return
    kind, values = found
    strict = replace(kind, format=kind.format.replace(ZEROS, ""))
    numbers = numeral(strict.format).plain(pc.utf8_trim_whitespace(texts))
    padded = texts.filter(numbers.is_null())
    if len(padded):
        why = f"values with leading zeros, such as {_shown(_example(padded))}, are"
    elif two := one_for_two(values, numbers):
        why = f"{two[0]} and {two[1]} would be the same float: the values are"
    else:
        too_large = texts.filter(strict.parse(texts).is_null())
        why = f"{_shown(_example(too_large))} is beyond the numbers that a float can be: the values are"
    yield f"{why} kept as text; --type {rule.name}={kind.type} reads them as numbers"


def _without_markers(rule: Rule, texts: pa.Array) -> Iterator[str]:
    """A few words among numbers or dates: they may mean NULL."""
    with_digit = pc.match_substring_regex(texts, r"\d")
    count = len(texts) - with_digit.true_count
    if not 0 < count <= _WORDS or len(texts) < 2 * count:
        return
    words, others = texts.filter(pc.invert(with_digit)), texts.filter(with_digit)
    found = infer(others, rule.kinds(others))
    if found is not None and found[0] != STRING:
        named = sorted(words.to_pylist())
        markers = " ".join(f"--null {_shown(word)}" for word in named)
        which = ", ".join(map(_shown, named))
        yield f"text because of {which}; if that means NULL, {markers} makes it {found[0].type}"


def _numbers(rule: Rule, kind: Kind, texts: pa.Array) -> Iterator[str]:
    """Numbers that are written in another way than 1234.56, or that have two readings."""
    if kind == Kind("integer", PLAIN):
        return
    form = numeral(kind.format)
    other = None if rule.decimal else infer(texts, _other_kinds(kind))
    two_readings = other and texts.filter(pc.not_equal(kind.parse(texts), other[1]))
    if other and two_readings:
        text = _example(two_readings)
        taken, left = (_value(one, text) for one in (kind, other[0]))
        mark = "," if form.decimal == "." else "."
        yield f"{_shown(text)} could be {taken} or {left}, read as {taken}; --decimal {mark} for the other"
        return
    if kind.format == PLAIN:
        return
    special = texts.filter(pc.match_substring_regex(pc.utf8_trim_whitespace(texts), _NOT_PLAIN))
    if len(special):
        text = _example(special)
        yield f"{_shown(text)} is read as the number {_value(kind, text)}"


def _other_kinds(kind: Kind) -> Iterator[Kind]:
    """What the numbers may be if the decimal mark is the other one."""
    return (Kind(wanted, pattern) for pattern in other_readings(kind.format) for wanted in NUMBERS)


def _days_and_months(kind: Kind, texts: pa.Array) -> Iterator[str]:
    """Dates that are dates as well where day and month change places."""
    other = Kind(kind.type, exchanged(kind.format))
    found = infer(texts, (other,)) if other != kind else None
    if found is None:
        return
    open_ones = texts.filter(pc.not_equal(found[1], kind.parse(texts)))
    if len(open_ones):
        first, second = ("day", "month") if kind.format.startswith("d") else ("month", "day")
        yield (
            f"{_shown(_example(open_ones))} could be day or month first, "
            f"read as {first} first ({kind.format}); --date-format '{other.format}' for {second} first"
        )


def _encoding(rule: Rule, kind: Kind, texts: pa.Array) -> Iterator[str]:
    """Texts that look as if they had another encoding, and whether one can be named that repairs them."""
    names = pa.array([rule.name], texts.type)
    beyond_ascii = texts.filter(pc.invert(pc.string_is_ascii(texts))) if kind == STRING else names
    for some in (names, beyond_ascii):
        strange = sorted(some.filter(pc.match_substring_regex(some, _FOREIGN)).to_pylist())
        words = (word.group() for text in strange for word in _FOREIGN_WORD.finditer(text))
        found = next(((word, *meant) for word in words if (meant := _meant(word))), None)
        if found is not None:
            word, text, encoding = found
            cure = f"; --encoding {encoding} reads it so" if encoding in rule.encodings else ""
            yield f"{_shown(word)} looks like {_shown(text)} ({encoding}) in the wrong encoding{cure}"
            return


def _meant(text: str) -> tuple[str, str] | None:
    """What a text was before it was decoded in the wrong way, and its encoding, if that can be told."""
    for taken, real in (("cp1252", "utf-8"), ("latin-1", "utf-8"), ("latin-1", "cp1252")):
        try:
            meant = text.encode(taken).decode(real)
        except UnicodeError:
            continue
        if meant != text and "\ufffd" not in meant:
            return meant, real
    return None


def _example(texts: pa.Array) -> str:
    """One of the texts: the longest, the first of these in order, wherever it stands."""
    lengths = pc.utf8_length(texts)
    text: str = pc.min(texts.filter(pc.equal(lengths, pc.max(lengths)))).as_py()
    return text


def _value(kind: Kind, text: str) -> object:
    return kind.parse(pa.array([text]))[0].as_py()


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
