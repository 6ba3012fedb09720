"""What a table says of laws, and what laws say of its cells, on a terminal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.checking.checked_laws import CheckedLaws
from lawful.checking.shown_violations import samples_of
from lawful.checking.suspect_cells import BETWEEN_LAWS
from lawful.checking.violating_rows import manner_of
from lawful.laws.text import visible
from lawful.report.plain_tables import plain_table
from lawful.report.sentences import number, shown_bits
from lawful.report.verdict_words import shown_percent, told_violations, verdicts_summary


def print_verdicts(verdicts: CheckedLaws, console: Console, top: int, show: Sequence[str] = ()) -> None:
    """Print which laws hold and, for those that fail, some violations."""
    console.print(_table(verdicts))
    for verdict, sample in samples_of(verdicts, top, show):
        for line in told_violations(verdict, sample):
            console.print(Text(line), soft_wrap=True)
        console.print()
    console.print(Text(verdicts_summary(verdicts)))


def print_approximate(laws: CheckedLaws, console: Console, top: int) -> None:
    """Print the first of laws that hold almost, each with its error."""
    if top:
        console.print(_table(laws[:top]))
    if len(laws) > top:
        more = f"and {len(laws) - top:,} more: --out FILE.json keeps all, --top shows more\n"
        console.print(Text(more, "dim italic"))
    held = sum(one.holds for one in laws)
    table = number(laws.relation.n_rows, "row")
    found = f"{number(held, 'law')} without exceptions, {len(laws) - held:,} with some"
    incomplete = "" if laws.complete else f" (incomplete: {laws.reason})"
    console.print(Text(f"{table}: {found}{incomplete}"))


def _table(verdicts: CheckedLaws) -> Table:
    numbers = ("pairs against", "rows in them", "rows to remove", "bits")
    table = plain_table("law", "holds", *numbers, right=numbers)
    for one in verdicts:
        error = one.error
        removals = f"{error.removals:,} ({shown_percent(error.share_of_rows)})" if error.removals else "0"
        # A row that breaks a law by itself does so with every other one: that tells nobody anything.
        alone = manner_of(verdicts.table.denial(one.law)) == "rows"
        table.add_row(
            Text(str(one.law)),
            "yes" if one.holds else "almost" if one.tolerated else "no",
            "-" if alone else f"{error.pairs:,}",
            "-" if alone else f"{error.rows:,}",
            removals if error.exact else f"at most {removals}",
            "-" if one.needs_no_bits and not one.holds else shown_bits(one.bits, one.is_fact),
        )
    return table


def print_suspects(found: pa.Table, console: Console, top: int) -> None:
    """Print the first suspects, and how many there are in which columns."""
    if found.num_rows == 0:
        console.print(Text("no suspect cells: nothing contradicts what most rows say"))
        return
    if top:
        console.print(_suspect_table(found.slice(0, top)))
    more = f", the first {top:,} shown: --out FILE gets all" if 0 < top < found.num_rows else ""
    console.print(Text(f"{number(found.num_rows, 'suspect cell')}{more}"))
    if found.num_rows > top:
        counts = Counter(found["column"].to_pylist()).most_common()
        told = ", ".join(f"{_shown_cell(name)} {count:,}" for name, count in counts)
        console.print(Text(f"by column: {told}"), soft_wrap=True)


def _suspect_table(found: pa.Table) -> Table:
    headings = ("row", "column", "value", "expected", "bits", "laws against")
    table = plain_table(*headings, right=("row", "bits", "laws against"))
    for line in found.to_pylist():
        cells = [Text(_shown_cell(line[name])) for name in ("column", "value", "expected")]
        laws = str(len(line["laws"].split(BETWEEN_LAWS)))
        table.add_row(f"{line['row']:,}", *cells, f"{math.floor(line['bits']):,}", laws)
    return table


def _shown_cell(value: str | None) -> str:
    return "NULL" if value is None else visible(value)
