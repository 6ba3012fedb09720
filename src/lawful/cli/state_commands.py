"""The commands on states: tables whose laws are kept true."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lawful.cli.arguments import AsJson, SearchArguments, SourceArguments
from lawful.cli.output_arguments import OutputArguments
from lawful.cli.running import command, console, messages, writing
from lawful.errors import LawfulError, UnfitRowsError
from lawful.laws.text import visible

if TYPE_CHECKING:
    from lawful.api import State
    from lawful.changes import LawChange
    from lawful.report import Laws
    from lawful.table import SourceOptions


Way = Annotated[str, typer.Option(help="How to find what breaks laws: auto, tiles, probes or anew.")]
Quarantine = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Enforce the laws: rows that would break one go to this folder, with the reason.",
    ),
]
EnforcedBits = Annotated[
    float,
    typer.Option(
        "--min-bits",
        metavar="BITS",
        help="With --quarantine: enforce facts and laws of so many bits only.",
        min=0.0,
    ),
]
EveryLaw = Annotated[
    bool,
    typer.Option("--all", help="Tell all laws that are new or gone, mere chance too, without their bits."),
]
NewState = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Keep the table and all its laws in a new folder, for lawful insert and delete."
    ),
]
Counts = Annotated[
    bool, typer.Option("--counts", help="Let --state count the agree-sets of all pairs of rows.")
]


@dataclass(frozen=True)
class FolderArguments:
    """The folder of a state."""

    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the state.", show_default=False)]

    def open(self) -> State:
        """The state."""
        from lawful.api import open_state

        return open_state(self.folder)


@dataclass(frozen=True)
class DebugArguments:
    """What every command has."""

    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False


@command("""
    lawful insert people.state new-people.csv
    lawful insert people.state new-people.csv --quarantine refused --min-bits 10
    lawful discover people.csv --state people.state   # makes the state
""")
def insert(
    state: FolderArguments,
    source: SourceArguments,
    way: Way = "auto",
    quarantine: Quarantine = None,
    min_bits: EnforcedBits = 0.0,
    every: EveryLaw = False,
    as_json: AsJson = False,
) -> None:
    """Adds the rows of SOURCE to a state and keeps its laws true; tells which broke, by which rows."""
    kept = state.open()
    with _working(), source.spark() as spark:
        change = kept.insert(
            source.source,
            options=_given(source, kept),
            session=spark,
            way=way,
            quarantine=quarantine,
            min_bits=min_bits,
            bits=not every,
        )
    _print(change, kept, as_json)


@command("""
    lawful delete people.state --ids 3,7
    lawful delete people.state --where "city = 'Oslo' and year < 2020"
    lawful delete people.state --rows left.csv
""")
def delete(
    state: FolderArguments,
    _: DebugArguments,
    ids: Annotated[str | None, typer.Option(metavar="3,7,...", help="Ids of rows.")] = None,
    rows: Annotated[
        str | None, typer.Option(metavar="FILE", help="A file with rows of the table; each goes once.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="As in \"city = 'Oslo' and year < 2020\".")
    ] = None,
    every: EveryLaw = False,
    as_json: AsJson = False,
) -> None:
    """Removes rows from a state and keeps its laws true; tells which are new."""
    kept = state.open()
    with _working():
        numbers = None if ids is None else _numbers(ids)
        change = kept.delete(numbers, rows=rows, where=where, bits=not every)
    _print(change, kept, as_json)


@command("""
    lawful update people.state moved.csv --on id
    lawful update people.state one.csv --ids 17
""")
def update(
    state: FolderArguments,
    source: SourceArguments,
    on: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Replace the rows with the same values there.")
    ] = None,
    ids: Annotated[
        str | None, typer.Option(metavar="3,7,...", help="Replace the rows with these ids.")
    ] = None,
    every: EveryLaw = False,
    as_json: AsJson = False,
) -> None:
    """Puts the rows of SOURCE in the place of others, as one change."""
    kept = state.open()
    columns = None if on is None else [name.strip() for name in on.split(",")]
    with _working(), source.spark() as spark:
        numbers = None if ids is None else _numbers(ids)
        change = kept.update(
            source.source,
            ids=numbers,
            on=columns,
            options=_given(source, kept),
            session=spark,
            bits=not every,
        )
    _print(change, kept, as_json)


@command("""
    lawful laws people.state
    lawful laws people.state --min-bits 20 --out laws.json
""")
def laws(
    state: FolderArguments,
    output: OutputArguments,
    _: DebugArguments,
    min_bits: Annotated[float, typer.Option(metavar="BITS", help="Laws of at least so many bits.")] = 10.0,
    every: Annotated[bool, typer.Option("--all", help="All minimal laws, mere chance too.")] = False,
) -> None:
    """Shows the laws of a state as they are now."""
    output.check()
    output.check_file()
    with _working():
        found = state.open().laws(min_bits, all=every)
    output.save(found)
    output.show(found)


@command("""
    lawful history people.state
    lawful history people.state --json
""")
def history(state: FolderArguments, _: DebugArguments, as_json: AsJson = False) -> None:
    """Shows what happened to a state: rows and laws after each change, and which laws broke after long."""
    from lawful.report.change_tables import print_history

    entries = state.open().history()
    with writing():
        if as_json:
            print(json.dumps(entries, ensure_ascii=False, indent=2))
        else:
            print_history(entries, console())


@command("""
    lawful watch people.state inbox
    lawful watch people.state inbox --once
    lawful watch people.state inbox --quarantine refused --min-bits 10
""")
def watch(
    state: FolderArguments,
    inbox: Annotated[str, typer.Argument(metavar="FOLDER", help="Where files arrive.", show_default=False)],
    _: DebugArguments,
    once: Annotated[bool, typer.Option("--once", help="Take in what is there, then end.")] = False,
    pause: Annotated[
        float, typer.Option("--every", metavar="SECONDS", help="How often to look for files.")
    ] = 1.0,
    way: Way = "auto",
    quarantine: Quarantine = None,
    min_bits: EnforcedBits = 0.0,
    every: EveryLaw = False,
    as_json: AsJson = False,
) -> None:
    """Takes each new file of a folder into a state, as one change each, until Ctrl-C.

    A file is taken in once, whatever happens. Write files elsewhere, or under a name that begins with a dot
    or an underscore, and rename them when they are complete. A file that does not fit is told and left where
    it is, and tried again when it has changed; with --once the exit code is 2 then.
    """
    from lawful.changes import Inbox

    if quarantine is not None and quarantine.resolve() == Path(inbox).resolve():
        raise LawfulError("rows that are refused would arrive again: choose another --quarantine")
    kept, unfit = state.open(), False
    arriving = Inbox(kept, Path(inbox))
    while True:
        for path in arriving.new_files():
            try:
                with _working():
                    change = kept.insert(
                        str(path),
                        way=way,
                        batch=path.name,
                        quarantine=quarantine,
                        min_bits=min_bits,
                        bits=not every,
                    )
            except UnfitRowsError as error:
                print(f"lawful: {visible(f'{path.name} is left: {error}')}", file=sys.stderr, flush=True)
                unfit = True
                continue
            if not as_json:
                console().print(f"{visible(path.name)}: ", end="", markup=False)
            _print(change, kept, as_json)
        if once:
            raise typer.Exit(2 if unfit else 0)
        time.sleep(pause)


def kept_laws(
    source: SourceArguments,
    search: SearchArguments,
    output: OutputArguments,
    folder: str,
    counts: bool,
    reading: Mapping[str, Any],
) -> Laws:
    """Make a state of a table (`lawful discover --state`); the laws that are to be shown, saved."""
    from lawful.api import keep

    output.check_file(source.source)
    try:
        state = keep(source.source, folder=folder, counts=counts or None, **reading, **search.kept_settings())
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "no state was made, since one keeps all laws: --max-size, --columns and --kinds make it shorter"
        ) from None
    laws = state.laws(10.0 if search.min_bits is None else search.min_bits, all=search.all)
    output.save(laws)
    return laws


def _working() -> AbstractContextManager[Any]:
    """A block in which a terminal is told what takes long."""
    from lawful.report.progress_bar import shown_progress

    return shown_progress(messages())


def _given(source: SourceArguments, state: State) -> SourceOptions:
    """How to read a source: as the first one was read, but for what the command says."""
    from lawful.table import SourceOptions

    unsaid, given = vars(SourceOptions()), vars(source.options())
    said = {name: one for name, one in given.items() if one != unsaid[name]}
    return replace(state.relation.options, **said)


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise LawfulError(f"--ids {text!r} are no numbers: write them as in 3,7") from None


def _print(change: LawChange, state: State, as_json: bool) -> None:
    from lawful.report.change_tables import print_change
    from lawful.report.sentences import number

    with writing():
        if as_json:
            print(json.dumps(change.to_json(), ensure_ascii=False, default=str), flush=True)
        else:
            print_change(change, console(), state.relation)
            if chance := _refused_by_chance(change, state):
                refused = f"{number(chance, 'row')} refused by laws that may be chance"
                console().print(f"{refused}: --min-bits 10 does not enforce these")


def _refused_by_chance(change: LawChange, state: State) -> int:
    """How many rows were refused for laws that may be mere chance."""
    surely = {*state.laws()} if change.refused else set()
    return sum(one.law not in surely for one in change.refused)
