"""Positions and layouts as people have them: drawn, as digits or letters, as lists, as one text.

Answers to shots are read from

- a text such as ``classic: B2=hit C7=miss`` or ``B2=hit, C7=miss``: see `bsbench.rules.position`;
- a list, a shot on each line, or a turn with a joint answer: ``B2,hit``, ``1. B2 - hit``,
  ``A1+C3,4a:1``, or ``row,col,answer`` with rows and columns as numbers, where a comment or the
  head of the list says ``from 0`` or ``from 1``;
- a board as bsbench prints it, or drawn with ``. o x #`` or ``0 1 2 3``: not shot, miss, hit, sunk;
  ``*`` is a miss, too. Rows are named by letters or numbers, columns by any of these, or neither.
  There may be ``|`` between cells; a blank between two of them is not shot.

A first line such as ``classic:`` says the rules of a list or a board.

Layouts are read from

- a line such as ``1 1 4 E  3 3 2 S`` or ``4:B2-B5 2:D4-E4``, or a text with a layout behind ``|``;
- a board with a letter or digit for each ship, or one symbol for all where it is clear which ships
  they are; water is ``. 0 ~ -``.

Behind ``#`` stands a comment, unless it is a symbol of a board. Whatever can't be read is refused
with its line and, where that says more, its character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from bsbench.common.errors import BsbenchError, option
from bsbench.common.texts import shortened
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import (
    HIDDEN,
    MISSED,
    OPEN,
    PLAIN,
    STRUCK,
    SUNKEN,
    SYMBOLS,
    cell_name,
    row_name,
)
from bsbench.rules.layout import laid, read_ships
from bsbench.rules.position import Answer, Position, rules_words, ship_name
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import slot_cells, slot_code

_MARK_OF = {
    symbol: mark
    for mark, symbols in zip(
        (OPEN, MISSED, STRUCK, SUNKEN), (".0-~", "oO1*", "xX2", "#3"), strict=True
    )
    for symbol in f"{SYMBOLS[mark]}{symbols}"
}

_HIDDEN = {HIDDEN, PLAIN[HIDDEN]}

_WATER = {SYMBOLS[OPEN], *".0-~"}

_MOST_TRIES = 100_000
"""Ways to divide cells among ships that are tried."""

_GAP = r"(?:[\s,;]*[-–—:][\s,;]*|[\s,;]+)"

_LISTED = re.compile(
    rf"\s*([A-Z]{{1,3}}\d{{1,4}}(?:\+[A-Z]{{1,3}}\d{{1,4}})*(?={_GAP}(?:[a-z]{{2}}|\d+[a-z]*:|0\s*$))"
    rf"|\d{{1,4}}[\s,;]+\d{{1,4}}(?=[\s,;]+[a-z]{{2}})){_GAP}([^#\s,;]+)",
    re.I | re.A,
)
"""A line of a list: a cell, the cells of a turn, or row and column, and the answer."""

_NUMBER = re.compile(r"^\s*\d{1,4}[.):]?[\s,;]+(?=[A-Z])", re.I | re.A)
"""The number of a line."""

_HEAD = re.compile(r"\s*(?:shot|cell|row|move)[^=]*", re.I)

_LAYOUT = r"\|\s*\d+[a-z]?:"
"""How a layout behind answers begins: other bars stand between the cells of a board."""

_FRAME = re.compile(r"[\s|]*\+[-=+|\s]*")
"""A line between the rows of a board."""

Lines = Iterator[tuple[int, str]]


def read_position(text: str, scenario: Scenario, ordered: bool = False) -> Position:
    """Return the position that a text holds, in any of the forms above.

    Parameters
    ----------
    text : str
    scenario : Scenario
        The rules of a text that does not say them.
    ordered : bool
        Whether the order of the shots matters: a board is refused.

    Raises
    ------
    BsbenchError
        If the text holds none, says less than the feedback does, or leaves open which ships the
        sunk cells are.
    """
    # As spreadsheets write it.
    text = text.replace('"', " ")
    bare = "\n".join(map(_told_in, text.split("\n")))
    if head := re.match(r"\s*(\S[^=|\n]*:)[ \t]*\n(?=\s*\S)", bare):
        # The rules of a list or a board stand on a line of their own, which stays as an empty one.
        scenario = Position.parse(head[1]).scenario
        text, bare = (each.replace(head[1], "", 1) for each in (text, bare))
    if any(map(_LISTED.match, bare.split("\n"))):
        return Position.parse(_list_as_text(text, scenario.rules), scenario)
    if re.search(rf"=|{_LAYOUT}|:\s*$", bare):
        return Position.parse(bare, scenario)
    position = Position(scenario, tuple(_read_board(text, scenario.rules)))
    if ordered:
        raise BsbenchError("a board has no order of shots: list them in order, such as B2,hit")
    return position


def _lines_of(text: str) -> Lines:
    """Yield the lines of a text, with their numbers, without those between rows."""
    lines = enumerate(text.split("\n"), start=1)
    return (each for each in lines if not _FRAME.fullmatch(each[1]))


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line)


def _told_in(line: str) -> str:
    """Return a line without comment and number; what is left stands where it stood."""
    return _NUMBER.sub(lambda number: " " * len(number[0]), _without_comment(line), count=1)


def _list_as_text(text: str, rules: Rules) -> str:
    """Return a list of shots as answers, each on the line where it stands."""
    bases = {int(a or b) for a, b in re.findall(r"from ([01])\b|\b([01])-based", text, re.I)}
    if len(bases) > 1:
        raise BsbenchError("the text says both 'from 0' and 'from 1': leave one of them out")
    base = next(iter(bases), None)
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = _told_in(line)
        match = _LISTED.match(bare)
        if match is None and "=" in bare:
            lines.append(bare)
            continue
        if match is None:
            if bare.strip() and ((lines and any(lines)) or not _HEAD.fullmatch(bare)):
                raise BsbenchError(
                    f"line {number}: {shortened(bare.strip())} is no shot with its answer: write "
                    "such as B2,hit"
                )
            lines.append("")
            continue
        cell, answer = match[1], match[2]
        if cell[0].isdigit():
            if base is None:
                raise BsbenchError(
                    f"line {number}: rows and columns are numbers, and nothing says where they "
                    "begin: write '# from 0' or '# from 1' above them"
                )
            row, col = (int(part) - base for part in re.split(r"[\s,;]+", cell))
            if not (0 <= row < rules.rows and 0 <= col < rules.cols):
                raise BsbenchError(f"line {number}: {cell} is not on the {rules.board} board")
            cell = cell_name(row * rules.cols + col, rules.cols)
        rest = bare[match.end() :].strip(" \t\r,;-–—:")
        # Of a joint answer, more hits; else, the ship.
        more = f"{'+' if rules.joint else ':'}{rest}" if rest else ""
        lines.append(f"{cell}={answer}{more}")
    return "\n".join(lines)


Symbols = list[tuple[int, str]]
"""Where in its line each symbol of a board stands, from 1, and the symbol."""


def _symbols_of(line: str) -> Symbols:
    line = re.sub(r"(?<=\|)\s(\s*)(?=\|)", r".\1", line)
    return [(at.start() + 1, at[0]) for at in re.finditer(r"[^\s,;|[\]]", line)]


def _row_of(line: str, row: int, cols: int, known: Iterable[str] | None) -> Symbols | None:
    """Return the row of a board that a line is; None if it is none.

    The name of the row may be left out.
    """
    found = _symbols_of(line)
    named = re.match(rf"[\s|]*({row_name(row)}|{row + 1})(?![^\s,;|[\]])", line)
    for skipped in (len(named[1]), 0) if named else (0,):
        part = found[skipped : skipped + cols]
        symbols = "".join(symbol for _, symbol in part)
        # Beside a board with the names of its rows, there may be more: a heat map.
        fits = len(part) == cols and (skipped > 0 or len(found) == cols)
        if skipped and named and named[1].isdecimal():
            # Otherwise, the number may be a cell.
            fits = len(found) == skipped + cols and not re.search(r"\d", symbols)
        if known is None and symbols.startswith("#"):
            # With other letters, it is a comment.
            fits = fits and _WATER.issuperset(symbols.replace("#", ""))
        if fits and (known is None or {*known}.issuperset(symbols)):
            return part
    return None


def _read_board(text: str, rules: Rules) -> list[Answer]:
    """Return answers that lead to a board.

    The order of the shots is not on the board: misses come first, then the ships that have sunk,
    then the other hits. What stands right of the board and below it is ignored, except which ships
    have sunk.
    """
    known = [*_MARK_OF, *_HIDDEN]
    marks: list[int] = []
    told: list[int] | None = None
    wrong: list[tuple[int, str]] = []
    lines = [*_lines_of(text), (0, "")]
    for (number, line), (_, below) in pairwise(lines):
        row = len(marks) // rules.cols
        # A row of digits may look like numbers of columns.
        if _is_head(line, rules) and (not re.search(r"\d", line) or _words(below)[:1] == ["A"]):
            continue
        found = _row_of(line, row, rules.cols, known) if row < rules.rows else None
        if found is not None:
            if not _HIDDEN.isdisjoint(symbol for _, symbol in found):
                raise BsbenchError("the board shows ships that were not found: leave them out")
            marks += [_MARK_OF[symbol] for _, symbol in found]
        elif row == rules.rows and any(_row_of(line, at, rules.cols, known) for at in (0, row)):
            raise BsbenchError(
                f"line {number}: a row too many: above is a whole {rules.board} board"
            )
        elif marks and (gone := re.search(r"(?:^|; )sunk ([0-9 ]+)", line)):
            told = [int(length) for length in gone[1].split()]
        elif _without_comment(line).strip() and row < rules.rows and not _HEAD.fullmatch(line):
            wrong.append((number, line))
    if len(marks) != rules.cells:
        raise BsbenchError(_no_board(wrong, len(marks) // rules.cols, rules))
    return _answers_of(marks, told, rules)


def _no_board(wrong: Sequence[tuple[int, str]], rows: int, rules: Rules) -> str:
    """Return what is wrong with a text that holds so many rows of a board, and other lines."""
    what = (
        f"draw each row with {rules.cols} of the symbols . o x # or 0 1 2 3 (not shot, miss, hit, "
        "sunk)"
    )
    either = f"list shots such as B2,hit, or {what}"
    if not wrong and not rows:
        return f"the text is empty, or has only comments: {either}"
    # Lines that are near to a row: most of their symbols are known, or they fill a board.
    fills = rows + len(wrong) >= rules.rows
    near = []
    for number, line in wrong:
        spots = _symbols_of(line)
        if re.match(r"\s*[A-Z]{1,2}[\s,;|[]", line):
            spots = spots[1:]
        strange = [(at, symbol) for at, symbol in spots if symbol not in _MARK_OF]
        share = len(strange) / max(len(spots), 1)
        if share <= 0.5 or (fills and len(spots) == rules.cols):
            near.append((share, number, len(spots), strange))
    if not near:
        if rows or not wrong:
            return f"no board of {rules.board} in the text, but {rows} rows: {what}"
        board = f"a row of the {rules.board} board"
        return f"line {wrong[0][0]} is neither a shot with its answer nor {board}: {either}"
    _, number, cells, strange = min(near)
    if strange:
        at, symbol = strange[0]
        why = "is no cell of a board"
        if symbol.isalnum():
            law = option("placement", "file:board.txt")
            why = f"marks a ship, and a board of ships is a layout, for {law}"
        return f"line {number}, character {at}: {symbol!r} {why}: {what}"
    has = f"line {number} has {cells} cells, and a row of the {rules.board} board has {rules.cols}"
    return f"{has}: write . where nobody shot, or bars between cells, as in | |x|o|"


def _answers_of(marks: Sequence[int], told: list[int] | None, rules: Rules) -> list[Answer]:
    """Return answers that lead to the marks of a board."""
    if rules.joint:
        raise BsbenchError(
            "a board does not say which shots were of one turn: give answers such as A1+C3+E5=4:2"
        )
    if rules.reveals.untold_cells and SUNKEN in marks:
        raise BsbenchError(
            f"under feedback {rules.feedback}, it matters which cells were hit before a ship sank, "
            "and the board does not say it: give answers such as E3=hit E4=sunk, in their order"
        )
    if rules.reveals.ships and STRUCK in marks:
        name = cell_name(marks.index(STRUCK), rules.cols)
        raise BsbenchError(
            f"under feedback ship, every hit says which ship it is, and the board does not: give "
            f"answers such as {name}=hit:{ship_name(rules.fleet, 0)}, or choose "
            f"{option('feedback', 'sunk')}"
        )
    cells = {mark: [c for c in range(rules.cells) if marks[c] == mark] for mark in range(4)}
    answers = [Answer(cell, MISS) for cell in cells[MISSED]]
    known = rules.reveals.ships
    for ship, slot in _sunk_ships(cells[SUNKEN], told, rules):
        *others, last = slot_cells(slot, rules.fleet[ship], rules.cols)
        answers += [Answer(cell, HIT, ship if known else NOTHING) for cell in others]
        alike = not known and rules.fleet.count(rules.fleet[ship]) > 1
        answers.append(Answer(last, SUNK, ship, slot, alike))
    return answers + [Answer(cell, HIT) for cell in cells[STRUCK]]


def _sunk_ships(cells: list[int], told: list[int] | None, rules: Rules) -> list[tuple[int, int]]:
    """Return ship and slot code of each ship that sunk cells are."""
    ways = _ways(dict.fromkeys(cells, ""), rules)
    if told is not None:
        ways = (way for way in ways if sorted(told) == sorted(map(len, way)))
    first, second = next(ways, None), next(ways, None)
    if first is None:
        raise BsbenchError(
            f"the cells {_names(cells, rules)} can't be ships that have sunk: no ships of the "
            f"fleet {rules.fleet_text} fill them"
        )
    if second is not None:
        raise BsbenchError(
            f"it is not clear which ships the sunk cells {_names(cells, rules)} are: give answers "
            "such as E4=sunk:3@E2-E4 in place of the board"
        )
    free = list(range(len(rules.fleet)))
    found = []
    for ship_cells in first:
        ship = next(ship for ship in free if rules.fleet[ship] == len(ship_cells))
        free.remove(ship)
        found.append((ship, slot_code(ship_cells)))
    return found


def _ways(cells: Mapping[int, str], rules: Rules) -> Iterator[list[range]]:
    """Yield the ways to divide cells into ships of the fleet; those of a ship look the same.

    There may be more of them than are found: the search ends after so many tries.
    """
    tries = [0]

    def ways(left: frozenset[int], lengths: tuple[int, ...]) -> Iterator[list[range]]:
        if not left:
            yield []
            return
        first = min(left)
        tries[0] += 1
        for length in sorted(set(lengths)) if tries[0] <= _MOST_TRIES else ():
            for ship in rules.slots(length):
                if ship[0] != first or not left.issuperset(ship):
                    continue
                rest = left - set(ship)
                same = all(cells[cell] == cells[first] for cell in ship)
                if same and all(rest.isdisjoint(rules.closed_around(cell)) for cell in ship):
                    others = list(lengths)
                    others.remove(length)
                    for way in ways(rest, tuple(others)):
                        yield [ship, *way]

    yield from ways(frozenset(cells), rules.fleet)


def _names(cells: Iterable[int], rules: Rules) -> str:
    return " ".join(cell_name(cell, rules.cols) for cell in cells)


def layouts_in(text: str, rules: Rules) -> Iterator[tuple[int, str, list[int]]]:
    """Yield what a file of layouts holds: line, the brackets that begin a person, slot codes.

    Either the brackets are empty, or the codes.

    Raises
    ------
    BsbenchError
        If a line is no layout under the rules, or begins no board.
    """
    lines = _lines_of(text)
    for number, line in lines:
        words = line.partition("#")[0].split()
        if words and words[0].startswith("["):
            yield number, " ".join(words), []
            continue
        try:
            if _SHIPS.match(line):
                yield number, "", _line_layout(line, words, rules)
            elif _is_head(line, rules):
                continue
            elif (row := _row_of(line, 0, rules.cols, None)) is not None:
                yield number, "", _drawn(number, row, lines, rules)
            elif words:
                yield number, "", _line_layout(line, words, rules)
        except BsbenchError as error:
            where = "" if str(error).startswith("line ") else f"line {number}: "
            raise BsbenchError(f"{where}{error}") from None


_SHIPS = re.compile(rf"\s*(?:\d+\s+\d+\s+\d+\s+[A-Z]\b|\d+[a-z]?:|[^#\n]*{_LAYOUT})", re.I)
"""How a line begins that has ships, not the row of a board."""


def _is_head(line: str, rules: Rules) -> bool:
    """Return whether a line has the names of the columns: numbers, or letters that are no ships."""
    words, cols = _words(line), rules.cols
    if words[:cols] in [[str(col + base) for col in range(cols)] for base in (0, 1)]:
        return True
    letters = {word for word in words if len(word) == 1 and word.isalpha()} - _MARK_OF.keys()
    ships = len(rules.fleet) >= cols and not rules.apart.sides
    return len(words) == cols > 1 and len({*words}) == cols and len(letters) > 1 and not ships


def _words(line: str) -> list[str]:
    return line.replace("|", " ").split()


def _line_layout(line: str, words: list[str], rules: Rules) -> list[int]:
    if "|" in line:
        bare = _without_comment(line)
        position = Position.parse(bare, Scenario(rules=rules))
        if position.layout is not None and position.rules.layout_rules == rules.layout_rules:
            return [*position.layout]
        raise BsbenchError(f"the layout is for other rules: {rules_words(position.scenario)}")
    return laid(read_ships(words, rules), rules)


def _drawn(number: int, first: Symbols, lines: Lines, rules: Rules) -> list[int]:
    """Return the layout of a board whose first row is known; the others are the lines behind it."""
    drawn: list[tuple[int, int, str]] = []
    for row in range(rules.rows):
        at, line = next(lines, (number + row, "")) if row else (number, "")
        found = _row_of(line, row, rules.cols, None) if row else first
        if found is None:
            raise BsbenchError(
                f"line {at}: the board that begins in line {number} has {rules.rows} rows of "
                f"{rules.cols} cells, and this line has {len(_symbols_of(line))}"
            )
        drawn += [(at, *each) for each in found]
    cells = {cell: symbol for cell, (*_, symbol) in enumerate(drawn) if symbol not in _WATER}
    strange = [cell for cell, symbol in cells.items() if not symbol.isalnum()]
    if strange and len({*cells.values()}) > 1:
        at, place, symbol = drawn[strange[0]]
        raise BsbenchError(
            f"line {at}, character {place}: {symbol!r} is no letter or digit of a ship"
        )
    if len(cells) != rules.ship_cells:
        raise BsbenchError(
            f"{len(cells)} cells of the board have a ship (0 . - ~ are water), and the fleet "
            f"{rules.fleet_text} has {rules.ship_cells}"
        )
    ways = _ways(cells, rules)
    way, another = next(ways, None), next(ways, None)
    if way is None:
        raise BsbenchError(
            f"the ships on the board are not the fleet {rules.fleet_text}, or touch where the "
            "rules forbid it"
        )
    if another is not None:
        raise BsbenchError(
            "it is not clear which cells are one ship: draw each ship with a letter of its own"
        )
    # Of equal ships, the first is the one whose letter comes first.
    return laid(((cells[ship[0]], ship) for ship in way), rules)
