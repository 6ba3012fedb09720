"""The one exception that users see, and the kind of it that concerns one source alone."""


class LawfulError(Exception):
    """Something the user can mend: one line that says what is wrong and what to do.

    The command line prints it without a traceback and exits with code 2.
    """


class UnfitRowsError(LawfulError):
    """Rows that a state cannot take in as they are; it is as it was, and may take in others."""
