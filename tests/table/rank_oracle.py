"""Ranks by the obvious way: Python's own parsing, pandas' dense rank."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lawful.table import Relation


def dense_ranks(values: Sequence[Any], nulls: str = "equal") -> npt.NDArray[np.int32]:
    """The dense rank of each value; NULL (None) first or -1, NaN last."""
    missing = np.array([value is None for value in values], dtype=bool)
    not_numbers = np.array([isinstance(value, float) and math.isnan(value) for value in values], dtype=bool)
    ordinary = ~missing & ~not_numbers
    present = [value for value, kept in zip(values, ordinary, strict=True) if kept]
    ranks = np.full(len(values), -1, dtype=np.int32)
    ranks[ordinary] = pd.Series(present, dtype=_dtype(present)).rank(method="dense").to_numpy() - 1
    ranks[not_numbers] = ranks.max(initial=-1) + 1
    return ranks + 1 if missing.any() and nulls == "equal" else ranks


def understand(texts: Sequence[str]) -> tuple[str, list[Any]]:
    """The type of a CSV column, and its values; an empty text is NULL."""
    distinct = {text for text in texts if text}
    if not distinct:
        return "null", [None] * len(texts)
    for name, parse in (*_number_parsers(distinct), *_parsers()):
        try:
            known = {text: parse(text.strip()) for text in distinct}
        except (ValueError, ArithmeticError):
            continue
        if name != "float" or _exact(known.values()):
            return name, [known[text] if text else None for text in texts]
    return "string", [text or None for text in texts]


def assert_same(one: Relation, other: Relation) -> None:
    """Two relations that say the same about the same rows."""
    assert one.columns == other.columns
    np.testing.assert_array_equal(one.ranks(), other.ranks())
    for name in one.names:
        assert values(one, name) == values(other, name), name


def values(relation: Relation, column: str) -> list[Any]:
    """The dictionary of a column as Python values that can be compared: NaN is itself."""
    return ["NaN" if value != value else value for value in relation.dictionary(column).to_pylist()]


def _dtype(present: Sequence[Any]) -> str:
    return "float64" if present and isinstance(present[0], float) else "object"


def _parsers() -> tuple[tuple[str, Callable[[str], Any]], ...]:
    return (
        ("boolean", _matching("true|false", lambda text: text.lower() == "true")),
        ("date", _matching(r"\d{4}-\d\d-\d\d", date.fromisoformat)),
        ("timestamp", _matching(r"\d{4}-\d\d-\d\d.*", datetime.fromisoformat)),
        *(("date", _day(form)) for form in ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m.%d.%Y")),
        *(("date", _day(form)) for form in ("%d-%m-%Y", "%m-%d-%Y")),
    )


def _number_parsers(texts: Collection[str]) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """All ways to write numbers, the plain ones first."""
    units = [("", ""), *((sign, "") for sign in "$\u20ac\u00a3"), *(("", sign) for sign in "$\u20ac%")]
    strict = [(".", ""), (".", ","), (",", ""), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'")]
    for loose in (False, True):
        for (decimal, group), unit in itertools.product(strict, units):
            for name, make in (("integer", int), ("decimal", Decimal), ("float", Rounded)):
                yield name, _plain(make, decimal, group, loose, *unit)


def _plain(
    make: Callable[[str], Any], decimal: str, group: str, loose: bool, before: str, after: str
) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        plain = (decimal, group, before, after) == (".", "", "", "")
        if make is Rounded and plain and text.lower().lstrip("+-") in ("inf", "infinity", "nan"):
            return Rounded(text)
        signs = [sign for sign in "+-" if text.startswith((sign, before + sign))]
        bare = text.replace(signs[0], "", 1) if signs else text
        if not (bare.startswith(before) and bare.endswith(after)):
            raise ValueError(text)
        bare = bare.removeprefix(before).removesuffix(after).strip()
        mantissa, exponent = re.fullmatch(r"(.*?)((?:[eE][+-]?\d+)?)", bare, re.DOTALL).groups()  # type: ignore[union-attr]
        whole, mark, fraction = mantissa.partition(decimal)
        groups = whole.split(group) if group else [whole]
        digits = "".join(groups)
        threes = len(groups[0]) in (1, 2, 3) and all(len(three) == 3 for three in groups[1:])
        if not re.fullmatch(r"[0-9]+", digits + fraction) or (len(digits) > 1 and digits[0] == "0"):
            raise ValueError(text)
        if group and whole and not threes and not (loose and len(groups) == 1):
            raise ValueError(text)
        point = "." if mark else ""
        return make("".join(signs) + digits + point + fraction + exponent)

    def decimals(text: str) -> Any:
        if "e" in text.lower():
            raise ValueError(text)
        return parse(text)

    return decimals if make is Decimal else parse


class Rounded(float):
    """A float that knows the number it stands for."""

    def __init__(self, text: str) -> None:
        self.number = Decimal(text)


def _exact(floats: Collection[Rounded]) -> bool:
    """Whether floats stand for different numbers, none of them beyond what a float can be."""
    numbers = {(float(value), value.number) for value in floats if math.isfinite(value)}
    lost = any(math.isfinite(value) != value.number.is_finite() for value in floats)
    return (
        not lost
        and len({value for value, _ in numbers}) == len(numbers)
        and all(number == 0 for value, number in numbers if value == 0)
    )


def _day(form: str) -> Callable[[str], date]:
    return _matching(r"\d{1,2}.\d{1,2}.\d{4}", lambda text: datetime.strptime(text, form).date())


def _matching(pattern: str, make: Callable[[str], Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        if not re.fullmatch(pattern, text, re.IGNORECASE):
            raise ValueError(text)
        return make(text)

    return parse
