"""What notebooks show, as HTML."""


def page_of(thing: object) -> str:
    """What the command line prints of a thing."""
    # They import Rich, which workers of a cluster need not have.
    from lawful.report.html_console import as_html
    from lawful.report.printed_things import print_thing

    return as_html(print_thing, thing)
