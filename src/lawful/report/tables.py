"""Laws as tables on a terminal or in a pipe."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.report.collection import Laws, stated
from lawful.report.pages import SHOWN, TITLES, summary


def print_laws(laws: Laws, console: Console) -> None:
    """Print the laws by kind, the highest scores first: some on a terminal, all of them in a pipe."""
    for kind, count in laws.counts.items():
        if not count:
            continue
        shown = laws.filter(kind=kind)
        if console.is_terminal:
            shown = shown[:SHOWN]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("law", overflow="fold")
        table.add_column("score", justify="right", no_wrap=True)
        if kind == "dc":
            table.add_column("states", overflow="fold")
        for law, score in shown.items():
            beside = [Text(stated(law) or "")] if kind == "dc" else []
            table.add_row(Text(str(law)), f"{score:.3g}", *beside)
        # Not the table's own title and caption: they would be broken at its width, which may be small.
        console.print(Text(f"{TITLES[kind]} ({count:,})", "bold"))
        console.print(table)
        if len(shown) < count:
            more = f"and {count - len(shown):,} more: --out FILE keeps all, --top K shows the best\n"
            console.print(Text(more, "dim italic"))
    console.print(Text(summary(laws)))
