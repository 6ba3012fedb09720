"""The command `lawful`, before lawful is there: Ctrl-C is heard also while Python reads its modules.

This stands beside the package, since whatever stands within it is read after the package itself.
"""

import os
import signal

INTERRUPTED = 130  # the exit code


def main() -> None:
    """Reads lawful, and runs the command. Where Ctrl-C is ignored, as in the background, it stays so."""
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:
        # An exception would come up in the middle of some module, which may take it for one of its own.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    from lawful.cli import main as run

    signal.signal(signal.SIGINT, heard)
    run()
