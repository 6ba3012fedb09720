"""The wheel: what is installed from it alone does what README's first commands say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest
from numba.core.caching import _CacheLocator
from pyarrow.csv import write_csv

import lawful
from lawful.kernels import CACHE

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
PACKAGE = Path(lawful.__file__).parent


def pip(*words: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *map(str, words)], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made from a copy, since building leaves files among the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    shutil.copytree(ROOT / "docs", sources / "docs")
    shutil.copytree(PACKAGE, sources / "src/lawful", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE.parent / "lawful_command.py", sources / "src")
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources)
    return next(folder.glob("lawful-*.whl"))


def test_types_documentation_and_data_are_inside(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    inside = {name.removeprefix("lawful/") for name in names if name.startswith("lawful/")}
    kept = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    assert inside == {name for name in kept if "__pycache__" not in name}
    assert "py.typed" in inside
    assert "lawful_command.py" in names
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} | {"README.md"}
    assert {name.partition("share/doc/lawful/")[2] for name in names} >= pages


@dataclass(frozen=True)
class Installed:
    """What was installed from a wheel, and nothing else of ours."""

    folder: Path

    def lawful(self, *words: str | Path) -> str:
        """The output of the command."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        done = subprocess.run(
            [self.folder / "bin/lawful", *words], env=environment, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Installed:
    folder = wheel.parent / "installed"
    pip("install", "--no-deps", "--no-index", "--no-compile", "--target", folder, wheel)
    take_over_kernels(folder / "lawful")
    return Installed(folder)


def take_over_kernels(package: Path) -> None:
    """Spare minutes of compiling what is compiled already: Numba knows it by the source, folder and time."""
    assert CACHE is not None
    for kept in CACHE.glob("*/*/"):  # folders, not the locks beside them
        copy = package / "__pycache__" / CACHE.name / kept.parent.name
        folder = package / kept.parent.name.rpartition("-")[0].replace(".", "/")
        there = _CacheLocator.get_suitable_cache_subpath(str(folder))  # type: ignore[no-untyped-call]
        shutil.copytree(kept, copy / there)
    for source in PACKAGE.rglob("*.py"):
        shutil.copystat(source, package / source.relative_to(PACKAGE))


def test_the_first_commands_work(installed: Installed, tmp_path: Path) -> None:
    people, laws = tmp_path / "people.csv", tmp_path / "laws.json"
    write_csv(lawful.datasets.employees(200), people)
    assert "department_head" in installed.lawful("columns", people)
    assert "{department} -> floor" in installed.lawful("discover", people, "--kinds", "key,fd", "--out", laws)
    # They take time to import, and workers of a cluster need not have them.
    where = "import lawful, sys; print(lawful.__file__, *({'pandas', 'rich', 'typer'} & {*sys.modules}))"
    told = subprocess.run(
        [sys.executable, "-c", where],
        env={**os.environ, "PYTHONPATH": str(installed.folder)},
        capture_output=True,
        text=True,
    )
    assert told.stdout.split() == [str(installed.folder / "lawful/__init__.py")]
    assert "def " in installed.lawful("export", laws, "--to", "pandera")
