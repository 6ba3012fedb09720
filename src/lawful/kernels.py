"""How kernels are compiled.

Kernels are plain functions on flat arrays. They release the GIL, so threads run them on all cores,
and are cached on disk, so a second process (a Spark worker, say) does not compile them again.

Numba notices a change of a kernel's own file, not of the kernels that it calls, and would go on with the old
ones. So the cache folder is named after the sources of all modules that have kernels.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import njit

_numba: Any = numba.config


def _cache_folder() -> str | None:
    """A writable folder for the compiled kernels of exactly these sources; None where there is none."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        digest.update(text if b"lawful.kernels" in text else b"")
    name = f"kernels-{digest.hexdigest()[:16]}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    wanted = [Path(_numba.CACHE_DIR)] if _numba.CACHE_DIR else [package / "__pycache__", user / "lawful"]
    for folder in wanted:
        try:
            (folder / name).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder / name):
                return str(folder / name)
        except OSError:
            continue
    return None


CACHE = _cache_folder()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on its first call, or take it from the cache."""
    others, _numba.CACHE_DIR = _numba.CACHE_DIR, CACHE or _numba.CACHE_DIR
    try:
        compiled: Callable[..., Any] = njit(cache=CACHE is not None, nogil=True)(function)
    finally:
        _numba.CACHE_DIR = others
    return compiled
