"""Text from files and users: checked when it is read, and escaped on every way out.

There is one function for each format: `for_terminal`, `for_csv`, and for Markdown
`for_markdown`, `prose_for_markdown` and `as_markdown_code`. `plain` replaces what an encoding
lacks. jinja2 and markupsafe escape HTML, and
matplotlib SVG; neither format can hold the characters that `is_line` refuses.
"""

from __future__ import annotations

import codecs
import re
import reprlib
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable
from pathlib import PurePath
from typing import IO, Any, TypeVar

LONGEST_LINE = 1_000
"""Characters at most of a name, a label, a source or the like."""

_LONGEST_TEXT = 100_000
"""Characters at most of a text of several lines."""

_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
"""What a spreadsheet takes for the beginning of a formula, or skips before one (OWASP, "CSV
Injection")."""

PLAIN = {
    "±": "+-",
    "≈": "~",
    "–": "-",
    "…": "...",
    "×": "x",
    "µ": "u",
    "†": "+",
    "∞": "inf",
    "✓": "+",
    "✗": "-",
    "·": ".",
    "○": "o",
    "✕": "x",
    "■": "#",
    "□": "s",
}
"""What replaces characters of tables, sentences and boards where an encoding lacks them."""

PLAIN_ERRORS = "bsbench.plain"
"""Name, among the error handlers of Python's encoders, of the one that writes them so."""

_NO_BREAK = "\N{NO-BREAK SPACE}"

_Cell = TypeVar("_Cell")


def is_line(text: Any) -> bool:
    """Return whether something is a text that can be printed on a line, or is empty.

    It has no control characters, such as those of a terminal; none that change the direction of
    writing; and no half of a surrogate pair.
    """
    return isinstance(text, str) and text.isprintable() and len(text) <= LONGEST_LINE


def is_text(text: Any) -> bool:
    """Return whether something is a text of lines that can be printed, or is empty."""
    return (
        isinstance(text, str)
        and len(text) <= _LONGEST_TEXT
        and all(line.isprintable() for line in re.split(r"[\n\t]", text))
    )


class _Shortened(reprlib.Repr):
    """Values as users write them; of what nobody writes, such as an object, what it is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_instance(self, x: Any, level: int) -> str:
        """Return the text of a value of which `reprlib` knows no more."""
        if isinstance(x, PurePath):
            return self.repr1(str(x), level)
        if hasattr(x, "dtype"):
            return self.repr1(x.item(), level) if x.ndim == 0 else f"an array of {x.dtype}"
        if (text := super().repr_instance(x, level)).startswith("<"):
            kind, named = ("the class", x) if isinstance(x, type) else ("an object of", type(x))
            return f"{kind} {named.__name__}"
        return text


def shortened(value: Any) -> str:
    """Return a value as a user writes it, cut if it is long; nothing in it is unprintable."""
    return _Shortened().repr(value)


def type_of(value: Any) -> str:
    """Return the type of a value, for a message that tells what it should be instead."""
    return "None" if value is None else f"of type {type(value).__name__}"


def listed_in_words(texts: Iterable[str], word: str = "and") -> str:
    """Return texts as a sentence lists them, the last after a word.

    Examples
    --------
    >>> listed_in_words(["a", "b", "c"], "or")
    'a, b or c'
    """
    *others, last = texts
    return f"{', '.join(others)} {word} {last}" if others else last


def short(text: str, longest: int = 50) -> str:
    """Return a text without its middle, if it is long: variants of a name differ at its end.

    Examples
    --------
    >>> short("over9000 edge_weight=1.0 noise=0.0", 20)
    'over9000 …noise=0.0'
    """
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def short_names(names: Iterable[str], longest: int = 50) -> list[str]:
    """Return names without their middles, as `short`; they are longer where two would be the same.

    Parameters
    ----------
    names : iterable of str
        All that are to be told apart.
    longest : int
        Characters that each should have at most.
    """
    names = list(names)
    while True:
        found = [short(name, longest) for name in names]
        # At last, all are whole.
        if len(set(found)) == len(set(names)):
            return found
        longest += 1


def for_terminal(text: str) -> str:
    r"""Return text that a terminal shows, and does not obey.

    Of characters that aren't printable, line breaks, tabs and spaces stay; others are written as
    in Python.

    Examples
    --------
    >>> for_terminal("\x1b[31mred")
    '\\x1b[31mred'
    """
    return "".join(
        character
        if character.isprintable() or character in "\n\t" or unicodedata.category(character) == "Zs"
        else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Return plain characters for what can't be encoded: letters without accents, or ``?``."""
    assert isinstance(error, UnicodeEncodeError)
    plain = ""
    for character in error.object[error.start : error.end]:
        letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
        plain += PLAIN.get(character) or letters or "?"
    return plain, error.end


codecs.register_error(PLAIN_ERRORS, _replaced)


def plain(text: str, encoding: str | None) -> str:
    """Return text with plain characters for those that an encoding lacks.

    A table needs them before it is laid out, since they may be longer. All else that the command
    line prints is replaced as it is written, by the error handler `PLAIN_ERRORS`.

    Parameters
    ----------
    text : str
    encoding : str or None
        Such as that of standard output; None has everything.

    Examples
    --------
    >>> plain("57.12 ± 0.36 …", "ascii")
    '57.12 +- 0.36 ...'
    """
    if encoding is None:
        return text
    return text.encode(encoding, PLAIN_ERRORS).decode(encoding)


def broken_text(text: str, width: int) -> str:
    """Return text in lines no longer than a width, broken between words and never inside one.

    A word that is longer than the width, such as the name of a file, has a line of its own. So has
    a command after a colon, which can then be copied. Lines that begin with a space stay as they
    are: they are code.

    Examples
    --------
    >>> broken_text("saved results/prob-harbour.json", 20)
    'saved\\nresults/prob-harbour.json'
    """
    lines = []
    for line in text.split("\n"):
        if len(line) <= width or line.startswith(" "):
            lines.append(line)
            continue
        words, command = line, ""
        if found := re.search(r"(?<=: )bsbench .*", line):
            words, command = line[: found.start()], found[0]
        # A figure, its interval and its unit stay together.
        words = re.sub(r"(?<=\S) (?=(±|\+-|%)(\W|$))|(?<=±) |(?<=\+-) ", _NO_BREAK, words)
        lines += textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
        lines += [command] if command else []
    return "\n".join(lines).replace(_NO_BREAK, " ")


def for_screen(text: str, file: IO[str]) -> str:
    """Return text that a terminal shows as `broken_text` does; files and pipes get it whole."""
    if not file.isatty():
        return for_terminal(text)
    return broken_text(for_terminal(text), max(shutil.get_terminal_size().columns, 40))


def for_csv(cell: _Cell) -> _Cell | str:
    """Return a cell that no spreadsheet takes for a formula: such a text begins with '.

    Numbers stay numbers.

    Examples
    --------
    >>> for_csv("=1+1"), for_csv(-1)
    ("'=1+1", -1)
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def for_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _escaped_for_markdown(" ".join(text.split()))


def prose_for_markdown(text: str) -> str:
    """Return prose on one line that Markdown shows as it is, but for what stands in backquotes.

    Examples
    --------
    >>> prose_for_markdown("`a_b` is <b>")
    '`a_b` is \\\\<b\\\\>'
    """
    prose = " ".join(text.split())
    return re.sub(
        r"(`[^`]+`)|[^`]+|`", lambda part: part[1] or _escaped_for_markdown(part[0]), prose
    )


def _escaped_for_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", text)


def as_markdown_code(label: str) -> str:
    """Return a label as code, if it holds nothing that could end code or cell."""
    return f"`{label}`" if re.fullmatch(r"[^`|\s]+( [^`|\s]+)*", label) else for_markdown(label)
