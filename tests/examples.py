"""How many examples hypothesis tries, where a test asks for another number than the profile's."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

USUAL = 100  # of hypothesis' own profile, which the counts in tests are meant for


def examples(count: int, **others: Any) -> settings:
    """Try `count` examples, and fewer by as much as the profile does; the first may compile kernels."""
    share = settings().max_examples / USUAL  # of the profile that was loaded
    return settings(max_examples=max(1, round(count * share)), deadline=None, **others)
