"""The pages of the site that stand outside this folder: README.md and CHANGELOG.md."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add them, with links as they are from here."""
    for name, here in _PAGES.items():
        text = (Path(config.config_file_path).parent / name).read_text("utf-8").replace("](docs/", "](")
        for other, moved in _PAGES.items():
            text = text.replace(f"]({other})", f"]({moved})")
        files.append(File.generated(config, here, content=text))
    return files
