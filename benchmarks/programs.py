"""The programs that benchmarks compare: each function prepares one search for `measuring.measure`.

What a program needs is imported in its function: the processes of the others must not carry it.
All but lawful get the table as its ranks (integers, one file without quotes and NULLs), so that all see the
same equalities and the same order; reading is not measured.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import Run, Search, clocked

if TYPE_CHECKING:
    from lawful import Laws, Relation

FD_ALGORITHMS = ("HyFD", "DFD", "Pyro")
KEY_ALGORITHM = "HPIValid"


def relation_of(path: Path, null_markers: tuple[str, ...], texts: tuple[str, ...] = ()) -> Relation:
    """Read a table, some columns as texts."""
    from lawful import SourceOptions, read

    options = SourceOptions(
        null_markers=null_markers, empty_is_null="" in null_markers, types=dict.fromkeys(texts, "string")
    )
    return read(path, options)


def write_ranks(path: Path, null_markers: tuple[str, ...], to: Path) -> tuple[int, int]:
    """Write the ranks of a table as a CSV file; its numbers of rows and columns."""
    import pyarrow as pa
    from pyarrow import csv

    ranks = relation_of(path, null_markers).ranks()
    csv.write_csv(pa.table({f"c{index}": line for index, line in enumerate(ranks)}), to)
    return ranks.shape[1], ranks.shape[0]


def warm_up(kinds: Collection[str]) -> None:
    """Load the kernels, compiled if need be."""
    from lawful import datasets, discover

    discover(datasets.employees(50), kinds, all=True)


def search_of(relation: Relation, kinds: Collection[str], max_size: int | None) -> Search:
    """A search by lawful that is warmed up."""
    from lawful import discover

    return clocked_laws(lambda: discover(relation, kinds, all=True, max_size=max_size))


def clocked_laws(search: Callable[[], Laws]) -> Search:
    """A search by lawful; `bits` are the seconds of it in which laws were rated."""
    return clocked(
        search, lambda laws: laws.counts, lambda laws: {"bits": laws.facts.seconds.get("bits", 0.0)}
    )


def lawful(path: Path, null_markers: tuple[str, ...], kinds: Collection[str], max_size: int | None) -> Search:
    """A search by lawful in a file."""
    relation = relation_of(path, null_markers)
    warm_up(kinds)
    return search_of(relation, kinds, max_size)


def desbordante_fds(ranks: Path, algorithm: str, max_size: int | None) -> Search:
    """A search for FDs by Desbordante, on all cores."""
    import desbordante

    program = getattr(desbordante.fd.algorithms, algorithm)()
    program.load_data(table=(str(ranks), ",", True))
    options: dict[str, Any] = {"threads": os.cpu_count()}
    if max_size is not None:
        options["max_lhs"] = max_size - 1
    if "error" in program.get_possible_options():
        options["error"] = 0.0
    return clocked(lambda: program.execute(**options), lambda _: {"fd": len(program.get_fds())})


def almost_fds(path: Path, null_markers: tuple[str, ...], error: float, measure: str) -> Search:
    """A search by lawful for FDs that hold almost, on all cores; counted by the measure of their error."""
    from lawful.checking.approximate_laws import ApproximateSearch, Tolerance
    from lawful.engine import Threads
    from lawful.table.ranked import as_they_lie
    from lawful.table.workspace import Workspace

    relation, columns = relation_of(path, null_markers), 3
    small = relation.ranks()[:columns, :50]

    def search(ranks: Any) -> list[Any]:
        engine = Threads(Workspace(ranks))
        names = [str(number) for number in range(ranks.columns)]
        kinds, tolerance = frozenset({"fd"}), Tolerance(error, measure == "pairs")
        return [*ApproximateSearch(engine, names, range(ranks.columns), [], kinds, tolerance).found()]

    rows = as_they_lie(relation)
    search(type(rows)(small, [True] * columns))  # which loads the kernels
    rows.orders, rows.counts  # noqa: B018 as Desbordante makes its partitions when it loads a table
    return clocked(lambda: search(rows), lambda found: {measure: sum(len(laws.sets) for laws in found)})


def almost_denials(path: Path, null_markers: tuple[str, ...], error: float) -> Search:
    """A search by lawful for DCs that hold but for a share of pairs, without comparisons between columns."""
    from lawful.checking.approximate_denials import ApproximateDenials
    from lawful.checking.approximate_laws import Tolerance
    from lawful.discovery import space_of
    from lawful.discovery.search_options import options_of
    from lawful.engine import Threads
    from lawful.laws.codec import DC_KIND
    from lawful.table.ranked import RankedRows, ranked
    from lawful.table.workspace import Workspace

    relation = relation_of(path, null_markers)
    space = space_of(relation, options_of("dc", all=True, cross_columns="off"))

    def search(rows: RankedRows) -> Any:
        engine, tolerance = Threads(Workspace(rows)), Tolerance(error, True)
        return ApproximateDenials(engine, space, DC_KIND, tolerance).found()

    rows = ranked(relation)
    search(RankedRows(rows.ranks[:, :50], rows.ordered))  # which loads the kernels
    return clocked(lambda: search(rows), lambda found: {"dc": len(found.sets)})


def desbordante_almost_fds(ranks: Path, algorithm: str, error: float, measure: str) -> Search:
    """A search for FDs that hold almost by Desbordante."""
    import desbordante

    program = getattr(desbordante.afd.algorithms, algorithm)()
    program.load_data(table=(str(ranks), ",", True))
    possible = program.get_possible_options()
    options: dict[str, Any] = {"error": error}
    if "threads" in possible:
        options["threads"] = os.cpu_count()
    if "pfd_error_measure" in possible:
        options["pfd_error_measure"] = "per_tuple"
    return clocked(lambda: program.execute(**options), lambda _: {measure: len(program.get_fds())})


def desbordante_keys(ranks: Path, algorithm: str) -> Search:
    """A search for keys by Desbordante."""
    import desbordante

    program = getattr(desbordante.ucc.algorithms, algorithm)()
    program.load_data(table=(str(ranks), ",", True))
    return clocked(program.execute, lambda _: {"key": len(program.get_uccs())})


def desbordante_ods(ranks: Path) -> Search:
    """A search for FDs and ODs by Desbordante, which lists each order compatible OD from both sides."""
    import desbordante

    program = desbordante.od.algorithms.Fastod()
    program.load_data(table=(str(ranks), ",", True))
    return clocked(
        program.execute,
        lambda _: {
            "fd": len(program.get_simple_ods()),
            "od": (len(program.get_asc_ods()) + len(program.get_desc_ods())) // 2,
        },
    )


def first_rows(path: Path, rows: int | None) -> Path:
    """The first rows of a file, as UTF-8, in a file that lives as long as the process."""
    import tempfile

    lines = path.read_text("latin-1").splitlines(keepends=True)
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    some = Path(folder.name) / path.name
    some.write_text("".join(lines[: None if rows is None else rows + 1]), "utf-8")
    return some


def lawful_denials(
    path: Path, null_markers: tuple[str, ...], rows: int | None, texts: tuple[str, ...], kind: str
) -> Search:
    """A search by lawful for the PODs or DCs of the first rows of a file, with some columns as texts."""
    return _denials_of(relation_of(first_rows(path, rows), null_markers, texts), kind)


def lawful_denials_of_tax(rows: int, kind: str) -> Search:
    """A search by lawful for the PODs or DCs of a made table."""
    from lawful import datasets, read

    return _denials_of(read(datasets.tax(rows)), kind)


def _denials_of(relation: Relation, kind: str) -> Search:
    from lawful import datasets, discover

    discover(datasets.employees(50), kind, all=True, cross_columns="off")
    # too long for all pairs: the kernels of validation
    discover(datasets.tax(12_000).select(["state", "salary", "rate"]), kind, all=True, cross_columns="off")
    return clocked_laws(lambda: discover(relation, kind, all=True, cross_columns="off"))


def desbordante_dcs(path: Path, rows: int | None, error: float = 0.0) -> Search:
    """A search for denial constraints by Desbordante, without comparisons between columns."""
    import desbordante

    program = desbordante.dc.algorithms.FastADC()
    some = first_rows(path, rows)
    program.load_data(table=(str(some), ",", True))
    shard = min(350, some.read_text("utf-8").count("\n") - 1)  # its default, or the whole of a short table
    return clocked(
        lambda: program.execute(allow_cross_columns=False, evidence_threshold=error, shard_length=shard),
        lambda _: {"dc": len(program.get_dcs())},
    )


def denial_prototype(path: Path, rows: int | None, folder: Path) -> Search:
    """A search for denial constraints by the throw-away prototype, a copy of which is in the folder."""
    sys.path.insert(0, str(folder))
    module: Any = importlib.import_module("denial")
    return _watched(module, lambda: module.main(str(path), rows), r"sym (\d+)", ("dc",))


def prototype(ranks: Path, folder: Path) -> Search:
    """A search for FDs and ODs by the project's throw-away prototype, a copy of which is in the folder.

    It reads, searches and prints in one call, and looks at the clock before and after each phase.
    """
    sys.path.insert(0, str(folder))
    module: Any = importlib.import_module("ordered")
    return _watched(
        module, lambda: module.main(str(ranks), os.cpu_count()), r"FD (\d+) OD (\d+)", ("fd", "od")
    )


def _watched(module: Any, main: Callable[[], None], figures: str, kinds: Sequence[str]) -> Search:
    """A search by a prototype, which prints its figures; its clock is replaced by one that remembers."""
    module.time = clock = _Clock()

    def search() -> Run:
        clock.looks.clear()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            main()
        seconds, cpu = (last - first for first, last in zip(clock.looks[0], clock.looks[-1], strict=True))
        found = re.search(figures, printed.getvalue())
        assert found, "the prototype prints other figures than expected"
        counts = {kind: int(count) for kind, count in zip(kinds, found.groups(), strict=True)}
        return Run(seconds, cpu, counts)

    search()
    return search


class _Clock:
    """A stand-in for the module `time` that remembers seconds and CPU seconds of each look."""

    def __init__(self) -> None:
        self.looks: list[tuple[float, float]] = []

    def time(self) -> float:
        self.looks.append((time.perf_counter(), time.process_time()))
        return self.looks[-1][0]
