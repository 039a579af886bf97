"""The referee: games of one shooter, shot by shot."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from tests.support.naive.counting import answers
from tests.support.naive.layouts import encode
from tests.support.naive.strategies import twin


class Reply(NamedTuple):
    """What a shooter is told about its shot, as far as the feedback goes."""

    hit: bool
    ship: int | None = None
    """Index in the fleet of the ship hit (feedback `ship`) or sunk, if that is told."""
    sunk: bool = False
    cells: tuple[int, ...] = ()
    """All cells of the ship sunk, if they are told."""


def answer(rules, ships, shots: list[int]) -> Reply:
    """Return what is told about the last of some shots."""
    if not any(shots[-1] in ship for ship in ships):
        return Reply(False)
    _, outcome, ship, slot = answers(rules, ships, shots)[-1]
    cells = () if slot < 0 else next(each for each in ships if encode(rules, [each]) == [slot])
    return Reply(True, None if ship < 0 else ship, outcome == 2, tuple(cells))


def play(strategy, rules, ships, seed: int, game: int, **parameters) -> list[int]:
    """Return the shots of one game, from the first to the one that hits the last ship cell."""
    left = set().union(*ships)
    shooter = strategy(rules, seed, game, **parameters)
    shots = [next(shooter)]
    while True:
        left.discard(shots[-1])
        reply = answer(rules, ships, shots)
        if not left:
            break
        shots.append(shooter.send(reply))
    # The last reply is for those who learn; what they would shoot next is not asked.
    with suppress(StopIteration):
        shooter.send(reply)
    return shots


def play_learner(rules, layouts, seed: int, first_game: int, **parameters) -> list[list[int]]:
    """Return the shots of each of one learner's games: its first ones, one after the other."""
    games_per_learner = parameters.get("games_per_learner", 1000)
    assert first_game % games_per_learner == 0
    assert len(layouts) <= games_per_learner
    learner, memory = twin("over9000-adaptive"), {}
    return [
        play(learner, rules, ships, seed, first_game + index, memory=memory, **parameters)
        for index, ships in enumerate(layouts)
    ]
