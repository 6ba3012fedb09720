"""How a search goes, on a terminal or in a notebook."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lawful.discovery import Progress as State
from lawful.kernels import told_of_compiling

Told = Callable[[State], None]
COMPILING = "compiling: later runs will start at once"


@contextmanager
def shown_progress(console: Console) -> Iterator[Told]:
    """A line that tells what is found and left; nothing where the console cannot show one."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal or console.is_jupyter),
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


def shown_to(asked: Told | None) -> AbstractContextManager[Told]:
    """Tell whoever asked to be told; where nobody did, a notebook."""
    if asked is None and "ipykernel" in sys.modules and find_spec("ipywidgets") is not None:
        return shown_progress(Console())
    return nullcontext(asked or (lambda progress: None))
