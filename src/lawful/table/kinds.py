"""The types of columns: inferred from all distinct texts, or fixed by the caller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lawful.table.moments import ISO, day_and_month_formats, has_time, parse_dates, parse_timestamps
from lawful.table.numerals import numeral, numeral_formats

_INTEGER = r"^[+-]?0*(?P<whole>\d{0,76})$"
_DECIMAL = r"^[+-]?0*(?P<whole>\d{0,76})(?:\.(?P<fraction>\d{0,76}))?$"
_FLOAT = r"^[+-]?(?:(?:\d{1,76}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,5})?|(?i:inf|infinity|nan))$"
_HAS_DIGIT = r"\d"
_NOT_ZERO = r"^[+-]?[0.]*[1-9]"


@dataclass(frozen=True)
class Kind:
    """A type, with the format of its texts where there are several."""

    type: str
    format: str = ""

    def parse(self, texts: pa.Array) -> pa.Array:
        """The values of texts (no NULL among them); NULL where a text is not of this kind."""
        if self.type == "string":
            return texts
        if self.type == "date":
            return parse_dates(texts, self.format)
        if self.type == "timestamp":
            return parse_timestamps(texts, self.format)
        trimmed = pc.utf8_trim_whitespace(texts)
        if self.type == "boolean":
            return _parse_booleans(trimmed)
        form = numeral(self.format)
        numbers = form.plain(trimmed)
        if self.type == "float":
            return _parse_floats(numbers) if form.zeros else _unless_lossy(_parse_floats(numbers), numbers)
        return (_parse_integers if self.type == "integer" else _parse_decimals)(numbers)

    @property
    def judges_together(self) -> bool:
        """Whether further texts may change what those before them mean: two numbers must not become one."""
        return self.type == "float" and not numeral(self.format).zeros


STRING = Kind("string")
NULL = Kind("null")
CATEGORY = Kind("category")
EXACT_NUMBERS = ("integer", "decimal")
NUMBERS = (*EXACT_NUMBERS, "float")
MOMENTS = ("date", "timestamp")
_OF_NUMBERS_AND_MOMENTS = re.compile("[0-9]|inf|nan", re.IGNORECASE)  # what each of their texts has
_A_FEW = 64  # texts that rule out most kinds


def a_few(texts: pa.Array) -> pa.Array:
    """Some of the texts, from all over: they may be sorted."""
    if len(texts) <= _A_FEW:
        return texts
    return texts.take(pa.array(np.arange(_A_FEW) * len(texts) // _A_FEW))


def text_kinds(some: Sequence[str], date_formats: Sequence[str], decimal: str) -> tuple[Kind, ...]:
    """What a column of texts may be, given some of them; the first that fits all of them wins."""
    numbers = _number_kinds(some, decimal, zeros=False)
    return (*_custom(date_formats), *numbers, Kind("boolean"), *_moment_kinds(some), STRING)


def json_kinds(date_formats: Sequence[str]) -> tuple[Kind, ...]:
    """What a JSON string may be: its quotes say that it is no number."""
    return (*_custom(date_formats), Kind("date", ISO), Kind("timestamp", ISO), STRING)


def fixed_kinds(
    wanted: str, some: Sequence[str], date_formats: Sequence[str], decimal: str
) -> tuple[Kind, ...]:
    """The kinds that satisfy a type that the caller has fixed; to a number leading zeros do no harm then."""
    numbers = _number_kinds(some, decimal, zeros=True)
    kinds = (*_custom(date_formats), *numbers, Kind("boolean"), *_moment_kinds(some), STRING)
    return tuple(kind for kind in kinds if kind.type == wanted)


def infer(texts: pa.Array, kinds: Iterable[Kind]) -> tuple[Kind, pa.Array] | None:
    """The first kind that fits all texts, with their values."""
    some = a_few(texts)
    has_words = not all(map(_OF_NUMBERS_AND_MOMENTS.search, some.to_pylist()))
    for kind in kinds:
        # A look at a few texts spares most columns the parsing of all by the wrong kinds.
        if has_words and kind.type in (*NUMBERS, *MOMENTS):
            continue
        values = kind.parse(some)
        if values.null_count == 0 and len(some) < len(texts):
            values = kind.parse(texts)
        if values.null_count == 0:
            return kind, values
    return None


def misfit(texts: pa.Array, kinds: Sequence[Kind]) -> str:
    """A text that keeps the best fitting of the kinds from fitting."""
    parsed = min((kind.parse(texts) for kind in kinds), key=lambda values: int(values.null_count))
    return str(texts.filter(parsed.is_null())[0].as_py())


def _number_kinds(some: Sequence[str], decimal: str, zeros: bool) -> Iterator[Kind]:
    for pattern in numeral_formats([text.strip() for text in some], decimal, zeros):
        yield from (Kind(wanted, pattern) for wanted in NUMBERS)


def _moment_kinds(some: Sequence[str]) -> tuple[Kind, ...]:
    return (Kind("date", ISO), Kind("timestamp", ISO), *_custom(day_and_month_formats(some[0])))


def _custom(date_formats: Sequence[str]) -> tuple[Kind, ...]:
    return tuple(Kind("timestamp" if has_time(text) else "date", text) for text in date_formats)


def _longest(digits: pa.Array) -> int:
    return pc.max(pc.utf8_length(digits)).as_py() or 0


def _matching(texts: pa.Array, regex: str) -> pa.Array:
    fits = pc.and_(pc.match_substring_regex(texts, regex), pc.match_substring_regex(texts, _HAS_DIGIT))
    return pc.if_else(fits, texts, None)


def _parse_integers(texts: pa.Array) -> pa.Array:
    numbers = _matching(texts, _INTEGER)
    digits = _longest(pc.struct_field(pc.extract_regex(numbers, _INTEGER), "whole"))
    if digits <= 18:
        return pc.cast(pc.utf8_ltrim(numbers, "+"), pa.int64())
    return pc.cast(numbers, pa.decimal128(38, 0) if digits <= 38 else pa.decimal256(76, 0))


def _parse_decimals(texts: pa.Array) -> pa.Array:
    numbers = _matching(texts, _DECIMAL)
    found = pc.extract_regex(numbers, _DECIMAL)
    whole, scale = (_longest(pc.struct_field(found, part)) for part in ("whole", "fraction"))
    if whole + scale > 76:
        return pa.nulls(len(texts), pa.decimal256(76, 0))
    return pc.cast(numbers, pa.decimal128(38, scale) if whole + scale <= 38 else pa.decimal256(76, scale))


def _parse_floats(texts: pa.Array) -> pa.Array:
    numbers = pc.if_else(pc.match_substring_regex(texts, _FLOAT), pc.utf8_ltrim(texts, "+"), None)
    return clean_floats(pc.cast(numbers, pa.float64()))


def _unless_lossy(floats: pa.Array, texts: pa.Array) -> pa.Array:
    """The floats of plain texts; NULL for a number that is too large or small for one.

    All are NULL where two numbers would become one float.
    """
    endless = pc.and_(pc.is_inf(floats), pc.match_substring_regex(texts, _HAS_DIGIT))
    nothing = pc.and_(pc.equal(floats, 0.0), pc.match_substring_regex(texts, _NOT_ZERO))
    kept = pc.if_else(pc.or_(endless, nothing), None, floats)
    return pa.nulls(len(kept), kept.type) if one_for_two(kept, texts) else kept


def one_for_two(floats: pa.Array, texts: pa.Array) -> tuple[str, str] | None:
    """Two texts that are not the same number but the same float."""
    known = pc.and_(floats.is_valid(), pc.is_finite(floats))
    numbers, written = floats.filter(known), texts.filter(known)
    codes = numbers.dictionary_encode()
    if len(codes.dictionary) == len(numbers):
        return None
    code = codes.indices.to_numpy()
    shared = pa.array(np.bincount(code)[code] > 1)
    exact: dict[float, str] = {}
    pairs = zip(*(some.filter(shared).to_pylist() for some in (written, numbers)), strict=True)
    for text, number in sorted(pairs):
        first = exact.setdefault(number, text)
        if Decimal(first) != Decimal(text):
            return first, text
    return None


def _parse_booleans(texts: pa.Array) -> pa.Array:
    position = pc.index_in(pc.utf8_lower(texts), value_set=pa.array(["false", "true"], texts.type))
    return pc.cast(position, pa.bool_())


def clean_floats(floats: pa.Array) -> pa.Array:
    """One NaN and one zero, as Spark compares them: Arrow tells their bit patterns apart."""
    positive_zero = pc.add(floats, pa.scalar(0.0, floats.type))
    return pc.if_else(pc.is_nan(positive_zero), pa.scalar(np.nan, floats.type), positive_zero)
