"""Positions as people write them: answers to shots, or a board."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bsbench.common.errors import BsbenchError, option
from bsbench.counting.evidence import Answer, AnyAnswer, JointAnswer
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import (
    HIDDEN,
    MISSED,
    OPEN,
    PLAIN,
    STRUCK,
    SUNKEN,
    SYMBOLS,
    UNCLEAR,
    cell_name,
    read_cell,
    row_name,
)
from bsbench.rules.slots import slot_cells, slot_code

_ANSWER = re.compile(r"([^=:@]+)=(miss|hit|sunk)(?::([0-9]+[a-z]*))?(?:@([^-]+)-([^-]+))?", re.I)

_MARK_OF = {
    symbol: mark
    for mark, shown in zip((OPEN, MISSED, STRUCK, SUNKEN), SYMBOLS, strict=False)
    for symbol in (shown, PLAIN[shown])
}

_HIDDEN = {HIDDEN, PLAIN[HIDDEN]}

_MOST_TRIES = 100_000
"""Ways to divide sunk cells among ships that are tried."""


def ship_name(fleet: Sequence[int], ship: int) -> str:
    """Return what a ship is called: its length, with a letter where several have it.

    Examples
    --------
    >>> [ship_name((5, 4, 3, 3, 2), ship) for ship in range(5)]
    ['5', '4', '3a', '3b', '2']
    """
    length = fleet[ship]
    if fleet.count(length) == 1:
        return str(length)
    return f"{length}{row_name(fleet[:ship].count(length)).lower()}"


def answer_text(answer: AnyAnswer, rules: Rules) -> str:
    """Return an answer as it is written: ``C7=miss``, ``E4=sunk:3@E2-E4``, ``A1+C3=4:2``."""
    if isinstance(answer, JointAnswer):
        hits = [f"{ship_name(rules.fleet, s)}:{n}" for s, n in enumerate(answer.hits) if n]
        names = "+".join(cell_name(cell, rules.cols) for cell in answer.cells)
        return f"{names}={'+'.join(hits) or '0'}"
    cell = cell_name(answer.cell, rules.cols)
    if answer.outcome == MISS:
        return f"{cell}=miss"
    text = f"{cell}={'sunk' if answer.outcome == SUNK else 'hit'}"
    told = rules.feedback.reveals
    if answer.ship != NOTHING and not told.cells and told.lengths:
        return f"{text}:{rules.fleet[answer.ship]}"
    if answer.ship != NOTHING and told.cells:
        text += f":{ship_name(rules.fleet, answer.ship)}"
    if answer.slot != NOTHING and told.cells:
        cells = slot_cells(answer.slot, rules.fleet[answer.ship], rules.cols)
        text += f"@{cell_name(cells[0], rules.cols)}-{cell_name(cells[-1], rules.cols)}"
    return text


def read_position(text: str, rules: Rules) -> list[AnyAnswer]:
    """Return the answers that a text holds: as `read_answers` takes them, or as a board."""
    if "=" in text:
        return read_answers(re.split(r"[\s,;]+", text.strip(" \t\r\n,;")), rules)
    if rules.joint:
        raise BsbenchError(
            "a board does not say which shots were of one turn: give answers such as A1+C3+E5=4:2"
        )
    return [*read_board(text, rules)]


def read_answers(
    texts: Iterable[str], rules: Rules, before: Iterable[AnyAnswer] = ()
) -> list[AnyAnswer]:
    """Return the answers to some shots, in order.

    Parameters
    ----------
    texts : iterable of str
        Each ``CELL=miss``, ``CELL=hit``, ``CELL=hit:SHIP``, ``CELL=sunk:SHIP`` or
        ``CELL=sunk:SHIP@CELL-CELL``, from one end of the ship to the other. Ships are called as by
        `ship_name`; where the feedback does not say which of several equal ships it is, by the
        length alone. Joint answers: ``CELL+CELL+CELL=SHIP:HITS+SHIP:HITS``, or ``=0`` for no hit.
    rules : Rules
    before : iterable of Answer
        Those before: ships that have sunk don't sink again.

    Raises
    ------
    BsbenchError
        If one is unreadable, or no answer under this feedback.
    """
    answers: list[AnyAnswer] = []
    if rules.joint:
        return [_read_turn(text, rules) for text in texts]
    sunk = {each.ship for each in before if isinstance(each, Answer) and each.outcome == SUNK}
    for text in texts:
        answer = _read_answer(text, rules, sunk)
        answers.append(answer)
        if answer.outcome == SUNK:
            sunk.add(answer.ship)
    return answers


_TURN = re.compile(r"([^=:]+)=(?:(0)|([0-9]+[a-z]*:[0-9]+(?:\+[0-9]+[a-z]*:[0-9]+)*))", re.I)


def _read_turn(text: str, rules: Rules) -> JointAnswer:
    match = _TURN.fullmatch(text)
    if match is None:
        raise BsbenchError(
            f"unreadable answer {text!r}: with joint answers, write the cells of a turn and its "
            "hits on each ship, such as A1+C3+E5=4:2+2:1, or A1+C3+E5=0 for none"
        )
    cells = tuple(read_cell(name, rules.rows, rules.cols) for name in match[1].split("+"))
    hits = [0] * len(rules.fleet)
    for part in match[3].split("+") if match[3] else ():
        name, number = part.split(":")
        ship = _named_ship(name.lower(), text, rules, set())
        if hits[ship]:
            raise BsbenchError(f"{text} counts the hits on the ship {name} twice")
        hits[ship] = int(number[:6])
    if sum(hits) > len(cells):
        raise BsbenchError(f"{text} has more hits than shots")
    return JointAnswer(cells, tuple(hits))


def _read_answer(text: str, rules: Rules, sunk: set[int]) -> Answer:
    match = _ANSWER.fullmatch(text)
    if match is None:
        raise BsbenchError(
            f"unreadable answer {text!r}: write B7=miss, B7=hit, or for the ship of 3 that sank "
            "B7=sunk:3 (under feedback ship, also B7=hit:3), one answer for each shot"
        )
    cell = read_cell(match[1], rules.rows, rules.cols)
    outcome = {"miss": MISS, "hit": HIT, "sunk": SUNK}[match[2].lower()]
    named, ends = match[3], match[4]
    ship, slot = NOTHING, NOTHING
    if ends and outcome != SUNK:
        raise BsbenchError(f"{text} says where a ship lies that has not sunk: leave out @…")
    if outcome == SUNK and named is None and rules.feedback.reveals.lengths:
        raise BsbenchError(f"{text} does not say which ship has sunk: write such as {text}:3")
    if ends and not rules.reveals.cells:
        raise BsbenchError(
            f"under feedback {rules.feedback}, nobody says where a ship lies that has sunk: write "
            f"{text.partition('@')[0]}, or choose {option('feedback', 'sunk')}"
        )
    if outcome == HIT and named is None and rules.reveals.ships:
        raise BsbenchError(
            f"under feedback ship, every hit says which ship it is: write such as {text}:3, or "
            f"choose {option('feedback', 'sunk')}"
        )
    if named is not None:
        if outcome == MISS:
            raise BsbenchError(f"{text} is not an answer: a miss hits no ship")
        if outcome == HIT and not rules.reveals.ships:
            raise BsbenchError(
                f"under feedback {rules.feedback}, a hit does not say which ship it is: write "
                f"{text.partition(':')[0]}, or choose {option('feedback', 'ship')}"
            )
        if outcome == SUNK and not rules.reveals.lengths:
            raise BsbenchError(
                f"under feedback {rules.feedback}, nobody says which ship has sunk: write "
                f"{text.partition(':')[0]}, or choose {option('feedback', 'length')}"
            )
        ship = _named_ship(named.lower(), text, rules, sunk)
    if ends:
        slot = _slot_between(match[4], match[5], rules.fleet[ship], text, rules)
    return Answer(cell, outcome, ship, slot)


def _named_ship(name: str, text: str, rules: Rules, sunk: set[int]) -> int:
    """Return the ship of a name."""
    names = [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))]
    if name in names:
        return names.index(name)
    same = [ship for ship, length in enumerate(rules.fleet) if name == str(length)]
    if not same:
        raise BsbenchError(f"{text} names no ship of the fleet: it has {', '.join(names)}")
    if rules.reveals.ships:
        shown = " or ".join(names[ship] for ship in same[:20])
        raise BsbenchError(f"{text} does not say which ship of {name} it is: write {shown}")
    # It does not matter which of them has sunk first.
    return next((ship for ship in same if ship not in sunk), same[-1])


def _slot_between(first: str, last: str, length: int, text: str, rules: Rules) -> int:
    """Return the slot code of the ship of a length from one cell to another."""
    ends = sorted(read_cell(name, rules.rows, rules.cols) for name in (first, last))
    for start, step in rules.slots(length):
        cells = range(start, start + step * length, step)
        if [cells[0], cells[-1]] == ends:
            return slot_code(cells)
    raise BsbenchError(f"{text}: no ship of {length} lies from {first} to {last}")


def read_board(text: str, rules: Rules) -> list[Answer]:
    """Return answers that lead to a board, drawn as boards are printed, or with ``.ox#``.

    The order of the shots is not on the board: misses come first, then the ships that have sunk,
    then the other hits. Names of rows and columns may be left out; what stands right of the board
    and below it is ignored, except which ships have sunk.

    Raises
    ------
    BsbenchError
        If it is no board of this size, says less than the feedback does, or if it is not
        clear which ships the sunk cells are.
    """
    marks: list[int] = []
    told: list[int] | None = None
    for line in text.splitlines():
        row = len(marks) // rules.cols
        found = _read_row(line, row, rules) if row < rules.rows else None
        if found is not None:
            marks += found
        elif marks and (below := re.search(r"(?:^|; )sunk ([0-9 ]+)", line)):
            told = [int(length) for length in below[1].split()]
    if len(marks) != rules.cells:
        raise BsbenchError(
            f"no board of {rules.board} in the text, but {len(marks) // rules.cols} rows: draw "
            f"each row with {rules.cols} of the symbols {' '.join(SYMBOLS[:UNCLEAR])} or "
            f"{' '.join(PLAIN[symbol] for symbol in SYMBOLS[:UNCLEAR])} (not shot, miss, hit, sunk)"
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
        answers.append(Answer(last, SUNK, ship, slot))
    return answers + [Answer(cell, HIT) for cell in cells[STRUCK]]


def _read_row(line: str, row: int, rules: Rules) -> list[int] | None:
    """Return the marks of a row of the board, or None if the line is none."""
    words = re.sub(r"[][]", " ", line).split()
    for symbols in (words[1:] if words[:1] == [row_name(row)] else words, words):
        shown = "".join(symbols)[: rules.cols]
        if len(shown) == rules.cols and all(symbol in {*_MARK_OF, *_HIDDEN} for symbol in shown):
            if not _HIDDEN.isdisjoint(shown):
                raise BsbenchError("the board shows ships that were not found: leave them out")
            return [_MARK_OF[symbol] for symbol in shown]
    return None


def _sunk_ships(cells: list[int], told: list[int] | None, rules: Rules) -> list[tuple[int, int]]:
    """Return ship and slot code of each ship that sunk cells are."""
    ways = []
    for tries, way in enumerate(_divided(frozenset(cells), tuple(rules.fleet), rules)):
        if way is not None and (told is None or sorted(told) == sorted(len(s) for s in way)):
            ways.append(way)
        if len(ways) > 1 or tries >= _MOST_TRIES:
            break
    if not ways:
        raise BsbenchError(
            f"the cells {_names(cells, rules)} can't be ships that have sunk: no ships of the "
            f"fleet {rules.fleet_text} fill them"
        )
    if len(ways) > 1:
        raise BsbenchError(
            f"it is not clear which ships the sunk cells {_names(cells, rules)} are: give answers "
            "such as E4=sunk:3@E2-E4 in place of the board"
        )
    free = list(range(len(rules.fleet)))
    found = []
    for ship_cells in ways[0]:
        ship = next(ship for ship in free if rules.fleet[ship] == len(ship_cells))
        free.remove(ship)
        found.append((ship, slot_code(ship_cells)))
    return found


def _divided(
    cells: frozenset[int], lengths: tuple[int, ...], rules: Rules
) -> Iterator[list[range] | None]:
    """Yield the ways to divide cells into ships of some lengths; None for each dead end."""
    if not cells:
        yield []
        return
    first = min(cells)
    dead = True
    for length in sorted(set(lengths)):
        for step in {1, rules.cols}:
            ship = range(first, first + step * length, step)
            if (first, step) not in rules.slots(length) or not cells.issuperset(ship):
                continue
            rest = cells - set(ship)
            if any(not rest.isdisjoint(rules.closed_around(cell)) for cell in ship):
                continue
            left = list(lengths)
            left.remove(length)
            dead = False
            for way in _divided(rest, tuple(left), rules):
                yield None if way is None else [ship, *way]
    if dead:
        yield None


def _names(cells: list[int], rules: Rules) -> str:
    return " ".join(cell_name(cell, rules.cols) for cell in cells)
