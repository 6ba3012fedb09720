"""Further values of a column, understood as it is: what is known is looked up, what is new gets a code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.table.arrows import common_type, type_name
from lawful.table.columns import Ints, Mode, Rule, alike, as_type, concat, is_text, scatter
from lawful.table.entries import Entries
from lawful.table.kinds import CATEGORY, EXACT_NUMBERS, NULL, STRING, Kind, a_few, fixed_kinds

Kinds = Callable[[pa.Array], Iterable[Kind]]


class MisfitError(Exception):
    """A value does not fit the type of its column; `place` is its place among the values."""

    def __init__(self, place: int) -> None:
        self.place = place


@dataclass(frozen=True)
class Fitting:
    """How a column is read: its rule and kind, and the Arrow types of its source and typed values."""

    rule: Rule
    kind: Kind
    raw_type: pa.DataType
    value_type: pa.DataType

    def values(self, added: pa.Array, mode: Mode, frozen: bool) -> pa.Array | None:
        """Typed values, of the column's type or a wider one; None where the column becomes more general.

        Raises:
            MisfitError: a value does not fit, and the type is frozen.
        """
        if self.kind == NULL:
            return self._nothing(added, mode, frozen)
        if self.kind == CATEGORY:
            return self._categories(added, mode, frozen)
        if self.reads_texts and (mode != "typed" or self._is_parsed):
            return self._parsed(added, self._empty(added, mode), self._own_kind, frozen)
        if mode == "typed" or self.rule.mode != "typed":
            return self._compatible(added, frozen)
        if frozen:
            return self._parsed(added, self._empty(added, mode), self._kinds_of_type, frozen)
        fixed = self.rule.fixed or ("string" if self.kind == STRING else "")
        return self._compatible(replace(self.rule, mode=mode, fixed=fixed).understand(added)[1], frozen)

    def raw(self, added: pa.Array, values: pa.Array, mode: Mode) -> pa.Array | None:
        """The source values of typed ones; None where these cannot stand beside those of the column."""
        if self._is_parsed:
            return narrowed(added, self.raw_type)
        if not self.reads_texts:
            return values
        if mode != "typed":
            return values if self.kind == STRING and not values.null_count else narrowed(added, self.raw_type)
        texts = values.cast(self.raw_type)
        read = self._parsed(texts, self._empty(texts, self.rule.mode), self._own_kind, frozen=False)
        return texts if read is not None and alike(read.cast(values.type), values).all() else None

    @property
    def reads_texts(self) -> bool:
        """Whether the typed values are those of texts."""
        return self._is_parsed or (self.rule.mode != "typed" and is_text(self.raw_type))

    @property
    def _is_parsed(self) -> bool:
        """Whether typed source values were made texts, to be read as the type that the caller has fixed."""
        return self.raw_type != self.value_type and (self.rule.mode == "typed" or not is_text(self.raw_type))

    def _empty(self, added: pa.Array, mode: Mode) -> pa.Array:
        return replace(self.rule, mode=mode).null_mask(added)

    def _nothing(self, added: pa.Array, mode: Mode, frozen: bool) -> pa.Array | None:
        something = pc.invert(self._empty(added, mode))
        if frozen and pc.any(something).as_py():
            raise MisfitError(pc.index(something, True).as_py())
        return None

    def _categories(self, added: pa.Array, mode: Mode, frozen: bool) -> pa.Array:
        empty = self._empty(added, mode)
        known = pc.is_in(added.cast(pa.string()), value_set=pa.array([*self.rule.categories]))
        if frozen and not pc.all(pc.or_(known, empty)).as_py():
            raise MisfitError(pc.index(pc.or_(known, empty), False).as_py())
        return pc.if_else(empty, None, added)

    def _compatible(self, added: pa.Array, frozen: bool) -> pa.Array | None:
        """Typed values that the column's type can hold, or one that has the same name."""
        target = common_type(self.value_type, added.type)
        if target == self.value_type or (is_text(target) and is_text(self.value_type)):
            return as_type(added, self.value_type)
        if type_name(target) == self.kind.type:
            return added if type_name(added.type) == self.kind.type else added.cast(target)
        return self._parsed(added, added.is_null(), self._kinds_of_type, frozen) if frozen else None

    def _parsed(self, added: pa.Array, empty: pa.Array, kinds: Kinds, frozen: bool) -> pa.Array | None:
        """The values of texts, by the first of the kinds that fits all of them."""
        texts = added.filter(pc.invert(empty))
        texts = texts if is_text(texts.type) else texts.cast(pa.string())
        if len(texts) == 0:
            return pa.nulls(len(added), self.value_type)
        fewest = pa.nulls(len(texts))
        for kind in kinds(texts):
            values = kind.parse(texts)
            if values.null_count == 0:
                return scatter(values, empty)
            fewest = min(fewest, values, key=lambda some: int(some.null_count))
        if frozen:
            misfit = pc.index(fewest.is_null(), True).as_py()
            raise MisfitError(int(np.flatnonzero(~empty.to_numpy(zero_copy_only=False))[misfit]))
        return None

    def _own_kind(self, _: pa.Array) -> Iterator[Kind]:
        yield self.kind

    def _kinds_of_type(self, texts: pa.Array) -> Iterator[Kind]:
        """The kinds of texts that are of the column's type, however they are written."""
        if self.kind.format:
            yield self.kind
        some = a_few(texts).to_pylist()
        yield from fixed_kinds(self.kind.type, some, self.rule.date_formats, self.rule.decimal)


def narrowed(values: pa.Array, wanted: pa.DataType) -> pa.Array | None:
    """The same values as the wanted type, where that is a matter of width."""
    if values.type == wanted:
        return values
    exact = type_name(values.type) in EXACT_NUMBERS and type_name(wanted) in EXACT_NUMBERS
    if not (exact or pa.types.is_null(values.type) or (is_text(values.type) and is_text(wanted))):
        return None
    try:
        return values.cast(wanted)
    except pa.ArrowInvalid:
        return None


def grown(
    fitting: Fitting, pieces: Sequence[Entries], added: pa.Array, mode: Mode, frozen: bool
) -> tuple[Ints, Entries | None] | None:
    """The code of each added source value, and the entries that are new.

    None where the column has to change for them: `Dictionary.extend` does that, at the cost of all values.

    Raises:
        MisfitError: a value does not fit, and the type is frozen.
    """
    found = fitting.values(added, mode, frozen)
    values = None if found is None else narrowed(found, fitting.value_type)
    codes = None if values is None else _known(fitting, pieces, added, values, mode)
    if values is None or codes is None:
        return None
    fresh = np.flatnonzero(codes < 0)
    if len(fresh) == 0:
        return codes, None
    codes[fresh] = np.arange(sum(map(len, pieces)), sum(map(len, pieces)) + len(fresh))
    here = pa.array(fresh)
    new = values.take(here)
    raw = fitting.raw(added.take(here), new, mode)
    lossy = None if raw is None else _lossy(fitting, pieces, raw, fitting.rule.keys(new))
    if lossy is not None and frozen:
        raise MisfitError(int(fresh[lossy]))
    if raw is None or lossy is not None:
        return None
    return codes, Entries.of(fitting.rule, raw, new, codes[fresh])


def _known(
    fitting: Fitting, pieces: Sequence[Entries], added: pa.Array, values: pa.Array, mode: Mode
) -> Ints | None:
    """The codes of values, -1 of those that are new; None where their source values are of another type."""
    # Typed values are looked up as such among the values of texts.
    by_value = mode == "typed" and fitting.rule.mode != "typed"
    raw = None if by_value else fitting.raw(added, values, mode)
    if raw is None and not by_value:
        return None
    keys, codes = fitting.rule.keys(values), np.full(len(values), -1, np.int32)
    for piece in pieces:
        if len(asked := np.flatnonzero(codes < 0)) == 0:
            break
        places = piece.find(None if raw is None else _at(raw, asked), _at(keys, asked))
        codes[asked[places >= 0]] = piece.code_at(places[places >= 0])
    return codes


def _at(values: pa.Array, places: npt.NDArray[np.int64]) -> pa.Array:
    """The values at some places, which are distinct and in order."""
    return values if len(places) == len(values) else values.take(pa.array(places))


def _lossy(fitting: Fitting, pieces: Sequence[Entries], raw: pa.Array, keys: pa.Array) -> int | None:
    """The place of a text that is another number than one with the same float, where that counts."""
    if not (fitting.reads_texts and fitting.kind.judges_together):
        return None
    for piece in pieces:
        others = piece.find(None, keys)
        for place in np.flatnonzero(others >= 0):
            texts = fitting.rule.texts(concat([piece.raw.slice(others[place], 1), raw.slice(place, 1)]))
            if len(texts) and fitting.kind.parse(texts).null_count:
                return int(place)
    return None
