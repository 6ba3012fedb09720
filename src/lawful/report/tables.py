"""Laws as tables on a terminal or in a pipe."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.report.collection import STATING, Laws, stated
from lawful.report.sentences import SHOWN, remarks, score_text, summary, title, with_statement


def print_laws(laws: Laws, console: Console, top: int | None = None) -> None:
    """Print the laws by kind, the highest scores first: some of each kind, or the best ones of all."""
    best = laws if top is None else laws.top(top)
    for kind, count in laws.counts.items():
        shown = best.filter(kind=kind)
        shown = shown[:SHOWN] if top is None else shown
        if len(shown) == 0:
            continue
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("law", overflow="fold")
        if kind != "key":  # of which it is always 0
            table.add_column("score", justify="right", no_wrap=True)
        if kind in STATING:
            table.add_column("states", overflow="fold")
        for law, score in shown.items():
            scored = [] if kind == "key" else [score_text(score)]
            beside = [Text(stated(law) or "")] if kind in STATING else []
            table.add_row(Text(str(law)), *scored, *beside)
        # Not the table's own title and caption: they would be broken at its width, which may be small.
        console.print(Text(f"{title(kind)} ({count:,})", "bold"))
        console.print(table)
        if len(shown) < count:
            more = f"and {count - len(shown):,} more: --out FILE keeps all, --all-lines prints all\n"
            console.print(Text(more, "dim italic"))
    _print_end(laws, console)


def print_all_lines(laws: Laws, console: Console) -> None:
    """Print every law in a line of its own: half a million of them in seconds."""
    for kind, count in laws.counts.items():
        if count:
            console.print(Text(f"{title(kind)} ({count:,})", "bold"))
            for law, score in laws.filter(kind=kind).items():
                console.file.write(f"{score_text(score):>10}  {with_statement(law)}\n")
            console.print()
    _print_end(laws, console)


def _print_end(laws: Laws, console: Console) -> None:
    console.print(Text(summary(laws)))
    for line in remarks(laws):
        console.print(Text(line))
