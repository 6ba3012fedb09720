"""What this machine has for us."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def held_bytes() -> int:
    """How much memory this process holds."""
    held: int = psutil.Process().memory_info().rss
    return held


def free_bytes() -> int:
    """How much more memory this process could take: of the machine, its container, its own limit."""
    rooms = [psutil.virtual_memory().available, _room_in_container(), _room_in_address_space()]
    return max(min(room for room in rooms if room is not None), 0)


def total_bytes() -> int:
    """How much memory there is for all processes of this machine, or of the container that this one is in."""
    limits = [limit for folder, name, *_ in _groups() if (limit := _number_in(folder / name)) is not None]
    return min([psutil.virtual_memory().total, *limits])


def _room_in_container() -> int | None:
    """What the control groups that this process is in have left."""
    rooms = [room for group in _groups() if (room := _room_in(group)) is not None]
    return min(rooms, default=None)


def _groups() -> Iterator[tuple[Path, str, str, str]]:
    """The folders of these groups, with what each calls its limit, its use and the caches that can go."""
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        own = line.rpartition(":")[2].strip("/")
        if line.startswith("0::"):
            for group in (CGROUP / own, *(CGROUP / own).parents):
                if group.is_relative_to(CGROUP):
                    yield group, "memory.max", "memory.current", "inactive_file"
        elif ":memory:" in line:
            for group in {CGROUP / "memory" / own, CGROUP / "memory"}:
                yield group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"


def _room_in(group: tuple[Path, str, str, str]) -> int | None:
    folder, limit, used, cache = group
    most, now = _number_in(folder / limit), _number_in(folder / used)
    if most is None or now is None:  # no such group, or one without a limit
        return None
    caches = re.search(rf"^{cache} (\d+)$", _read(folder / "memory.stat"), re.MULTILINE)
    return most - now + (int(caches[1]) if caches else 0)


def _number_in(path: Path) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdigit() else None


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _room_in_address_space() -> int | None:
    """What the limit on this process's addresses (`ulimit -v`) leaves."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if most == resource.RLIM_INFINITY else most - psutil.Process().memory_info().vms
