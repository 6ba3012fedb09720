"""How a CSV file is written: found in the beginning of the file where the caller does not say."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lawful.errors import LawfulError
from lawful.table.source_options import SourceOptions

SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 1_000
DELIMITERS = (",", ";", "\t", "|")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Dialect:
    """One way to write a CSV file, and the first record of the file."""

    delimiter: str
    quote: str
    escape: str
    header: bool
    encoding: str
    comment: str = ""
    first: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many fields a record has."""
        return len(self.first)

    @property
    def splittable(self) -> bool:
        """Whether lines can be told apart before the text is decoded."""
        return "\na".encode(self.encoding).removeprefix(codecs.BOM_UTF8) == b"\na"

    def records(self, text: str) -> Iterator[list[str]]:
        """The records of a text, empty lines and comments left out."""
        if self.comment:
            text = self.without_comments(text.encode()).decode()
        reader = csv.reader(
            _lines(text),
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            doublequote=True,
            escapechar=self.escape if self.escape not in ("", self.quote) else None,
        )
        return filter(None, reader)

    def without_comments(self, data: bytes) -> bytes:
        """UTF-8 text that begins with a record, without comments; lines within quotes are none."""
        mark = self.comment.encode()
        last = max(data.rfind(b"\n" + mark), data.rfind(b"\r" + mark))
        if last < 0 and not data.startswith(mark):
            return data
        # What comes after the last line that may be one need not be looked at: most stand at the top.
        end = data.find(b"\n", last + 1) + 1 or len(data)
        return self._comments.sub(rb"\g<kept>", data[:end]) + data[end:]

    @property
    def _comments(self) -> re.Pattern[bytes]:
        """What finds comments, and (to be kept) quoted values and escaped characters."""
        quote, escape = re.escape(self.quote), re.escape(self.escape)
        start = r"(?<![^\r\n])"
        escaped = "(?!)" if self.escape in ("", self.quote) else rf"{escape}[\s\S]"
        quoted = "(?!)"
        if self.quote:
            plain = f"[^{quote}{escape}]*"
            within = f"{plain}(?:(?:{quote}{quote}|{escaped}){plain})*"
            quoted = f"(?:(?<={re.escape(self.delimiter)})|{start}){quote}{within}{quote}?"
        comment = rf"{start}{re.escape(self.comment)}[^\r\n]*(?:\r\n|\r|\n|\Z)"
        return re.compile(f"{comment}|(?P<kept>{escaped}|{quoted})".encode())


def sniff(sample: bytes, options: SourceOptions, complete: bool, tabbed: bool, where: str) -> Dialect:
    """The dialect of a file that begins with these bytes.

    Args:
        sample: the first bytes of the file.
        options: what the caller has said.
        complete: whether the sample is all of the file.
        tabbed: whether the name of the file speaks of tabs.
        where: the file, for messages.
    """
    encoding = options.encoding or _sniff_encoding(sample)
    text = decode_beginning(sample, encoding, where)
    if not text.strip("\r\n"):
        raise LawfulError(f"{where} is empty: give a file that holds a table")
    guesses = sorted(
        _guesses(options, tabbed, encoding, text), key=lambda guess: _quality(guess, text, complete)
    )
    best = guesses[-1]
    first = next(best.records(text), None)
    if first is None:
        raise LawfulError(f"{where} holds nothing but comments: give a file that holds a table")
    if len(first) == 1:
        best = _single_column(best, guesses, options, text, complete, where)
        first = next(best.records(text), [""])
    return replace(best, first=tuple(first))


def decode_beginning(sample: bytes, encoding: str, where: str) -> str:
    """The text of a sample, whose last character may be cut."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample).removeprefix("\ufeff")
    except LookupError:
        raise LawfulError(
            f"unknown encoding {encoding!r}: use a name such as utf-8, latin-1 or cp1252"
        ) from None
    except UnicodeDecodeError:
        raise wrong_encoding(where, encoding) from None


def wrong_encoding(where: str, encoding: str) -> LawfulError:
    """What to say about bytes that are not of the encoding that the caller has named."""
    return LawfulError(f"{where} is not {encoding}: give its encoding, such as latin-1, or let it be found")


def _sniff_encoding(sample: bytes) -> str:
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _guesses(options: SourceOptions, tabbed: bool, encoding: str, text: str) -> Iterator[Dialect]:
    """The dialects that the options leave open, the likeliest last."""
    delimiters: tuple[str, ...] = DELIMITERS if options.delimiter is None else (options.delimiter,)
    if options.delimiter is None and (tabbed or options.format == "tsv"):
        delimiters = ("\t", *(other for other in delimiters if other != "\t"))
    quotes = ('"', "'") if options.quote is None else (options.quote,)
    for delimiter, quote in reversed(list(itertools.product(delimiters, quotes))):
        escape = quote if options.escape is None else options.escape
        if (
            options.escape is None
            and quote
            and re.search(rf"\\{quote}[^\r\n{quote}{re.escape(delimiter)}]", text)
        ):
            escape = "\\"
        yield Dialect(delimiter, quote, escape, options.header, encoding, options.comment or "")


def _quality(guess: Dialect, text: str, complete: bool) -> tuple[float, int]:
    """How well a guess explains the text: the share of records as wide as the first one, that width."""
    each = _widths(guess, text)
    first = next(each, 1)
    if first == 1:
        return 0.0, 1
    widths = [first, *itertools.islice(each, _SAMPLE_RECORDS)]
    if len(widths) > 1 and (not complete or len(widths) > _SAMPLE_RECORDS):
        widths.pop()
    return round(widths.count(first) / len(widths), 2), first


def _widths(guess: Dialect, text: str) -> Iterator[int]:
    try:
        yield from map(len, guess.records(text))
    except csv.Error:  # a field beyond the module's limit: the guess is wrong, or the sample cut
        return


def _single_column(
    best: Dialect, guesses: list[Dialect], options: SourceOptions, text: str, complete: bool, where: str
) -> Dialect:
    """The dialect of a table of one column; a complaint where another delimiter was meant."""
    if options.delimiter is None:
        unused = next((char for char in DELIMITERS if char not in text), best.delimiter)
        return replace(best, delimiter=unused)
    for other in DELIMITERS:
        share, width = _quality(replace(best, delimiter=other), text, complete)
        if other != options.delimiter and share == 1.0 and width > 1:
            raise LawfulError(
                f"{where} has one column with delimiter {options.delimiter!r} but {width} with {other!r}: "
                f"use that, or leave the delimiter out"
            )
    return best


def _lines(text: str) -> Iterator[str]:
    """Lines as CSV has them: only CR and LF end one, and they stay, since a quoted field may hold them."""
    return (match.group() for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text))
