"""What a search is asked for at a time, and what comes back."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.cover.mmcs import UNLIMITED, Bounds
from lawful.laws.codec import LawArrays
from lawful.laws.targets import LEFT, RIGHT, Targets
from lawful.table.workspace import Workspace
from lawful.validate.candidates import ANY, Wanted
from lawful.validate.contexts import WORTH_KEEPING
from lawful.validate.law_bits import Rate, bits_wanted
from lawful.words import numbered_lines

Sets = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

SECONDS_KEPT = 0.1  # seconds for which what was found may be kept: telling it takes time too
LONG_PATIENCE = 5.0  # the same on tables whose laws should share partitions when they are looked at

NO_PAIRS: Pairs = np.empty((0, 2), np.int32)
NOBODY: Numbers = np.empty(0, np.int64)
NONE: Truths = np.empty(0, np.bool_)
UNKNOWN: Scores = np.empty(0)


@dataclass(frozen=True)
class Phase:
    """Targets that can be settled in any order, with what is known before they are."""

    name: str
    kinds: Numbers  # [target]: the kind of its laws, its place in KINDS
    targets: Targets
    most: Numbers  # [target]: how large its sets may be
    least: Numbers  # [target]: how large they must be
    words: int  # of each set
    keep: int  # violating pairs to learn from a refuted candidate
    determinants: Sequence[Sets] = ()  # [column]: the minimal sets of columns that determine it
    wanted: Wanted = ANY  # how surely its laws are to be no mere chance
    asked: bool = True  # whether its laws are asked for, or only needed to find others
    nodes: int = UNLIMITED  # of the search for a target before it is given up
    known: "KnownBits" = field(default_factory=lambda: KnownBits())

    def stops(self, number: int) -> Sets:
        """Sets that none of a target's laws may contain: for an OD those that determine one of its sides."""
        left, right = self.targets[number, LEFT], self.targets[number, RIGHT]
        if right < 0:
            return self.determinants[0][:0]
        return np.ascontiguousarray(np.concatenate([self.determinants[left], self.determinants[right]]))

    def only(self, numbers: Numbers) -> "Phase":
        """Those targets alone, renumbered."""
        return replace(
            self,
            kinds=self.kinds[numbers],
            targets=self.targets[numbers],
            most=self.most[numbers],
            least=self.least[numbers],
        )

    def bounds(self, number: int) -> Bounds:
        """The bounds of one target."""
        return Bounds(int(self.most[number]), int(self.least[number]))

    def needed(self, number: int) -> Scores:
        """For each size of a context of a target the bits that its columns need; nothing if any will do."""
        return self.wanted.needed(int(self.kinds[number]))

    def floors(self, number: int, rows: int) -> Scores:
        """The same where chance is only to be told from other laws; nothing where it is told later."""
        return self.wanted.floors(int(self.kinds[number]))[: None if self.tells(rows) else 0]

    def tells(self, rows: int) -> bool:
        """Whether laws of so many rows are seen to be mere chance while they are searched for."""
        return self.asked and self.wanted.share == 1 and self.wanted.columns > 0 and rows > costs.TOLD_LATER

    @property
    def doubts(self) -> bool:
        """Whether a law that is proven may still not be wanted."""
        return self.asked and self.wanted.bits > 0 and self.wanted.share == 1

    def without_chance(self, findings: "Findings", work: Workspace, rate: Rate | None = None) -> "Findings":
        """Findings without the laws that are not worth the bits that are wanted; `rate` as in `law_bits`.

        Where some rows are looked at only, these do not tell.
        """
        if not self.doubts or not len(findings.sets):
            return findings._replace(doubted=False)
        findings = findings.only(~findings.by_chance())
        laws = self.laws(findings)
        bits = bits_wanted(work, laws, self.wanted, rate, findings.known_sides())
        worth = ~np.isnan(bits)
        self.known.keep(laws.chosen(np.isfinite(bits)), bits[np.isfinite(bits)])
        settled = NOBODY if work.halted else findings.settled  # some may not have been looked at
        return findings.only(worth)._replace(settled=settled, doubted=False)

    def looked_at_together(
        self, found: Iterable["Findings"], work: Workspace, rate: Rate
    ) -> Iterator["Findings"]:
        """Findings without the laws that are not wanted, those of many tasks or targets looked at at once."""
        doubted, told = list[Findings](), time.monotonic()
        for findings in found:
            if not findings.doubted:
                yield findings
                continue
            doubted.append(findings)
            if time.monotonic() > told + patience_for(work):
                yield self.without_chance(merged(doubted), work)
                doubted, told = [], time.monotonic()
        if doubted:
            yield self.without_chance(merged(doubted), work, rate)

    def names(self) -> list[tuple[int, ...]]:
        """What tells each target from all others, of other kinds too."""
        return list(map(tuple, np.column_stack([self.kinds, self.targets]).tolist()))

    def laws(self, findings: "Findings") -> LawArrays:
        """The laws of findings."""
        numbers = findings.targets
        return LawArrays(self.kinds[numbers], self.targets[numbers], findings.sets)


def patience_for(work: Workspace) -> float:
    """For how many seconds laws are kept to be looked at together."""
    return SECONDS_KEPT if work.rows.count < WORTH_KEEPING else LONG_PATIENCE


class KnownBits:
    """The bits of laws that were looked at, or seen to be chance, while they were searched for: not to be
    looked at again.

    A process knows those that it was told of.
    """

    def __init__(self) -> None:
        self._laws = list[Sets]()
        self._bits = list[Scores]()

    def keep(self, laws: LawArrays, bits: Scores) -> None:
        """Keep what was found out."""
        if len(bits):
            self._laws.append(_lines(laws))
            self._bits.append(bits)

    def of(self, laws: LawArrays) -> Scores:
        """What is known of each law; NaN where nothing is."""
        if not self._laws:
            return np.full(len(laws.kinds), np.nan)
        distinct, numbers = numbered_lines(np.concatenate([*self._laws, _lines(laws)]))
        known, asked = np.full(len(distinct), np.nan), len(numbers) - len(laws.kinds)
        known[numbers[:asked]] = np.concatenate(self._bits)
        of_each: Scores = known[numbers[asked:]]
        return of_each


def _lines(laws: LawArrays) -> Sets:
    """What tells each law from all others."""
    told: Sets = np.column_stack([laws.kinds, laws.targets]).astype(np.uint64)
    return np.concatenate([told, laws.sets], axis=1)


class Findings(NamedTuple):
    """Proven laws, for each the number of its target and its set, and what the proof cost and taught."""

    targets: Numbers
    sets: Sets
    learned: Pairs = NO_PAIRS  # pairs of rows that refuted candidates
    validated: int = 0
    refuted: int = 0
    cut: bool = False  # the bound on size left something out
    settled: Numbers = NOBODY  # targets that are settled by this
    waiting: int = 0  # candidates that are still to be judged
    given_up: Numbers = NOBODY  # targets of which there are too many candidates
    doubted: bool = False  # whether it is not yet looked at which of the laws are wanted
    chance: Truths = NONE  # which laws are seen to be mere chance; nothing if that was not looked at
    sides: Scores = UNKNOWN  # what the sides of laws are worth, NaN where it is not known; nothing if nowhere

    def by_chance(self) -> Truths:
        """Which of the laws are seen to be mere chance."""
        return self.chance if len(self.chance) else np.zeros(len(self.sets), np.bool_)

    def known_sides(self) -> Scores:
        """What the sides of the laws are worth, NaN where it is not known."""
        return self.sides if len(self.sides) else np.full(len(self.sets), np.nan)

    def only(self, which: Truths) -> "Findings":
        """The same with some of the laws."""
        return self._replace(
            targets=self.targets[which],
            sets=self.sets[which],
            chance=self.by_chance()[which],
            sides=self.known_sides()[which],
        )


def merged(findings: Sequence[Findings]) -> Findings:
    """Several findings, at least one, as one."""
    return Findings(
        np.concatenate([some.targets for some in findings]),
        np.concatenate([some.sets for some in findings]),
        np.concatenate([some.learned for some in findings]),
        sum(some.validated for some in findings),
        sum(some.refuted for some in findings),
        any(some.cut for some in findings),
        np.concatenate([some.settled for some in findings]),
        given_up=np.concatenate([some.given_up for some in findings]),
        chance=np.concatenate([some.by_chance() for some in findings]),
        sides=np.concatenate([some.known_sides() for some in findings]),
    )
