"""Battleship as a game that users' strategies play."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from bsbench.own.contract import GameKind
from bsbench.own.describing import KERNELS, KINDS, METHODS, Description, describe
from bsbench.rules.board import NOTHING, Rules
from bsbench.strategies.view import View

if TYPE_CHECKING:
    from bsbench.own.choosing import Cells, Chooser


class Battleship(GameKind):
    """Shots on one board; `bsbench.own.choosing.Chooser` chooses them in many games."""

    name = "battleship"
    role = "strategy"
    roles = "strategies"
    methods = METHODS
    wanted = "a method shoot(self, view), or, as an agent has, select_action(self, observation)"
    description = Description

    def describe(self, player: type, called: str) -> Description:
        """Return what a user's class says of itself: see `bsbench.own.describing.describe`."""
        return describe(player, called)

    def read_rules(self, content: dict[str, Any]) -> Rules:
        """Return the rules by their fields."""
        return Rules(**content)

    def chooser(self, kind: str) -> type[Chooser] | None:
        """Return what plays a kind of class; None for `KERNELS`. Imports nothing else."""
        if kind == KERNELS:
            return None
        module, _, name = KINDS[kind].rpartition(".")
        found: type[Chooser] = getattr(importlib.import_module(module), name)
        return found

    def policy(self, place: str, called: str) -> type:
        """Return the policy in a file: see `bsbench.own.policies`, which imports much."""
        found: type = importlib.import_module("bsbench.own.policies").policy_class(place, called)
        return found

    def view(self, rules: Rules, lanes: int) -> View:
        """Return a view of no games yet."""
        return View(rules, lanes)

    def arrays(self, rules: Rules) -> tuple[str, ...]:
        """Return the names of the arrays of a view."""
        turns = ("allowed", "turns", "hits") if rules.salvos else ()
        return "shots", "cells", "ships", "slots", "outcomes", "live", "asked", *turns

    def moves(self, rules: Rules, lanes: int) -> Cells:
        """Return room for a shot in each lane, or for a turn: see `Strategy.salvo`."""
        if rules.salvos:
            return np.full((lanes, rules.most_shots), NOTHING, np.int64)
        return super().moves(rules, lanes)


GAME = Battleship()
