"""The one exception that users see."""


class LawfulError(Exception):
    """Something the user can mend: one line that says what is wrong and what to do.

    The command line prints it without a traceback and exits with code 2.
    """
