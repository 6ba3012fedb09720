"""The command line: arguments in, calls out."""

from __future__ import annotations

import gc
import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated

import typer

from lawful.cli.checking_command import check
from lawful.cli.columns_command import columns
from lawful.cli.discover_command import discover
from lawful.cli.laws_commands import explain, export, normalize, orderby
from lawful.cli.report_command import report
from lawful.cli.running import GroupedCommands, add_commands
from lawful.cli.state_commands import delete, history, insert, laws, update, watch
from lawful.cli.suspects_command import suspects

# A command is in its group by standing here.
GROUPS = {
    "Find laws": (columns, discover),
    "Check tables": (check, explain, suspects),
    "Keep laws true while rows come and go": (insert, delete, update, watch, laws, history),
    "Use laws": (report, normalize, orderby, export),
}

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
add_commands(app, GROUPS)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"lawful {version('lawful')}")
        raise typer.Exit


@app.callback(epilog="lawful COMMAND --help shows more examples, and all options.")
def lawful(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Finds the laws that a table obeys."""


def main() -> None:
    """The command `lawful`."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character shows its code.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # else Python looks for garbage in all that a compiler holds, for half a second
