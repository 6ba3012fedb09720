"""The words of a law's text form: names, symbols, and where they stand."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from lawful.errors import LawfulError

RESERVED = frozenset({"key", "not", "and", "asc", "desc", "never"})

_NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(
    rf'(?P<escaped>e"(?:[^"]|"")*")|(?P<name>{_NAME})|(?P<quoted>"(?:[^"]|"")*")|(?P<symbol>->|=>|<=|>=|!=|[-<>=~:,.(){{}}\[\]])'
)
_PLAIN_NAME = re.compile(_NAME)
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt\\])")


def quoted(name: str) -> str:
    """Return a column name as it stands in a law: in double quotes unless it is a plain word.

    A name with characters that cannot be seen, or that could disturb a terminal, has them as escapes:
    e"red\\x1b[31m". Backslashes are doubled there.
    """
    if _PLAIN_NAME.fullmatch(name) and name not in RESERVED:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if name.isprintable() else 'e"' + visible(doubled.replace("\\", "\\\\")) + '"'


def visible(text: str) -> str:
    """The text with characters that cannot be seen, or that could disturb a terminal, written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def braced(names: Iterable[str]) -> str:
    """Return a set of column names as it stands in a law."""
    return "{" + ", ".join(quoted(name) for name in sorted(names)) + "}"


def visible_json(value: object, indent: int | None = None) -> str:
    """JSON in which whatever cannot be seen is an escape; what JSON does not know is text there."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return json.dumps(value, indent=indent, default=str)


@dataclass(frozen=True, slots=True)
class Token:
    """A name, a quoted name without its quotes, a symbol, or the end of the text."""

    kind: Literal["name", "quoted", "symbol", "end"]
    value: str
    position: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.value)


class Tokens:
    """A text as tokens, read from left to right."""

    def __init__(self, text: str, what: str = "the law") -> None:
        self._text, self._what = text, what
        self._tokens = list(self._split())
        self._next = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return a coming token without taking it."""
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def comes(self, *words: str) -> bool:
        """Tell whether these words or symbols come next; a quoted name is no word."""
        coming = [self.peek(ahead) for ahead in range(len(words))]
        return all(
            token.value == word and token.kind in ("name", "symbol")
            for token, word in zip(coming, words, strict=True)
        )

    def take_if(self, word: str) -> bool:
        """Take a word or symbol if it comes next, and tell whether it did."""
        if not self.comes(word):
            return False
        self._next += 1
        return True

    def take(self, *words: str) -> str:
        """Take one of these words or symbols."""
        for word in words:
            if self.take_if(word):
                return word
        raise self.expected(" or ".join(repr(word) for word in words))

    def take_name(self) -> str:
        """Take a column name."""
        token = self.peek()
        if token.kind not in ("name", "quoted"):
            raise self.expected("a column name")
        self._next += 1
        return token.value

    def take_end(self) -> None:
        """Check that nothing is left."""
        if self.peek().kind != "end":
            raise self.expected("the end")

    def expected(self, what: str) -> LawfulError:
        """Return the error that says what should stand here."""
        token = self.peek()
        return self._error(f"expected {what} but found {token}", token.position)

    def _error(self, problem: str, position: int) -> LawfulError:
        return LawfulError(f"cannot read {self._what} {self._text!r}: {problem} at character {position + 1}")

    def _split(self) -> Iterator[Token]:
        position = self._skip_space(0)
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise self._error(self._unreadable(position), position)
            yield _token(match)
            position = self._skip_space(match.end())
        yield Token("end", "", position)

    def _skip_space(self, position: int) -> int:
        space = _SPACE.match(self._text, position)
        return position if space is None else space.end()

    def _unreadable(self, position: int) -> str:
        if self._text[position] == '"':
            return "a quoted name without its closing quote"
        if self._text[position] in "0123456789'":
            return "laws compare columns, not values (a column of that name needs double quotes)"
        return f"{self._text[position]!r} has no meaning (names other than plain words need double quotes)"


def _token(match: re.Match[str]) -> Token:
    word = match.group()
    if match.lastgroup == "escaped":
        return Token("quoted", _unescaped(word[2:-1].replace('""', '"')), match.start())
    if match.lastgroup == "quoted":
        return Token("quoted", word[1:-1].replace('""', '"'), match.start())
    return Token("name" if match.lastgroup == "name" else "symbol", word, match.start())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: found.group().encode().decode("unicode_escape"), text)
