"""What changes of rows did to the laws, on a terminal: one change, or the history of a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from math import floor, isnan
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.changes import Broken, LawChange, LawState, LawWorth
from lawful.discovery import MIN_BITS
from lawful.laws.base import Law
from lawful.laws.text import visible
from lawful.report.plain_tables import plain_table
from lawful.report.sentences import SHOWN, counted, number
from lawful.table import Relation

FEW_CHANCES = 5  # laws that may be chance and that are worth a look all the same
_BARS = "▁▂▃▄▅▆▇█"


def print_change(change: LawChange, console: Console, relation: Relation | None = None) -> None:
    """Print what a change did: laws that broke, those first that held longest, with the rows; new ones.

    With the table that changed, the rows' values are shown too.
    """
    console.print(Text(told(change)))
    gone, new = len(change.removed_bits), len(change.added_bits)
    sure_gone, sure_new = change.no_chance() or (gone, new)
    if shown := list(change.rated_removed(_shown(gone, sure_gone))):
        follow = "follows" if gone == 1 else "follow"
        console.print(Text(f"\n{number(gone, 'law')} broke or {follow} from smaller ones now", "bold"))
        console.print(_broken_table(shown, relation))
        _print_more(gone, sure_gone, console)
    if fresh := list(change.rated_added(_shown(new, sure_new))):
        console.print(Text(f"\n{number(new, 'law')} new", "bold"))
        console.print(_new_table(fresh))
        _print_more(new, sure_new, console)
    for row, law, other in change.refused[:SHOWN]:
        values = ", ".join(f"{name}={value}" for name, value in row.items())
        console.print(Text(f"refused: {visible(values)} breaks {law} with row {other}"))


def told(change: LawChange) -> str:
    """A change in a sentence."""
    verbs = [
        f"{number(len(ids), 'row')} {verb}"
        for ids, verb in ((change.inserted, "inserted"), (change.deleted, "deleted"))
        if len(ids)
    ]
    verbs += [f"{number(len(change.refused), 'row')} refused"] if change.refused else []
    counts = _by_kind(change.counts)
    seconds = sum(change.seconds.values())
    rows = f"{', '.join(verbs) or 'nothing changed'}; {number(change.rows, 'row')} now"
    return f"{rows}, with {counts} ({seconds:.2g} s). {_gone_and_new(change)}"


def _gone_and_new(change: LawChange) -> str:
    gone, new, sure = len(change.removed_bits), len(change.added_bits), change.no_chance()
    if not gone and not new:
        return "All laws are as they were."
    if sure is None:
        return f"{number(gone, 'law')} gone, {new:,} new."
    if not any(sure):
        told = f"No law of at least {MIN_BITS:.0f} bits is gone or new"
    else:
        told = f"{number(sure[0], 'law')} of at least {MIN_BITS:.0f} bits gone, {sure[1]:,} new"
    chance = gone - sure[0], new - sure[1]
    others = f"; of those that may be chance {chance[0]:,} gone, {chance[1]:,} new" if any(chance) else ""
    return f"{told}{others}."


def _shown(count: int, sure: int) -> int:
    """How many of so many laws to show: all, if they are few, or those that are known to be no chance."""
    return count if count <= FEW_CHANCES else min(sure, SHOWN)


def _broken_table(removed: Sequence[tuple[Broken, LawWorth]], relation: Relation | None) -> Table:
    table = plain_table("law", "bits", "held since", "broken by", right=("bits", "held since"))
    for (law, rows, since), worth in removed:
        broken_by = _breaking(law.columns, rows, relation)
        table.add_row(Text(str(law)), _bits(worth), f"version {since}", Text(broken_by))
    return table


def _new_table(added: Sequence[tuple[Law, LawWorth]]) -> Table:
    table = plain_table("law", "bits", right=("bits",))
    for law, worth in added:
        table.add_row(Text(str(law)), _bits(worth))
    return table


def _bits(worth: LawWorth) -> str:
    return "fact" if worth.fact else "-" if isnan(worth.bits) else f"{floor(worth.bits):,}"


def _breaking(columns: Set[str], rows: tuple[int, int] | None, relation: Relation | None) -> str:
    """The two rows that break a law, with its columns; a smaller law may hold instead."""
    if rows is None:
        return "a smaller law holds"
    if relation is None:
        return f"rows {rows[0]} and {rows[1]}"
    values = relation.rows(rows).select([name for name in relation.names if name in columns]).to_pylist()
    shown = [" ".join(f"{name}={value}" for name, value in row.items()) for row in values]
    return visible(f"row {rows[0]}: {shown[0]}; row {rows[1]}: {shown[1]}")


def print_state(state: LawState, console: Console) -> None:
    """Print what a state is, and what happened to it."""
    table = f"{number(state.n_rows, 'row')} x {number(len(state.relation.names), 'column')}"
    console.print(Text(f"{table}, version {state.version}, with {_by_kind(state.counts)}"))
    print_history(state.history(), console)


def print_history(history: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print what happened to a state: a line each, how the number of laws went, and what broke after long."""
    if not history:
        console.print("Nothing has changed yet: lawful insert DIR SOURCE adds rows.")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("version", "when", "what", "rows", "in", "out", "laws", "gone", "new", "seconds"):
        table.add_column(name, justify="left" if name in ("when", "what") else "right", no_wrap=True)
    for entry in history[-SHOWN:]:
        table.add_row(*_line(entry))
    console.print(table)
    if len(history) > SHOWN:
        console.print(Text(f"and {len(history) - SHOWN:,} earlier changes: --json has all\n", "dim italic"))
    console.print(Text(f"laws  {plotted([sum(entry['counts'].values()) for entry in history])}"))
    console.print(Text(f"rows  {plotted([entry['rows'] for entry in history])}"))
    broken = sorted(_broken(history), key=lambda one: one[0], reverse=True)
    if broken:
        console.print(Text("\nlaws that held longest and broke", "bold"))
        table = plain_table("law")
        for _, text in broken[:SHOWN]:
            table.add_row(Text(text))
        console.print(table)


def _line(entry: Mapping[str, Any]) -> Iterator[str]:
    yield str(entry["version"])
    yield entry["at"][:16].replace("T", " ")
    yield entry["what"] if entry["batch"] is None else f"{entry['what']} {visible(entry['batch'])}"
    yield from (f"{entry[name]:,}" for name in ("rows", "inserted", "deleted"))
    yield from (f"{sum(entry[name].values()):,}" for name in ("counts", "removed", "added"))
    yield f"{entry['seconds']:.2g}"


def _broken(history: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """How long each law held that two rows broke, and what is to be said of it."""
    for entry in history:
        for one in entry["broken"]:
            if one["rows"] is not None:
                held = entry["version"] - one["since"]
                rows = " and ".join(map(str, one["rows"]))
                yield held, f"{one['law']}  (versions {one['since']} to {entry['version'] - 1}, rows {rows})"


def plotted(numbers: Sequence[int]) -> str:
    """Numbers as a line of bars."""
    most = max(max(numbers), 1)
    bars = "".join(_BARS[round(number / most * (len(_BARS) - 1))] for number in numbers[-80:])
    return f"{bars}  {numbers[0]:,} to {numbers[-1]:,}"


def _print_more(count: int, sure: int, console: Console) -> None:
    left = count - _shown(count, sure)
    if left:
        what = "that may be chance: --all tells these" if left == count - sure else "more: --json has all"
        console.print(Text(f"and {left:,} {what}", "dim italic"))


def _by_kind(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(kind, count) for kind, count in counts.items())
