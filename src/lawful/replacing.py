"""Files that appear in one step or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lawful.errors import LawfulError


@contextmanager
def replaced_file(path: Path, keep: bool = True) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place at the end, if all went well."""
    if path.is_dir():
        raise LawfulError(f"cannot write {str(path)!r}: it is a folder; name a file in it")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            if keep:
                temporary.chmod(0o666 & ~_umask())
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise LawfulError(f"cannot write {str(path)!r}: {why}; choose another place with --out") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
