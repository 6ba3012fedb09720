"""Laws as HTML, for notebooks."""

from html import escape

from lawful.report.collection import Laws
from lawful.report.sentences import SHOWN, remarks, score_text, summary, title, with_statement


def as_html(laws: Laws) -> str:
    """A table of the laws with the highest scores of each kind, and how many there are in all."""
    parts = [f"<p>{'<br>'.join(escape(line) for line in (summary(laws), *remarks(laws)))}</p>"]
    for kind, count in laws.counts.items():
        if count:
            lines = "".join(
                f"<tr><td style='text-align:left'><code>{escape(with_statement(law))}</code></td>"
                f"<td>{score_text(score)}</td></tr>"
                for law, score in laws.filter(kind=kind)[:SHOWN].items()
            )
            more = f" (the first {SHOWN})" if count > SHOWN else ""
            heading = (
                f"<tr><th style='text-align:left'>{title(kind)}: {count:,}{more}</th><th>score</th></tr>"
            )
            parts.append(f"<table><thead>{heading}</thead><tbody>{lines}</tbody></table>")
    return "".join(parts)
