"""What outlives a search that is ended: the laws that it proved and the targets that it settled."""

from typing import Protocol

from lawful.cover.targets import Targets
from lawful.discovery.findings import Findings, Phase


class Journal(Protocol):
    """Keeps what a search finds, and knows what one before it found."""

    def record(self, targets: Targets, level: int, findings: Findings) -> None:
        """Keep findings; what is settled has no further laws of `level` attributes or less."""

    def recall(self, phase: Phase, level: int) -> Findings:
        """The targets of a phase that are settled as far as `level`, with their laws."""
