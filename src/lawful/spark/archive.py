"""Our own code as one file, for clusters whose workers do not have it installed."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile


def package_archive(folder: Path | str) -> Path:
    """Writes the installed package to `folder`/lawful.zip, for workers to import, and returns its path.

    Give it to a running session with `session.addArtifact(str(path), pyfile=True)` or to a new one
    as the setting `spark.submit.pyFiles`. What lawful needs (numba, numpy, pyarrow) is not in it.
    """
    root = Path(__file__).parents[1]
    archive = Path(folder, "lawful.zip")
    draft = archive.with_suffix(".part")
    with ZipFile(draft, "w", ZIP_DEFLATED) as out:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                out.write(path, Path("lawful", path.relative_to(root)))
    return draft.replace(archive)
