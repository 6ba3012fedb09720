"""What there is to say of a search and of numbers of laws, in words for people."""

import math
from collections.abc import Iterator

from lawful.discovery import TOO_MANY
from lawful.laws import Law
from lawful.report.collection import Laws, stated
from lawful.report.consequences import FILTERED

SHOWN = 20  # laws of each kind, where nobody asks for more
NAMES = {
    "key": ("key", "keys"),
    "fd": ("functional dependency", "functional dependencies"),
    "od": ("order dependency", "order dependencies"),
    "pod": ("pointwise order dependency", "pointwise order dependencies"),
    "dc": ("denial constraint", "denial constraints"),
}
_ADVICE = {
    "time limit": "--time-limit gives more time; --max-size, --columns and --exclude make the search smaller",
    "memory limit": "--max-size, --columns and --exclude make the search smaller; --memory-limit allows more",
    "interrupted": "with --out laws.jsonl a search can be ended and go on with --resume",
    "max size": "a larger --max-size finds the others",
    TOO_MANY: "--columns or --exclude (for DCs --cross-columns off) leave fewer of them",
}
_MANY_ROWS = 100
HIDING = {"about": "--about", "min_score": "--min-score"}  # the options of a search that hide laws


def counted(kind: str, count: int) -> str:
    """So many laws of a kind, in words."""
    return f"{count:,} {NAMES[kind][count != 1]}"


def heading(laws: Laws, kind: str) -> str:
    """What stands above the laws of a kind: how many there are."""
    constants = len(laws.constants) if kind == "fd" else 0
    beside = f" and {number(constants, 'constant')}" if constants else ""
    return f"{NAMES[kind][1].capitalize()} ({laws.counts[kind] - constants:,}{beside})"


def with_statement(law: Law) -> str:
    """The text of a law and, for a POD or DC that states a key, an FD or an OD, that one's too."""
    simpler = stated(law)
    return str(law) if simpler is None else f"{law} : {simpler}"


def rated(laws: Laws) -> Iterator[tuple[Law, str, str]]:
    """The laws with their bits and their score for people; a dash where these were not computed."""
    for (law, (score, bits)), fact in zip(laws.items(), laws.are_facts.tolist(), strict=True):
        yield law, shown_bits(bits, fact), "-" if math.isnan(score) else f"{score:.3g}"


def shown_bits(bits: float, fact: bool) -> str:
    """Bits for people: never more than there are, a dash where they are unknown; facts need none."""
    return "fact" if fact else "-" if math.isnan(bits) else f"{math.floor(bits):,}"


def summary(laws: Laws) -> str:
    """One line: how many laws of which table, in which time, whether these are all, and what was asked."""
    stats, seconds = laws.facts.stats, laws.facts.seconds
    counts = ", ".join(_counted_beside(laws, kind, count) for kind, count in laws.counts.items())
    if laws.facts.reason == FILTERED and not laws.facts.hidden and laws.facts.found is not None:
        counts = f"{len(laws):,} of {laws.facts.found:,} laws"
    known = {"rows", "columns"} <= stats.keys()
    table = f"{number(stats['rows'], 'row')} x {number(stats['columns'], 'column')}: " if known else ""
    asked = at_least_bits(laws)
    took = f" in {seconds['discover']:.2f} s" if "discover" in seconds else ""
    incomplete = "" if laws.complete else f" (incomplete: {laws.facts.reason})"
    others = "; --all finds the others" if asked and laws.facts.reason != TOO_MANY else ""
    return f"{table}{counts}{asked}{took}{incomplete}{others}"


def _counted_beside(laws: Laws, kind: str, count: int) -> str:
    """So many laws of a kind; none beside those of equivalent columns, where there are such."""
    groups = laws.facts.equivalents
    implied = kind == "fd" or (kind == "od" and any(group["ordered"] for group in groups))
    return f"0 more {NAMES[kind][1]}" if groups and implied and count == 0 else counted(kind, count)


def at_least_bits(laws: Laws) -> str:
    """How many bits were asked for, if any."""
    least = laws.facts.options.get("min_bits")
    return f" of at least {least:g} bits" if least else ""


def remarks(laws: Laws) -> Iterator[str]:
    """What a person should know of a search: what is hidden, or misleading, what to do about limits."""
    if laws.facts.hidden:
        hidden = ", ".join(counted(kind, count) for kind, count in laws.facts.hidden.items())
        by = " and ".join(name for option, name in HIDING.items() if laws.facts.options.get(option))
        yield f"{hidden} hidden by {by}"
    yield from laws.facts.notes
    if laws.facts.reason in _ADVICE:
        ended = "interrupted" if laws.facts.reason == "interrupted" else f"ended by {laws.facts.reason}"
        yield f"{ended}: {_ADVICE[laws.facts.reason]}"
    if _may_be_dirty(laws):
        yield "--error auto finds laws that hold but for a few rows, lawful suspects the likely wrong cells"


def _may_be_dirty(laws: Laws) -> bool:
    """Whether a table of many rows has no FD from one column to another: errors may have broken them."""
    facts = laws.facts
    chosen = facts.options.get("about") or facts.options.get("min_score")
    most = facts.options.get("max_size")
    if "fd" not in facts.kinds or not facts.complete or facts.equivalents or chosen:
        return False
    if facts.stats.get("rows", 0) < _MANY_ROWS or (most is not None and most < 2):
        return False
    return not any(law.size == 2 for law in laws.filter(kind="fd", max_size=2, min_bits=1))


def number(count: int, what: str) -> str:
    """So many of something."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
