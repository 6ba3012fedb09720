"""What there is to say of laws and of their search, in words for people."""

import math
from collections.abc import Iterator

from lawful.laws import Law
from lawful.laws.text import braced
from lawful.report.collection import FILTERED, Laws, stated

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
}
HIDING = {"about": "--about", "min_score": "--min-score"}  # the options of a search that hide laws


def counted(kind: str, count: int) -> str:
    """So many laws of a kind, in words."""
    return f"{count:,} {NAMES[kind][count != 1]}"


def title(kind: str) -> str:
    """What stands above the laws of a kind."""
    return NAMES[kind][1].capitalize()


def with_statement(law: Law) -> str:
    """The text of a law and, for a POD or DC that states a key, an FD or an OD, that one's too."""
    simpler = stated(law)
    return str(law) if simpler is None else f"{law} : {simpler}"


def score_text(score: float) -> str:
    """A score for people; a dash where it was not computed."""
    return "-" if math.isnan(score) else f"{score:.3g}"


def summary(laws: Laws) -> str:
    """One line: how many laws of which table, in which time, and whether these are all."""
    stats, seconds = laws.facts.stats, laws.facts.seconds
    counts = ", ".join(counted(kind, count) for kind, count in laws.counts.items())
    if laws.facts.reason == FILTERED and not laws.facts.hidden and laws.facts.found is not None:
        counts = f"{len(laws):,} of {laws.facts.found:,} laws"
    known = {"rows", "columns"} <= stats.keys()
    table = f"{_number(stats['rows'], 'row')} x {_number(stats['columns'], 'column')}: " if known else ""
    took = f" in {seconds['discover']:.2f} s" if "discover" in seconds else ""
    return f"{table}{counts}{took}{'' if laws.complete else f' (incomplete: {laws.facts.reason})'}"


def remarks(laws: Laws) -> Iterator[str]:
    """What a person should know of a result: why there is no key, what is hidden, what to do about limits."""
    yield from _no_key(laws)
    if laws.facts.hidden:
        hidden = ", ".join(counted(kind, count) for kind, count in laws.facts.hidden.items())
        by = " and ".join(name for option, name in HIDING.items() if laws.facts.options.get(option))
        yield f"{hidden} hidden by {by}"
    yield from laws.facts.notes
    if laws.facts.reason in _ADVICE:
        yield f"ended by {laws.facts.reason}: {_ADVICE[laws.facts.reason]}"


def _no_key(laws: Laws) -> Iterator[str]:
    same, most = laws.facts.duplicates, laws.facts.options.get("max_size")
    if same is not None:
        first, second = same["example"]
        more = f", and {_number(same['rows'], 'row')} in all repeat others" if same["rows"] > 1 else ""
        yield f"no key: rows {first:,} and {second:,} are identical{more}"
        if same["nearest"]:
            nearest = " or ".join(braced(names) for names in same["nearest"])
            yield f"without repeated rows {nearest} would be a key"
    elif laws.counts.get("key") == 0 and not laws.facts.hidden.get("key") and most is not None:
        yield f"no key of at most {_number(most, 'column')}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
