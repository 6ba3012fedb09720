"""The laws of a table that are worth the most bits, whatever their error: nobody need choose one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile

from lawful.checking.bits_of_verdicts import as_they_hold, log_ways, sampled
from lawful.checking.denials import denial_of
from lawful.checking.law_errors import removals_of
from lawful.checking.suspect_cells import saving_fds
from lawful.discovery import Options, space_of
from lawful.engine import Engine, stretches
from lawful.engine.watch import Limits
from lawful.laws import OD, Key, Law
from lawful.table import Relation
from lawful.table.workspace import Workspace

AUTO_SIZE = 3  # columns of the laws that are tried, unless other sizes are asked for
LAWS_A_TASK = 64
SOME = 1e-9  # bits: more than none


@dataclass(frozen=True)
class KeepWorthy:
    """A task of this process: which of some keys and ODs may have so many bits."""

    relation: Relation
    laws: Sequence[Law]
    options: Options

    def __call__(self, work: Workspace) -> Iterator[Law]:
        if work.halted:
            return
        some = sampled(work)
        of_all = as_they_hold(self.laws, self.relation.names, some)
        for law, bits in zip(self.laws, of_all.tolist(), strict=True):
            if work.halted:
                return
            if bits and bits - self._log_ways(law, some) >= self.options.min_bits:
                yield law

    def _log_ways(self, law: Law, work: Workspace) -> float:
        """The logarithm of the number of ways to choose the rows that must go so that a law holds."""
        return log_ways(work.rows.count, removals_of(denial_of(law, self.relation.columns), work))


def worthy(relation: Relation, laws: Iterable[Law], options: Options, engine: Engine) -> list[Law]:
    """Those of some keys and ODs that may have bits enough, whether they hold or not."""
    laws = [*takewhile(lambda _: not engine.work.halted, laws)]
    if options.min_bits == 0:
        return laws
    parts = stretches(len(laws), engine, LAWS_A_TASK)
    return [*engine.run([KeepWorthy(relation, laws[part], options) for part in parts])]


def saving_laws(
    relation: Relation, options: Options, engine: Engine, limits: Limits
) -> tuple[list[Law], str | None]:
    """The keys, FDs and ODs of at most so many columns that may have enough bits, and why some are missing,
    if so. Constants and keys of one column have none."""
    size = AUTO_SIZE if options.max_size is None else options.max_size
    space = space_of(relation, replace(options, every_column=True))
    usable, names = space.columns.tolist(), relation.names
    sides = [column for column in space.sides if relation.columns[column].ordered]
    options = replace(options, min_bits=max(options.min_bits, SOME))
    with engine.watched(limits) as watch:
        found = list[Law]()
        if "fd" in options.kinds:
            found += [one.law(names) for one in saving_fds(engine.work, usable, size - 1, options.min_bits)]
        if "key" in options.kinds:
            found += worthy(relation, _keys(usable, names, size), options, engine)
        if "od" in options.kinds:
            found += worthy(relation, _ods(usable, sides, names, size - 2), options, engine)
    return found, watch.reason


def _keys(usable: Sequence[int], names: Sequence[str], size: int) -> Iterator[Law]:
    for count in range(2, size + 1):
        for columns in combinations(usable, count):
            yield Key(frozenset(names[column] for column in columns))


def _ods(usable: Sequence[int], sides: Sequence[int], names: Sequence[str], size: int) -> Iterator[Law]:
    for count in range(size + 1):
        for left, right in combinations(sides, 2):
            others = [column for column in usable if column not in (left, right)]
            for columns in combinations(others, count):
                context = frozenset(names[column] for column in columns)
                for descending in (False, True):
                    yield OD(context, names[left], names[right], descending)
