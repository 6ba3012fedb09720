"""One column: its distinct source values, their typed values, and the ranks of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.errors import LawfulError
from lawful.table.arrows import common_type, type_name
from lawful.table.kinds import (
    CATEGORY,
    NULL,
    STRING,
    Kind,
    a_few,
    clean_floats,
    fixed_kinds,
    infer,
    json_kinds,
    misfit,
    text_kinds,
)
from lawful.table.sorting import sorted_places
from lawful.table.source_options import SourceOptions

Mode = Literal["text", "json", "typed"]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Column:
    """What a relation says about one of its columns.

    `distinct` does not count NULL; `notes` say what could be misread, and what was done about it.
    """

    name: str
    type: str
    ordered: bool
    distinct: int
    nulls: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """How the values of one column are to be understood.

    Attributes:
        name: the column.
        mode: "text" (CSV: any type may hide in it), "json" (its strings may be moments), "typed".
        fixed: the type that the caller wants, or "".
        null_markers: the texts that mean NULL.
        decimal: the decimal mark where texts leave it open, or "".
        categories: all values of an ordered categorical, as texts, in their order.
        encodings: those that its texts could have instead of the one they were read with.
        renamed: what the source calls the column, where it could not keep that name.
    """

    name: str
    mode: Mode
    fixed: str
    null_markers: tuple[str, ...]
    date_formats: tuple[str, ...]
    nulls: Literal["equal", "distinct"]
    decimal: str
    categories: tuple[str, ...] = ()
    encodings: tuple[str, ...] = ()
    renamed: str | None = None

    @classmethod
    def of(cls, name: str, mode: Mode, options: SourceOptions, categories: tuple[str, ...] = ()) -> Rule:
        """The rule for a column of a source that is read with these options."""
        fixed, decimal = options.types.get(name, ""), options.decimal or ""
        markers, formats = options.all_null_markers, options.date_formats
        return cls(name, mode, fixed, markers, formats, options.nulls, decimal, () if fixed else categories)

    def kinds(self, texts: pa.Array) -> tuple[Kind, ...]:
        """What these texts of the column may be."""
        some = a_few(texts).to_pylist() or [""]
        if self.fixed:
            return fixed_kinds(self.fixed, some, self.date_formats, self.decimal)
        if self.mode == "text":
            return text_kinds(some, self.date_formats, self.decimal)
        return json_kinds(self.date_formats) if self.mode == "json" else (STRING,)

    def texts(self, raw: pa.Array) -> pa.Array:
        """The source texts that do not mean NULL."""
        empty = self.null_mask(raw)
        return raw.filter(pc.invert(empty)) if pc.any(empty).as_py() else raw

    def null_mask(self, raw: pa.Array) -> pa.Array:
        """Which source values mean NULL."""
        if self.mode != "text" or not self.null_markers:
            return raw.is_null()
        markers = pa.array(self.null_markers, raw.type)
        return pc.or_(raw.is_null(), pc.is_in(raw, value_set=markers))

    def understand(self, raw: pa.Array) -> tuple[Kind, pa.Array]:
        """The kind of the source values, and their typed values."""
        if self.categories:
            return CATEGORY, pc.if_else(self.null_mask(raw), None, raw)
        if not is_text(raw.type):
            if not self.fixed or self.fixed == type_name(raw.type):
                return Kind(type_name(raw.type)), raw
            raw = raw.cast(pa.string())
        texts = self.texts(raw)
        if len(texts) == 0:
            kind = self.kinds(texts)[0] if self.fixed or self.mode == "typed" else NULL
            return kind, pa.nulls(len(raw), raw.type if self.mode == "typed" else pa.null())
        found = infer(texts, self.kinds(texts))
        if found is None:
            raise self.does_not_fit(texts)
        kind, values = found
        if kind == STRING and len(texts) + raw.null_count == len(raw):
            return kind, raw
        return kind, scatter(values, self.null_mask(raw))

    def order(self, values: pa.Array, distinct: bool = False) -> Ints:
        """The dense rank of each typed value; soonest where they are known to be distinct."""
        return dense_order(self.keys(values), self.nulls, distinct)

    def keys(self, values: pa.Array) -> pa.Array:
        """What the order of typed values goes by: the values, or their places among the categories."""
        if not self.categories:
            return values
        texts = values.cast(pa.string())
        places = pc.index_in(texts, value_set=pa.array([*self.categories]), skip_nulls=True)
        strange = texts.filter(pc.and_(places.is_null(), values.is_valid()))
        if len(strange):
            raise LawfulError(
                f"column {self.name!r} holds {strange[0].as_py()!r}, which is none of its ordered categories "
                f"({', '.join(self.categories)}): add it to them, or fix the type of the column"
            )
        return places

    def does_not_fit(self, texts: pa.Array) -> LawfulError:
        """What to say about texts that are not of the fixed type."""
        value = misfit(texts, self.kinds(texts))
        return LawfulError(
            f"column {self.name!r} holds {value!r}, which is no {self.fixed}: "
            f"fix another type, or name it as a NULL marker or date format if it is one"
        )


@dataclass(frozen=True)
class Dictionary:
    """The distinct source values of a column, by code.

    Attributes:
        raw: the source values.
        values: their typed values, NULL where they mean NULL.
        order: the rank of each code; codes with equal values share one.
    """

    rule: Rule
    kind: Kind
    raw: pa.Array
    values: pa.Array
    order: Ints

    @classmethod
    def make(cls, raw: pa.Array, rule: Rule) -> Dictionary:
        """The dictionary of distinct source values."""
        kind, values = rule.understand(raw)
        return cls(rule, kind, raw, values, rule.order(values, values is raw))

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def is_identity(self) -> bool:
        """Whether the codes are the ranks."""
        return bool(np.array_equal(self.order, np.arange(len(self.order), dtype=np.int32)))

    def sorted_by_rank(self) -> tuple[Dictionary, Ints]:
        """The same dictionary with codes in the order of ranks, and the new code of each old one."""
        place = places_by_rank(self.order)
        if np.array_equal(place, np.arange(len(place))):
            return self, place.astype(np.int32)
        moved = np.empty(len(place), dtype=np.int32)
        moved[place] = np.arange(len(place), dtype=np.int32)
        raw = self.raw.take(pa.array(place))
        values = raw if self.values is self.raw else self.values.take(pa.array(place))
        return replace(self, raw=raw, values=values, order=self.order[place]), moved

    def extend(self, added: pa.Array, mode: Mode, frozen: bool = False) -> tuple[Dictionary, Ints]:
        """This dictionary with further distinct source values, and the code of each of them.

        Codes that were given stay as they are. All values are understood anew, which may give the column a
        more general type, unless it is frozen: values that fit it as it is are added without (`grown`).
        """
        if "typed" in (self.rule.mode, mode) and self.rule.mode != mode:
            rule = replace(self.rule, mode=mode)
            typed = replace(self, rule=replace(self.rule, mode="typed"), raw=self.values)
            return typed.extend(rule.understand(added)[1], "typed", frozen)
        own, added = _same_type(self.raw, added)
        known = pc.index_in(added, value_set=own)
        fresh = added.filter(known.is_null())
        codes: npt.NDArray[np.int32] = known.fill_null(-1).to_numpy(zero_copy_only=False).copy()
        codes[codes < 0] = np.arange(len(self), len(self) + len(fresh), dtype=np.int32)
        if len(fresh) == 0:
            return self, codes
        return self._anew(pa.concat_arrays([own, fresh]), frozen), codes

    def _anew(self, raw: pa.Array, frozen: bool) -> Dictionary:
        """The dictionary of other source values, understood anew or, if it is frozen, as before."""
        if not frozen or self.kind == NULL or not is_text(raw.type) or self.rule.mode == "typed":
            return Dictionary.make(raw, self.rule)
        texts = self.rule.texts(raw)
        values = self.kind.parse(texts)
        if values.null_count:
            raise replace(self.rule, fixed=self.kind.type).does_not_fit(texts)
        values = scatter(values, self.rule.null_mask(raw))
        return replace(self, raw=raw, values=values, order=self.rule.order(values))


def dense_order(values: pa.Array, nulls: Literal["equal", "distinct"], distinct: bool = False) -> Ints:
    """The dense rank of each value: NULL before all others, or -1 where NULL equals nothing."""
    missing: npt.NDArray[np.bool_] = values.is_null().to_numpy(zero_copy_only=False)
    present = values.drop_null()
    place = sorted_places(present)
    steps = np.ones(len(present), dtype=np.int32)
    steps[:1] = 0
    if not distinct and len(present) > 1:
        ordered = present.take(pa.array(place))
        steps[1:] = _differ(ordered.slice(1), ordered.slice(0, len(ordered) - 1))
    ranks = np.empty(len(present), dtype=np.int32)
    first = int(missing.any() and nulls == "equal")
    ranks[place] = np.cumsum(steps, dtype=np.int32) + first
    result = np.full(len(values), first - 1, dtype=np.int32)
    result[~missing] = ranks
    return result


def order_of_sorted(values: pa.Array) -> Ints:
    """The dense rank of each of some sorted values, NULL first; -1 of NULL."""
    missing = values.null_count
    ranks = np.full(len(values), -1, np.int32)
    if missing < len(values):
        present = values.slice(missing)
        ranks[missing] = 0
        np.cumsum(_differ(present.slice(1), present.slice(0, len(present) - 1)), out=ranks[missing + 1 :])
    return ranks


def places_by_rank(order: Ints) -> npt.NDArray[np.integer[Any]]:
    """Where the ranks 0, 1, ... stand; those of one rank in the order of their places."""
    if len(order) == 0 or order.max() != len(order) - 1:
        return np.argsort(order, kind="stable")
    place = np.empty(len(order), np.int32)  # each rank stands once
    place[order] = np.arange(len(order), dtype=np.int32)
    return place


def alike(ones: pa.Array, others: pa.Array) -> npt.NDArray[np.bool_]:
    """Which values are the same as others; NULL is NULL, and NaN is NaN."""
    if not ones.null_count and not others.null_count:
        return ~_differ(ones, others)
    same = pc.or_(pc.fill_null(pc.equal(ones, others), False), pc.and_(ones.is_null(), others.is_null()))
    if pa.types.is_floating(ones.type):
        same = pc.or_(same, pc.fill_null(pc.and_(pc.is_nan(ones), pc.is_nan(others)), False))
    return np.asarray(same.to_numpy(zero_copy_only=False))


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def concat(arrays: Sequence[pa.Array]) -> pa.Array:
    """One array of all; of large strings where 2 GB of text would not fit."""
    if len(arrays) == 1:
        return arrays[0]
    if is_text(arrays[0].type) and sum(array.nbytes for array in arrays) >= 1 << 31:
        return pa.concat_arrays([array.cast(pa.large_string()) for array in arrays])
    return pa.concat_arrays(arrays)


def _differ(ones: pa.Array, others: pa.Array) -> npt.NDArray[np.bool_]:
    """Which values are not the same as others, none of them NULL."""
    if pa.types.is_floating(ones.type) and ones.type == others.type:
        own, theirs = ones.to_numpy(), others.to_numpy()
        return np.asarray((own != theirs) & ((own == own) | (theirs == theirs)))  # NaN alone is not itself
    return np.asarray(pc.not_equal(ones, others).to_numpy(zero_copy_only=False))


def _same_type(one: pa.Array, other: pa.Array) -> tuple[pa.Array, pa.Array]:
    target = common_type(one.type, other.type)
    return as_type(one, target), as_type(other, target)


def as_type(values: pa.Array, target: pa.DataType) -> pa.Array:
    """Values as a type that can hold them; a float is the nearest one."""
    if pa.types.is_floating(target):
        return clean_floats(values.cast(target, safe=False))
    return values.cast(target)


def scatter(values: pa.Array, empty: pa.Array) -> pa.Array:
    """The values at the places that are not empty, NULL at the others."""
    if not pc.any(empty).as_py():
        return values
    mask = empty.to_numpy(zero_copy_only=False)
    return values.take(pa.array(np.cumsum(~mask) - 1, mask=mask))
