"""A column that gets further values: what is known is looked up, what is new gets a code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lawful.table.bisection import Places
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
    both = _as_they_are_kept(fitting, added, mode, frozen)
    if both is None:
        return None
    raw, values = both
    keys = fitting.rule.keys(values)
    by_value = mode == "typed" and fitting.rule.mode != "typed"
    codes = _known(pieces, None if by_value else raw, keys)
    fresh = np.flatnonzero(codes < 0)
    if len(fresh) == 0:
        return codes.astype(np.int32), None
    lossy = _lossy(fitting, pieces, raw, keys, fresh)
    if lossy is not None:
        if frozen:
            raise MisfitError(lossy)
        return None
    here = pa.array(fresh)
    new_raw = raw.take(here)
    new_values = new_raw if values is raw else values.take(here)
    first = sum(map(len, pieces))
    codes[fresh] = np.arange(first, first + len(fresh))
    entries = Entries.of(fitting.rule, new_raw, new_values, codes[fresh].astype(np.int32))
    return codes.astype(np.int32), entries


def _as_they_are_kept(
    fitting: Fitting, added: pa.Array, mode: Mode, frozen: bool
) -> tuple[pa.Array, pa.Array] | None:
    """Source and typed values in the types of the column; None where these do not hold them."""
    found = fitting.values(added, mode, frozen)
    values = None if found is None else narrowed(found, fitting.value_type)
    raw = None if values is None else fitting.raw(added, values, mode)
    return None if raw is None else (raw, values)


def _known(pieces: Sequence[Entries], raw: pa.Array | None, keys: pa.Array) -> Places:
    codes = np.full(len(keys), -1)
    for piece in pieces:
        asked = np.flatnonzero(codes < 0)
        if len(asked) == 0:
            break
        here = pa.array(asked)
        places = piece.find(None if raw is None else raw.take(here), keys.take(here))
        codes[asked[places >= 0]] = piece.code_at(places[places >= 0])
    return codes


def _lossy(
    fitting: Fitting, pieces: Sequence[Entries], raw: pa.Array, keys: pa.Array, fresh: Places
) -> int | None:
    """The place of a text that is another number than one with the same float, where that counts."""
    if not (fitting.reads_texts and fitting.kind.judges_together):
        return None
    here = pa.array(fresh)
    for piece in pieces:
        places = piece.find(None, keys.take(here))
        for place, other in zip(fresh[places >= 0], places[places >= 0], strict=True):
            texts = fitting.rule.texts(concat([piece.raw.slice(other, 1), raw.slice(place, 1)]))
            if len(texts) and fitting.kind.parse(texts).null_count:
                return int(place)
    return None
