"""The command `lawful`, before lawful is there: Ctrl-C is heard also while Python reads its modules.

This stands beside the package, since whatever stands within it is read after the package itself.
"""

import os
import signal
from types import FrameType

INTERRUPTED = 130  # the exit code


def main() -> None:
    """Reads lawful, and runs the command."""
    end_quietly()
    from lawful.cli import main as run

    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def end_quietly() -> None:
    """Have Ctrl-C end this process at once; where it is ignored, as in the background, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception would come up in the middle of some module, which may take it for one of its own.
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
