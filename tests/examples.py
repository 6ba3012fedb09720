"""How many examples hypothesis tries, where a test asks for another number than the profile's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, settings

USUAL = 100  # of hypothesis' own profile, which the counts in tests are meant for


def examples(count: int, suppress_health_check: Sequence[HealthCheck] = (), **others: Any) -> settings:
    """Try `count` examples, and fewer by as much as the profile does."""
    profile = settings()  # that was loaded
    share = profile.max_examples / USUAL
    unchecked = [*profile.suppress_health_check, *suppress_health_check]
    return settings(max_examples=max(1, round(count * share)), suppress_health_check=unchecked, **others)
