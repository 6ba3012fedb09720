"""Which sieves to let new pairs of rows through that may break laws: few literals, which few pairs pass.

Every law has a mesh, some of its literals. Laws with a literal that few pairs pass need no more than that.
The others are parted by the next literal that leaves fewest pairs, as long as that pays. How many pairs pass
is told by some that are looked at first.

Rows repeat in some columns, in which a new row mostly has a *twin* among the old ones. It breaks no law of
these columns with an old row, or its twin would: laws that ask for a difference need not be looked at for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.evidence.batches import Rows
from lawful.evidence.sieves import Sieve, Sieves, have_twins
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Flags, Ints
from lawful.table.ranked import Ranks
from lawful.validate.probe_literals import Excluded, exchanged

SIEVE_SAMPLE = 1024  # pairs that are looked at
MESHES = 64  # of literals, after which laws are not parted further
LITERALS = 8  # masks of excluded outcomes; the last excludes all
TWINS_TRIED, TRIED_AT_ONCE = 32, 4  # rows that tell whether rows have twins, so many at a time
MOSTLY = 0.9  # of the rows

Literal = tuple[int, int]  # a column and the outcomes that are excluded
Mesh = frozenset[Literal]
Passing = npt.NDArray[np.bool_]  # [column, excluded outcomes, pair]


@dataclass(eq=False)
class _SomeLaws:
    """Laws with the same mesh, and the pairs that go through it."""

    laws: Ints
    mesh: Mesh = frozenset()
    passing: Flags = field(default_factory=lambda: np.ones(SIEVE_SAMPLE, np.bool_))
    is_done: bool = False

    def __post_init__(self) -> None:
        self.share = float(self.passing.mean())
        self.cost = costs.sieve_seconds(1, len(self.mesh), self.share)


def chosen_sieves(excluded: Excluded, rows: Rows, known: int) -> Sieves | None:
    """Sieves through which each pair goes that breaks a law, either way round; None if one has no literals.

    Args:
        excluded: the literals of the laws (`lawful.validate.probe_literals`).
        rows: all of them.
        known: how many there were before the new ones, which are likely to be of their kind.
    """
    if not known or not excluded.any(axis=1).all():
        return None
    random = np.random.default_rng(0)
    passing = _passing(rows.ranks, *random.integers(0, known, (2, SIEVE_SAMPLE)))
    of_others, cost = _sieve_for(excluded, passing)
    repeating = _repeating(excluded, passing, rows, known)
    if not len(repeating):
        return Sieves(repeating, of_others, of_others, cost)
    of_twins, cost_of_twins = _sieve_for(excluded[~_settled(excluded, repeating)], passing)
    return Sieves(repeating, of_twins, of_others, MOSTLY * cost_of_twins + (1 - MOSTLY) * cost)


def _passing(ranks: Ranks, t: Ints, s: Ints) -> Passing:
    """Which pairs pass each literal."""
    xs, ys = ranks[:, t], ranks[:, s]
    unknown = (xs | ys) < 0
    outcomes = {LESS: (xs < ys) & ~unknown, EQUAL: (xs == ys) & ~unknown, GREATER: (xs > ys) & ~unknown}
    passing = np.zeros((len(ranks), LITERALS, len(t)), np.bool_)
    for excluded in range(LITERALS - 1):
        for outcome, has in outcomes.items():
            if not excluded & outcome:
                passing[:, excluded] |= has
        if not excluded & (LESS | GREATER):
            passing[:, excluded] |= unknown
    return passing


def _settled(excluded: Excluded, repeating: Ints) -> Flags:
    """The laws of some columns that ask for a difference."""
    beside = np.ones(excluded.shape[1], np.bool_)
    beside[repeating] = False
    settled: Flags = ~excluded[:, beside].any(axis=1) & (excluded & EQUAL != 0).any(axis=1)
    return settled


def _repeating(excluded: Excluded, passing: Passing, rows: Rows, known: int) -> Ints:
    """As many columns in which rows mostly have twins as possible, of those in which most pairs agree.

    They come in the order in which they are looked at: those first that tell most rows apart.
    """
    order = np.argsort(-passing[:, LESS | GREATER].mean(axis=1), kind="stable")
    last = np.arange(max(known - TWINS_TRIED, 0), known)
    chosen = order[:0]
    for count, column in enumerate(order.tolist(), 1):
        asked = np.flatnonzero(excluded[_settled(excluded, order[:count])].any(axis=0))
        if column in asked:
            own = order[:count][np.isin(order[:count], asked)][::-1].copy()
            if not _mostly_have_twins(rows, own, last):
                break
            chosen = own
    return chosen


def _mostly_have_twins(rows: Rows, columns: Ints, tried: Ints) -> bool:
    """Whether most of some rows have twins before them; it takes long to see that one has none."""
    may_lack = (1 - MOSTLY) * len(tried)
    for some in np.array_split(tried, -(-len(tried) // TRIED_AT_ONCE)):
        found = have_twins(rows.ranks, columns, rows.alive, some, int(tried[0]))
        may_lack -= np.count_nonzero(~found)
        if may_lack < 0:
            return False
    return True


def _sieve_for(excluded: Excluded, passing: Passing) -> tuple[Sieve, float]:
    """A sieve for some laws, and what a pair costs, about."""
    parts = _parted(excluded, passing)
    return _sieve(_meshes(parts)), sum(part.cost for part in parts)


def _parted(excluded: Excluded, passing: Passing) -> list[_SomeLaws]:
    """Laws in parts whose meshes are as fine as pays."""
    parts = _finer(_SomeLaws(np.arange(len(excluded))), excluded, passing) if len(excluded) else []
    while len(parts) < MESHES and (open_ones := [part for part in parts if not part.is_done]):
        coarsest = max(open_ones, key=lambda part: part.share)
        parts.remove(coarsest)
        finer = _finer(coarsest, excluded, passing)
        if not _pays(finer, coarsest):  # the next literals may, which few pairs pass together
            finer = [
                one for part in finer for one in ([part] if part.is_done else _finer(part, excluded, passing))
            ]
        parts += finer if _pays(finer, coarsest) else [replace(coarsest, is_done=True)]
    return parts


def _pays(finer: list[_SomeLaws], coarse: _SomeLaws) -> bool:
    return sum(part.cost for part in finer) < coarse.cost


def _finer(part: _SomeLaws, excluded: Excluded, passing: Passing) -> list[_SomeLaws]:
    """Laws parted by the literal of each that leaves fewest pairs; done where there is none left."""
    shares = (passing & part.passing).mean(axis=2)
    free = excluded[part.laws].copy()
    free[:, [column for column, _ in part.mesh]] = 0
    own = np.where(free > 0, shares[np.arange(len(shares)), free], np.inf)
    columns = own.argmin(axis=1)
    literals = free[np.arange(len(free)), columns]
    found = []
    for column, literal in sorted({*zip(columns.tolist(), literals.tolist(), strict=True)}):
        laws = part.laws[(columns == column) & (literals == literal)]
        if literal:
            passed = part.passing & passing[column, literal]
            found.append(_SomeLaws(laws, part.mesh | {(column, literal)}, passed))
        else:
            found.append(replace(part, laws=laws, is_done=True))
    return found


def _meshes(parts: list[_SomeLaws]) -> list[Mesh]:
    """The meshes of parts, both ways round; none that lets nothing through that another one does not."""
    meshes = {mesh for part in parts for mesh in (part.mesh, _exchanged(part.mesh))}
    return sorted((mesh for mesh in meshes if not any(other < mesh for other in meshes)), key=sorted)


def _exchanged(mesh: Mesh) -> Mesh:
    """The literals after t and s are exchanged."""
    columns, excluded = zip(*sorted(mesh), strict=True)
    turned = exchanged(np.array(excluded, np.uint8)).tolist()
    return frozenset(zip(columns, turned, strict=True))


def _sieve(meshes: list[Mesh]) -> Sieve:
    lone = [literal for mesh in meshes if len(mesh) == 1 for literal in mesh]
    others = [mesh for mesh in meshes if len(mesh) > 1]
    literals = [*lone, *sorted(set().union(*others))]
    place = {literal: number for number, literal in enumerate(literals)}
    members = [place[literal] for mesh in others for literal in sorted(mesh)]
    columns, excluded = np.array(literals, np.int64).reshape(-1, 2).T.copy()
    first = np.cumsum([0, *(len(mesh) for mesh in others)])
    return Sieve(columns, excluded, len(lone), first, np.array(members, np.int64))
