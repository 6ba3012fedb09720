"""Laws as HTML, for notebooks."""

from html import escape

from lawful.laws import Law
from lawful.report.collection import Laws, stated

SHOWN = 20  # laws of each kind


def as_html(laws: Laws) -> str:
    """A table of the laws with the highest scores of each kind, and how many there are in all."""
    parts = [f"<p>{escape(summary(laws))}</p>"]
    for kind, count in laws.counts.items():
        if count:
            lines = "".join(
                f"<tr><td style='text-align:left'><code>{escape(with_statement(law))}</code></td>"
                f"<td>{score:.3g}</td></tr>"
                for law, score in laws.filter(kind=kind)[:SHOWN].items()
            )
            more = f" (the first {SHOWN})" if count > SHOWN else ""
            heading = (
                f"<tr><th style='text-align:left'>{TITLES[kind]}: {count:,}{more}</th><th>score</th></tr>"
            )
            parts.append(f"<table><thead>{heading}</thead><tbody>{lines}</tbody></table>")
    return "".join(parts)


TITLES = {
    "key": "Keys",
    "fd": "Functional dependencies",
    "od": "Order dependencies",
    "dc": "Denial constraints",
}


def with_statement(law: Law) -> str:
    """The text of a law and, for a DC that states a key, an FD or an OD, that one's too."""
    simpler = stated(law)
    return str(law) if simpler is None else f"{law} : {simpler}"


def summary(laws: Laws) -> str:
    """One line: how many laws of which table, in which time, and whether these are all."""
    stats, seconds = laws.facts.stats, laws.facts.seconds
    counts = ", ".join(f"{count:,} {TITLES[kind].lower()}" for kind, count in laws.counts.items())
    if laws.facts.found not in (None, len(laws)):
        counts = f"{len(laws):,} of {laws.facts.found:,} laws"
    known = {"rows", "columns"} <= stats.keys()
    table = f"{stats['rows']:,} rows x {stats['columns']:,} columns: " if known else ""
    took = f" in {seconds['discover']:.2f} s" if "discover" in seconds else ""
    return f"{table}{counts}{took}{'' if laws.complete else f' (incomplete: {laws.facts.reason})'}"
