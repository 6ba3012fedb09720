"""Results as people and programs want them: collections, tables, JSON, HTML, exports."""

from lawful.report.collection import Laws

__all__ = ["Laws", "page_of", "text_of"]


def page_of(thing: object) -> str:
    """What the command line prints of a thing, as HTML for notebooks."""
    from lawful.report.printed_things import as_html  # with Rich, which workers of a cluster need not have

    return as_html(thing)


def text_of(thing: object) -> str:
    """What `print` shows of a thing."""
    from lawful.report.printed_things import as_text

    return as_text(thing)
