"""What a search has done so far."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Progress:
    """What a search has done so far; `reason` says which limit ended it, if one did."""

    level: int = 0  # attributes in the laws looked for
    deepening: bool = False  # whether the search goes size by size
    found: int = 0
    left: int = 0  # targets still to be settled in this phase, or candidates for one
    validated: int = 0
    refuted: int = 0
    evidence: int = 0
    resumed: int = 0  # targets of which a journal knew all laws
    compiled: bool = False  # whether kernels were, which takes long and is done once
    reason: str | None = None
    # Kinds of which laws of so many attributes, and larger ones, have too many candidates to try.
    left_out: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def clock(self, name: str) -> Iterator[None]:
        """Adds the seconds of a block to those of this name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
