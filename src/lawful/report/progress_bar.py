"""How a search goes, on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lawful.discovery import Progress as State
from lawful.kernels import told_of_compiling

COMPILING = "compiling: later runs will start at once"


@contextmanager
def shown_progress(console: Console) -> Iterator[Callable[[State], None]]:
    """A line that tells what is found and left; nothing where the console is no terminal."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    line, most = bar.add_task("starting", total=None), 0
    with bar, told_of_compiling(lambda: bar.update(line, description=COMPILING)):

        def show(state: State) -> None:
            nonlocal most
            most = max(most, state.left) if state.left else 0
            size = f"up to {state.level} attributes, " if state.deepening else ""
            bar.update(
                line,
                description=f"{size}{state.found:,} laws found, {state.left:,} left",
                total=most or None,
                completed=most - state.left,
            )

        yield show
