"""Laws as HTML, for notebooks."""

from html import escape

from lawful.report.collection import Laws
from lawful.report.law_sentences import sentence
from lawful.report.overview import overview
from lawful.report.sentences import SHOWN, heading, rated, remarks, summary, with_statement

_LEFT = "style='text-align:left'"


def as_html(laws: Laws) -> str:
    """What there is to say of the table, and of each kind the first laws, with how many there are in all."""
    parts = [f"<p>{'<br>'.join(escape(line) for line in (summary(laws), *remarks(laws)))}</p>"]
    if said := list(overview(laws)):
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in said)}</ul>")
    others = laws.without_constants()
    for kind, count in others.counts.items():
        if count:
            shown = others.filter(kind=kind)[:SHOWN]
            more = f" (the first {SHOWN})" if count > SHOWN else ""
            title = f"{escape(heading(laws, kind))}{more}"
            first = sentence(shown[0])
            caption = "" if first in said else f"<caption {_LEFT}>the first says: {escape(first)}</caption>"
            head = f"<tr><th {_LEFT}>{title}</th><th>bits</th><th>score</th></tr>"
            lines = "".join(
                f"<tr><td {_LEFT}><code>{escape(with_statement(law))}</code></td>"
                f"<td>{bits}</td><td>{score}</td></tr>"
                for law, bits, score in rated(shown)
            )
            parts.append(f"<table>{caption}<thead>{head}</thead><tbody>{lines}</tbody></table>")
    return "".join(parts)
