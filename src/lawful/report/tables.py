"""Laws as tables on a terminal or in a pipe."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.report.collection import STATING, Laws, stated
from lawful.report.law_sentences import sentence
from lawful.report.overview import overview
from lawful.report.plain_tables import plain_table
from lawful.report.sentences import SHOWN, heading, rated, remarks, summary, with_statement


def print_laws(laws: Laws, console: Console, top: int = SHOWN) -> None:
    """Print what the table is like, then its laws by kind: the first of each kind."""
    said = _print_overview(laws, console)
    others = laws.without_constants()
    for kind, count in others.counts.items():
        shown = others.filter(kind=kind)[:top]
        if len(shown) == 0:
            continue
        # Not the table's own title and caption: they would be broken at its width, which may be small.
        console.print(Text(heading(laws, kind), "bold"))
        if (first := sentence(shown[0])) not in said:
            console.print(Text(f"the first says: {first}"))
        console.print(_table(shown, kind))
        if len(shown) < count:
            more = f"and {count - len(shown):,} more: --out FILE keeps all, --all-lines prints all\n"
            console.print(Text(more, "dim italic"))
    _print_end(laws, console)


def _table(laws: Laws, kind: str) -> Table:
    # Of keys the score is always 0.
    headings = ["law", "bits", *["score"] * (kind != "key"), *["states"] * (kind in STATING)]
    table = plain_table(*headings, right=("bits", "score"))
    for law, bits, score in rated(laws):
        cells = {"law": Text(str(law)), "bits": Text(bits), "score": Text(score)}
        cells["states"] = Text(stated(law) or "")
        table.add_row(*(cells[heading] for heading in headings))
    return table


def print_all_lines(laws: Laws, console: Console) -> None:
    """Print every law in a line of its own: half a million of them in seconds."""
    _print_overview(laws, console)
    for kind, count in laws.counts.items():
        if count:
            console.print(Text(heading(laws, kind), "bold"))
            for law, bits, score in rated(laws.filter(kind=kind)):
                console.file.write(f"{bits:>8} {score:>10}  {with_statement(law)}\n")
            console.print()
    _print_end(laws, console)


def _print_overview(laws: Laws, console: Console) -> list[str]:
    """Print what the overview says, and return it."""
    said = list(overview(laws))
    for line in said:
        console.print(Text(f"- {line}"))
    if said:
        console.print()
    return said


def _print_end(laws: Laws, console: Console) -> None:
    console.print(Text(summary(laws)))
    for line in remarks(laws):
        console.print(Text(line))
