"""What there is to know of one law: its meaning, what it follows from, what contradicts it, what is near."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.checks import checked
from lawful.checking.nearest_laws import Neighbourhood
from lawful.checking.shown_violations import ViolationSample
from lawful.checking.violating_rows import manner_of
from lawful.discovery import MIN_BITS
from lawful.laws import FD, Key, Law, parse
from lawful.laws.equivalents import simpler_form
from lawful.reasoning import shortest_proof
from lawful.report.law_sentences import sentence
from lawful.report.sentences import number, shown_bits
from lawful.report.verdict_words import shown_percent, violation_lines

if TYPE_CHECKING:
    from lawful.report.consequences import Consequences
    from lawful.table import Relation

SHOWN_LAWS = 3  # that are near


@dataclass(frozen=True)
class Explanation:
    """What is known of a law.

    Attributes:
        law: that is explained.
        proof: the known laws that it follows from, as few as can be; None: it does not follow.
        verdict: what the table says of it, with its error and bits; None without a table.
        violations: some of the rows that contradict it, as plain data.
        nearest: the laws that hold and are nearest: smaller ones if it holds, larger ones if it fails;
            without a table known laws that it would imply, without verdicts.
        refuted: whether it fails, as all laws of its kind are known, and it does not follow from them.
    """

    law: Law
    proof: tuple[Law, ...] | None
    verdict: CheckedLaw | None = None
    violations: Mapping[str, Any] | None = None
    nearest: tuple[Law | CheckedLaw, ...] = ()
    refuted: bool = False
    alone: bool = False  # whether single rows break it, not pairs

    @property
    def holds(self) -> bool | None:
        """Whether the law holds; None: that cannot be told without the table."""
        if self.verdict is not None:
            return self.verdict.holds
        return True if self.proof is not None else False if self.refuted else None

    @property
    def meaning(self) -> str:
        """The law in words."""
        return sentence(self.law)

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        own = self.law.to_json() if self.verdict is None else self.verdict.to_json()
        own.pop("passes", None)
        proof = None if self.proof is None else [str(law) for law in self.proof]
        return {
            **own,
            "meaning": self.meaning,
            "holds": self.holds,
            "follows_from": proof,
            **({} if self.violations is None else {"violations": dict(self.violations)}),
            "nearest": [one.to_json() for one in self.nearest],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.law}: {self.meaning}"
        yield ""
        if self.verdict is not None:
            yield from self._on_the_table(self.verdict)
        elif self.proof is None:
            yield (
                "It fails: all laws of its kind are known, and it does not follow from them."
                if self.refuted
                else "The known laws do not tell: it does not follow from them, but they are not all. "
                "The table can tell: lawful explain TABLE LAW"
            )
        if self.proof is not None:
            yield from self._derivation(self.proof)
        elif self.holds:
            yield "It does not follow from the laws that were found."
        if self.verdict is not None and not self.holds and not self.nearest:
            yield "No law near it holds, but for those with a key on the left."
        if self.nearest:
            yield "A smaller law holds:" if self.holds else "Laws that hold and come nearest:"
            yield from (f"  {_with_bits(one)}" for one in self.nearest)

    def _on_the_table(self, verdict: CheckedLaw) -> Iterator[str]:
        if verdict.holds:
            alone = self.proof in (None, (self.law,)) and not self.nearest
            chance = alone and not verdict.is_fact and verdict.bits < MIN_BITS
            may_be = ", which may be chance" if chance else ""
            yield f"It holds: {number(verdict.error.total, 'row')}{_worth(verdict)}{may_be}."
            return
        error = verdict.error
        most = "" if error.exact else "at most "
        removed = f"{error.removals:,} of {number(error.total, 'row')} ({shown_percent(error.share_of_rows)})"
        pairs = "" if self.alone else f"; {number(error.pairs, 'pair')} of rows against it"
        yield f"It fails: without {most}{removed} it would hold{pairs}{_worth(verdict)}."
        yield from violation_lines(self.violations or {"groups": 0, "shown": ()})

    def _derivation(self, proof: tuple[Law, ...]) -> Iterator[str]:
        if proof == (self.law,):
            yield "It is one of the laws that were found."
            return
        yield "It holds on every table." if not proof else "It follows from"
        width = max((len(str(law)) for law in proof), default=0)
        yield from (f"  {law!s:{width}}  {sentence(law)}" for law in proof)


def explained_by(laws: Consequences, law: Law | str) -> Explanation:
    """What laws alone say of a law."""
    wanted = parse(law) if isinstance(law, str) else law
    laws.implies(wanted)  # which refuses unknown columns
    proof = shortest_proof(laws.theory, wanted)
    refuted = proof is None and _are_all_like(laws, wanted)
    near = (own for own in laws if wanted.implies(own)) if proof is None else iter(())
    return Explanation(wanted, proof, nearest=tuple(sorted(near)[:SHOWN_LAWS]), refuted=refuted)


def explained_on(
    relation: Relation, laws: Callable[[], Consequences], law: Law | str, top: int
) -> Explanation:
    """What the rows of a table say of a law, and its laws, which are asked for where the law holds."""
    wanted = parse(law) if isinstance(law, str) else law
    verdicts = checked(relation, [wanted])
    (verdict,) = verdicts
    near = Neighbourhood(verdicts, verdict)
    if verdict.holds:
        proof = explained_by(laws(), wanted).proof
        return Explanation(wanted, proof, verdict, nearest=_best(relation, near.smaller()))
    violations = ViolationSample(verdicts, verdict, top).to_json()
    alone = manner_of(verdicts.table.denial(verdict.law)) == "rows"
    return Explanation(wanted, None, verdict, violations, _best(relation, near.larger()), alone=alone)


def _best(relation: Relation, laws: list[Law]) -> tuple[CheckedLaw, ...]:
    """Those of laws that hold with the most bits."""
    found: CheckedLaws = checked(relation, laws).best_first(0.0, None)
    return tuple(found[:SHOWN_LAWS])


def _are_all_like(laws: Consequences, law: Law) -> bool:
    """Whether every law of a kind would follow from these if it held."""
    options, simple = laws.facts.options, simpler_form(law) or law
    chosen = any(options.get(name) for name in ("min_bits", "columns", "exclude", "about", "min_score"))
    asked = simple.kind in laws.facts.kinds and isinstance(simple, Key | FD)
    return laws.facts.complete and asked and not chosen


def _with_bits(law: Law | CheckedLaw) -> str:
    return f"{law.law}{_worth(law)}" if isinstance(law, CheckedLaw) else str(law)


def _worth(verdict: CheckedLaw) -> str:
    bits = shown_bits(verdict.bits, verdict.is_fact)
    return "" if bits == "-" else "; a fact" if bits == "fact" else f"; {bits} bit{'s' * (bits != '1')}"
