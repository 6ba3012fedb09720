"""What changes brought: rows that went, rows that came and the values that were new in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.columns import Rule
from lawful.table.entries import Entries
from lawful.table.pile import Block

Ids = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Part:
    """One change, or several that came after another.

    Attributes:
        deleted: the ids of rows that went.
        codes: of the rows that came, a line for each column.
        entries: for each column the values that no row had before.
        blocks: where the rows stand in their sources.
    """

    deleted: Ids
    codes: Codes
    entries: tuple[Entries | None, ...]
    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        """How many rows came and went."""
        return len(self.deleted) + int(self.codes.shape[1])

    def then(self, later: Part, rules: Sequence[Rule]) -> Part:
        """Both changes as one."""
        pairs = zip(rules, self.entries, later.entries, strict=True)
        return Part(
            np.concatenate([self.deleted, later.deleted]),
            np.concatenate([self.codes, later.codes], axis=1),
            tuple(Entries.joined(rule, [one for one in both if one is not None]) for rule, *both in pairs),
            (*self.blocks, *later.blocks),
        )

    def without(self, sizes: Sequence[int]) -> Part:
        """The same without values whose codes are below the size that their column has elsewhere."""
        pairs = zip(self.entries, sizes, strict=True)
        left = tuple(one if one is not None and one.all_codes[0] >= size else None for one, size in pairs)
        return self if left == self.entries else replace(self, entries=left)


def save_part(path: Path, part: Part) -> None:
    """Write a part as one row of lists."""
    lists: dict[str, Any] = {"deleted": part.deleted, "codes": part.codes.ravel()}
    for name in ("source", "first", "rows"):
        lists[name] = [getattr(block, name) for block in part.blocks]
    for index, entries in enumerate(part.entries):
        if entries is not None:
            lists |= {f"raw {index}": entries.raw, f"code {index}": entries.all_codes}
            if entries.values is not entries.raw:
                lists[f"value {index}"] = entries.values
    batch = pa.record_batch({name: _in_one_row(values) for name, values in lists.items()})
    with pa.ipc.new_file(str(path), batch.schema) as writer:
        writer.write_batch(batch)


def load_part(path: Path, rules: Sequence[Rule]) -> Part:
    """Map a part into memory."""
    batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
    lists = {name: column.flatten() for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    codes = lists["codes"].to_numpy().reshape(len(rules), -1)
    blocks = zip(*(lists[name].to_pylist() for name in ("source", "first", "rows")), strict=True)
    entries = tuple(_entries(lists, index, rule) for index, rule in enumerate(rules))
    return Part(lists["deleted"].to_numpy(), codes, entries, tuple(Block(*block) for block in blocks))


def _entries(lists: dict[str, pa.Array], index: int, rule: Rule) -> Entries | None:
    if f"raw {index}" not in lists:
        return None
    raw = lists[f"raw {index}"]
    values = lists.get(f"value {index}", raw)
    return Entries(raw, values, rule.keys(values), lists[f"code {index}"].to_numpy())


def _in_one_row(values: Any) -> pa.ListArray:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    return pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)
