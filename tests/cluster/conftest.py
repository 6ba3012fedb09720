"""One cluster for all tests of this folder: Java is slow to start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standalone import Standalone, standalone


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, java_options: str) -> Iterator[Standalone]:
    with standalone(Path(tmp_path_factory.mktemp("cluster")), java_options, workers=2) as running:
        yield running
