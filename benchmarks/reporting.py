"""Results of benchmarks: kept as JSON, shown as tables, drawn, and written into the page on performance.

    python benchmarks/reporting.py

writes the tables of all results into docs/performance.md, each between the comments that name it.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inputs import PROJECT
from measuring import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESULTS = PROJECT / "benchmarks" / "results"
DOCS = PROJECT / "docs"
PAGE = DOCS / "performance.md"
NOTHING = "-"
UNMEASURED = "Not measured yet.\n"
PACKAGES = ("lawful", "desbordante", "numba", "numpy", "pyarrow")
_PLACE = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Record:
    """One search of a benchmark: of which table, by which program, what it took, or why it failed.

    `warning` says that its counts are not those expected.
    """

    table: str
    rows: int
    columns: int
    program: str
    kinds: str
    seconds: float | None
    cpu: float | None
    peak: int
    counts: Mapping[str, int]
    extra: Mapping[str, float] = field(default_factory=dict)
    failure: str = ""
    warning: str = ""

    @property
    def key(self) -> tuple[str, int, int, str, str]:
        """What tells that two records are of the same search."""
        return self.table, self.rows, self.columns, self.program, self.kinds

    @property
    def note(self) -> str:
        return self.failure or self.warning


@dataclass(frozen=True)
class Sheet:
    """A table of results: cells as they are shown."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The sheet as Markdown; columns after the first are numbers but for notes."""
        lines = [self.columns, tuple("---:" if place else "---" for place in range(len(self.columns)))]
        return "".join(f"| {' | '.join(line)} |\n" for line in (*lines, *self.rows))


def record(
    table: str,
    shape: tuple[int, int],
    program: str,
    kinds: Iterable[str],
    outcome: Outcome,
    warning: str = "",
) -> Record:
    """The record of an outcome."""
    about = (table, *shape, program, "+".join(kinds))
    if outcome.run is None:
        return Record(*about, None, None, outcome.peak, {}, failure=outcome.failure)
    run = outcome.run
    return Record(*about, run.seconds, run.cpu, outcome.peak, run.counts, run.extra, warning=warning)


def machine() -> dict[str, Any]:
    """What the results depend on besides the programs."""
    return {
        "cores": os.cpu_count(),
        "cpu": _cpu_model(),
        "memory": psutil.virtual_memory().total,
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _cpu_model() -> str:
    told = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.+)", told.read_text()) if told.exists() else None
    return model[1] if model else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def last_seconds(name: str) -> dict[tuple[str, int, int, str, str], float]:
    """The seconds of each search when the results of a benchmark were last saved."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return {}
    records = [Record(**saved) for saved in json.loads(path.read_text())["records"]]
    return {saved.key: saved.seconds for saved in records if saved.seconds is not None}


def save(name: str, records: Sequence[Record], sheets: Sequence[Sheet]) -> None:
    """Keep the results of a whole run."""
    RESULTS.mkdir(exist_ok=True)
    results = {
        "date": date.today().isoformat(),
        "machine": machine(),
        "records": [asdict(one) for one in records],
        "sheets": [asdict(sheet) for sheet in sheets],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")


def show(sheet: Sheet) -> None:
    """Print a sheet; a cell that begins with a warning sign is loud."""
    table = Table(title=sheet.name)
    for place, column in enumerate(sheet.columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=not place)
    for cells in sheet.rows:
        table.add_row(*(f"[bold red]{escape(c)}[/]" if c.startswith("⚠") else escape(c) for c in cells))
    Console(width=None if Console().is_terminal else 160).print(table)


def by_table(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records of each table, in their order."""
    groups: dict[str, list[Record]] = {}
    for one in records:
        groups.setdefault(one.table, []).append(one)
    return groups


def details(name: str, records: Sequence[Record]) -> Sheet:
    """A sheet with a line for each record, and how its seconds compare with the last saved ones."""
    last = last_seconds(name)
    columns = ("table", "program", "kinds", "seconds", "CPU s", "peak MB", "counts", "last", "note")
    return Sheet(
        name,
        columns,
        tuple(
            (
                one.table,
                one.program,
                one.kinds,
                figure(one.seconds),
                figure(one.cpu),
                figure(one.peak / 1e6 if one.peak else None),
                counts_text(one.counts),
                times(one.seconds, last.get(one.key)),
                f"⚠ {one.warning}" if one.warning else one.failure,
            )
            for one in records
        ),
    )


def without(sheet: Sheet, column: str, name: str) -> Sheet:
    """A sheet of another name that lacks a column."""
    kept = [place for place, title in enumerate(sheet.columns) if title != column]
    rows = tuple(tuple(cells[place] for place in kept) for cells in sheet.rows)
    return Sheet(name, tuple(sheet.columns[place] for place in kept), rows)


def figure(value: float | None) -> str:
    """A figure with as many digits after the point as its size deserves."""
    if value is None:
        return NOTHING
    digits = sum(value < least for least in (100, 10, 1, 0.1))
    return f"{value:,.{digits}f}"


def times(value: float | None, unit: float | None) -> str:
    """How many times the unit a value is."""
    return NOTHING if value is None or not unit else f"{value / unit:,.2f}"


def counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


def new_plot(panels: int, width: float = 9) -> tuple[Any, list[Axes]]:
    """A figure with panels side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    drawn, axes = plt.subplots(1, panels, figsize=(width, 4.5), squeeze=False, layout="constrained")
    return drawn, list(axes[0])


def save_plot(drawn: Any, name: str) -> None:
    """Write a figure into the documentation."""
    drawn.savefig(_plot(name), dpi=110)


def _plot(name: str) -> Path:
    return DOCS / f"performance-{name}.png"


def draw_bars(name: str, records: Sequence[Record], kinds: str, title: str) -> None:
    """Draw the seconds of each program on each table."""
    drawn, (axes,) = new_plot(1, 11)
    chosen = [one for one in records if one.kinds == kinds]
    tables = list(dict.fromkeys(one.table for one in chosen))
    programs = list(dict.fromkeys(one.program for one in chosen))
    for place, program in enumerate(programs):
        seconds = {one.table: one.seconds for one in chosen if one.program == program and one.seconds}
        spots = [tables.index(table) + (place + 1) / (len(programs) + 1) - 0.5 for table in seconds]
        axes.bar(spots, list(seconds.values()), 1 / (len(programs) + 1), label=program)
    axes.set_yscale("log")
    axes.set_xticks(range(len(tables)), [table.split("/")[-1] for table in tables], rotation=45, ha="right")
    axes.set_ylabel("seconds")
    axes.set_title(title)
    axes.legend()
    save_plot(drawn, name)


def write_page() -> None:
    """Fill the places of docs/performance.md with the saved results."""
    texts: dict[str, str] = {}
    for path in sorted(RESULTS.glob("*.json")):
        results = json.loads(path.read_text())
        texts[f"{path.stem}-machine"] = _machine_text(results)
        texts[f"{path.stem}-plot"] = f"![Seconds]({_plot(path.stem).name})\n"
        for saved in results["sheets"]:
            texts[saved["name"]] = Sheet(saved["name"], saved["columns"], saved["rows"]).markdown()
    page = _PLACE.sub(
        lambda place: place[1] + texts.get(place["name"], UNMEASURED) + place[3], PAGE.read_text()
    )
    PAGE.write_text(page)


def _machine_text(results: Mapping[str, Any]) -> str:
    """A sentence about when and where results were measured."""
    host = results["machine"]
    versions = ", ".join(f"{name} {found}" for name, found in host["versions"].items())
    return (
        f"Measured on {results['date']}: {host['cores']} cores ({host['cpu']}), "
        f"{host['memory'] / 2**30:.0f} GiB of memory, Python {host['python']}, {versions}.\n"
    )


if __name__ == "__main__":
    write_page()
