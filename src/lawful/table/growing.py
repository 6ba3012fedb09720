"""A column that gets further values: what is known is looked up, what is new gets a code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.columns import Ints, Mode, concat
from lawful.table.entries import Entries
from lawful.table.fitting import Fitting, MisfitError, narrowed


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
