"""Connect 4 as a game whose players meet in matches and leagues."""

from __future__ import annotations

from typing import Any

from bsbench.connect4.formats import Connect4League, Connect4Match
from bsbench.connect4.openings import openings
from bsbench.connect4.players import Player, all_players, as_player
from bsbench.connect4.position import CELLS, MOST_PLIES, PLIES, Position
from bsbench.connect4.table import ColumnTable
from bsbench.matches.contest import Contest


class ConnectFour(Contest):
    """Columns, played in turn from random openings."""

    name = "connect4"
    match_form, league_form = Connect4Match, Connect4League
    length = "stones"
    longest = CELLS
    opening_plies = PLIES
    most_plies = MOST_PLIES

    def as_player(self, given: Any) -> Player:
        """Return a player: see `bsbench.connect4.players.as_player`."""
        return as_player(given)

    def all_players(self) -> list[Player]:
        """Return the players of a league of all, with all settings in `Player.in_leagues`."""
        return all_players()

    def opening(self, seed: int, pair: int, plies: int) -> Position:
        """Return the position from which a pair of games begins, by its number from 0 on."""
        return openings(seed, pair, 1, plies)[0]

    def deal(self, seed: int, first: int, pairs: int, plies: int, followed: bool) -> ColumnTable:
        """Begin pairs of games."""
        return ColumnTable(seed, first, pairs, plies, followed)


CONTEST = ConnectFour()

play_match, play_league = CONTEST.play_match, CONTEST.play_league
