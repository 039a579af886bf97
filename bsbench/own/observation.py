"""What an agent is shown: the boards of one game or of many, in several formats.

An *agent* chooses actions from observations, as in Gymnasium and in the project "gym-battleship";
a *strategy* chooses cells from a view. Both see the same: the rules, and what the shots so far
revealed. An action is a cell.

The formats, by the name that ``obs=`` takes. All are dictionaries of arrays but ``flat``:

``sunk`` (the default)
    ``attack_board`` (rows, cols) int8: 0 open, 1 miss, 2 hit, 3 of a ship known to have sunk;
    ``remaining_ships`` (ships,) int32: the length of each ship of the fleet, in its own place,
    and 0 when it is known to have sunk; ``move_count`` (1,) int32: shots fired.
``seed``
    Exactly as in "gym-battleship": ``attack_board`` (rows, cols) int32 without 3 (a sunk
    ship stays 2); ``remaining_ships`` (5,) int32, the longest first, those afloat moved up to
    the front (one slot for each ship, where the fleet has more than 5); ``move_count``.
``planes``
    ``planes`` (4, rows, cols) int8, 1 where a cell is open, a miss, a hit not known to be of a
    sunk ship, of a sunk ship; ``remaining_ships`` and ``move_count`` as in ``sunk``.
``flat``
    One vector of int8 in place of a dictionary, for networks without convolutions: the planes
    of misses, hits and sunk ships, row by row, then 1 for each ship that is afloat.

With ``mask=True`` there is ``action_mask`` (cells,) int8, too: 1 where a cell is open, so that
shooting there is allowed. ``flat`` then is a dictionary of ``observation`` and ``action_mask``.

Feedback ``hit`` never reveals what has sunk: there, no cell is ever 3, and all ships remain.

Joint answers do not tell which shots of a turn hit. So they have a format of their own, which is
then the default:

``turns``
    ``turn`` (rows, cols) int32: the number of the turn, from 1 on, in which a cell was shot, or 0;
    ``hits`` (cells, ships) int32: in row t - 1, how many shots of turn t hit each ship;
    ``remaining_ships`` and ``move_count`` as in ``sunk``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice
from bsbench.common.texts import shortened
from bsbench.kernels.known import Known, KnownTurns
from bsbench.rules.board import Rules
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN

Observation = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]
"""What an agent is shown: an array, or several by name."""


@dataclass(frozen=True)
class Field:
    """One array of an observation.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
    low, high : int or ndarray
        Bounds of its values, both included.
    """

    shape: tuple[int, ...]
    dtype: type[np.signedinteger[Any]]
    low: int
    high: int | npt.NDArray[Any]


_Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class _Format:
    """The fields of an observation, what makes their arrays, as copies or not, and what reads them.

    What is read is the board and the length of each ship, 0 where it is known to have sunk.
    """

    fields: Callable[[Rules], dict[str, Field]]
    show: Callable[[Known, bool], _Arrays]
    read: Callable[[_Arrays, Rules], tuple[npt.NDArray[Any], npt.NDArray[Any]]]


_SLOTS = 5
"""Ships that an observation of "gym-battleship" has room for."""


def _counts(rules: Rules) -> dict[str, Field]:
    """Return the fields that all formats with a board have beside it."""
    fleet = np.array(rules.fleet, np.int32)
    return {
        "remaining_ships": Field(fleet.shape, np.int32, 0, fleet),
        "move_count": Field((1,), np.int32, 0, rules.most_moves),
    }


def _sunk_fields(rules: Rules) -> dict[str, Field]:
    board = Field((rules.rows, rules.cols), np.int8, OPEN, SUNKEN)
    return {"attack_board": board, **_counts(rules)}


def _show_sunk(known: Known, copy: bool) -> _Arrays:
    board, remaining, shots, _ = known
    if copy:
        board, remaining, shots = board.copy(), remaining.copy(), shots.copy()
    return {"attack_board": board, "remaining_ships": remaining, "move_count": shots}


def _read_sunk(shown: _Arrays, rules: Rules) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return shown["attack_board"], shown["remaining_ships"]


def _seed_fields(rules: Rules) -> dict[str, Field]:
    slots, longest = max(_SLOTS, len(rules.fleet)), max(_SLOTS, *rules.fleet)
    board = Field((rules.rows, rules.cols), np.int32, OPEN, STRUCK)
    remaining = Field((slots,), np.int32, 0, longest)
    return {"attack_board": board, **_counts(rules), "remaining_ships": remaining}


def _show_seed(known: Known, copy: bool) -> _Arrays:
    *games, ships = known.remaining.shape
    remaining = np.zeros((*games, max(_SLOTS, ships)), np.int32)
    remaining[..., :ships] = -np.sort(-known.remaining, axis=-1)
    return {
        "attack_board": np.minimum(known.board, STRUCK).astype(np.int32),
        "remaining_ships": remaining,
        "move_count": known.shots.copy() if copy else known.shots,
    }


def _read_seed(shown: _Arrays, rules: Rules) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    if rules.reveals.sinkings:
        raise BsbenchError(
            "observations in the format seed don't show which cells are of sunk ships: use the "
            "format sunk"
        )
    games = shown["attack_board"].shape[:-2]
    return shown["attack_board"], np.broadcast_to(rules.fleet, (*games, len(rules.fleet)))


def _planes_fields(rules: Rules) -> dict[str, Field]:
    return {"planes": Field((4, rules.rows, rules.cols), np.int8, 0, 1), **_counts(rules)}


_MARKS = np.arange(4, dtype=np.int8)[:, None, None]


def _show_planes(known: Known, copy: bool) -> _Arrays:
    planes = known.board[..., None, :, :] == _MARKS
    remaining, shots = known.remaining, known.shots
    if copy:
        remaining, shots = remaining.copy(), shots.copy()
    return {"planes": planes.view(np.int8), "remaining_ships": remaining, "move_count": shots}


def _read_planes(shown: _Arrays, rules: Rules) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return shown["planes"].argmax(axis=-3), shown["remaining_ships"]


def _flat_fields(rules: Rules) -> dict[str, Field]:
    return {"observation": Field((3 * rules.cells + len(rules.fleet),), np.int8, 0, 1)}


def _show_flat(known: Known, copy: bool) -> _Arrays:
    *games, cells = known.open.shape
    ships = known.remaining.shape[-1]
    flat = np.empty((*games, 3 * cells + ships), np.bool_)
    board = known.board.reshape(known.open.shape)
    for place, mark in enumerate((MISSED, STRUCK, SUNKEN)):
        np.equal(board, mark, out=flat[..., place * cells : (place + 1) * cells])
    np.not_equal(known.remaining, 0, out=flat[..., 3 * cells :])
    return {"observation": flat.view(np.int8)}


def _read_flat(shown: _Arrays, rules: Rules) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    flat = shown["observation"]
    games, planes = flat.shape[:-1], flat[..., : 3 * rules.cells]
    marks = np.array((MISSED, STRUCK, SUNKEN), np.int8)
    board = np.moveaxis(planes.reshape(*games, 3, rules.cells), -2, -1) @ marks
    afloat = flat[..., 3 * rules.cells :]
    return board.reshape(*games, rules.rows, rules.cols), afloat * np.array(rules.fleet, np.int32)


def _turns_fields(rules: Rules) -> dict[str, Field]:
    return {
        "turn": Field((rules.rows, rules.cols), np.int32, 0, rules.cells),
        "hits": Field((rules.cells, len(rules.fleet)), np.int32, 0, rules.most_shots),
        **_counts(rules),
    }


def _show_turns(known: KnownTurns, copy: bool) -> _Arrays:
    shown = dict(zip(_TURNS_NAMES, known[:4], strict=True))
    return {name: array.copy() for name, array in shown.items()} if copy else shown


_FORMATS: Mapping[str, _Format] = {
    "sunk": _Format(_sunk_fields, _show_sunk, _read_sunk),
    "seed": _Format(_seed_fields, _show_seed, _read_seed),
    "planes": _Format(_planes_fields, _show_planes, _read_planes),
    "flat": _Format(_flat_fields, _show_flat, _read_flat),
}

FORMATS = tuple(_FORMATS)
"""Names of the formats."""

DEFAULT = "sunk"

JOINT = "turns"
"""The format for joint answers."""

_TURNS_NAMES = "turn", "hits", "remaining_ships", "move_count"


def _format(obs: str | None, rules: Rules) -> str:
    """Return the name of a format that shows what these rules reveal.

    Raises
    ------
    BsbenchError
        If there is none of that name, or it does not.
    """
    if obs is None:
        return JOINT if rules.joint else DEFAULT
    check_choice("observation format", obs, (*FORMATS, JOINT))
    if rules.joint and obs != JOINT:
        raise BsbenchError(
            f"observations in the format {obs} show what each shot did, which joint answers do "
            f"not tell: use the format {JOINT}"
        )
    if obs == JOINT and not rules.joint:
        raise BsbenchError(
            f"the format {JOINT} shows joint answers, and here each shot has its own: use the "
            f"format {DEFAULT}"
        )
    return obs


class Observing:
    """A format of observations, under some rules.

    Parameters
    ----------
    rules : Rules
    obs : str, optional
        One of `FORMATS`, by default `DEFAULT`; with joint answers `JOINT`.
    mask : bool
        Whether observations have an ``action_mask``.

    Attributes
    ----------
    fields : dict of str to Field
        The arrays of an observation, in their order.
    bare : bool
        Whether an observation is the only one of these arrays, and no dictionary.

    Raises
    ------
    BsbenchError
        If there is no such format, or it does not show what the rules reveal.
    """

    def __init__(self, rules: Rules, obs: str | None = None, mask: bool = False) -> None:
        obs = _format(obs, rules)
        if not isinstance(mask, (bool, np.bool_)):
            raise BsbenchError(f"mask wants true or false, not {shortened(mask)}")
        self.rules = rules
        joint = obs == JOINT
        self.fields = _turns_fields(rules) if joint else _FORMATS[obs].fields(rules)
        self._show: Callable[[Any, bool], _Arrays] = _show_turns if joint else _FORMATS[obs].show
        self.mask = bool(mask)
        if mask:
            self.fields["action_mask"] = Field((rules.cells,), np.int8, 0, 1)
        self.bare = tuple(self.fields) == ("observation",)
        self.obs = obs

    def show(self, known: Known | KnownTurns, copy: bool = True) -> Observation:
        """Return what is known as an observation.

        Parameters
        ----------
        known : Known or KnownTurns
            The latter with joint answers.
        copy : bool
            Whether no array may be one of ``known``, which its owner continues to write to.
        """
        shown = self._show(known, copy)
        if self.mask:
            shown["action_mask"] = known.open.copy() if copy else known.open
        return shown["observation"] if self.bare else shown

    def read(self, observation: Observation) -> Known:
        """Return what an observation shows: the inverse of `show`, unless answers are joint.

        Raises
        ------
        BsbenchError
            If the observation is not in this format, or the format hides part of what is known.
        """
        board, remaining = _FORMATS[self.obs].read(self._checked(observation), self.rules)
        cells = board.reshape(*board.shape[:-2], self.rules.cells)
        is_open = (cells == OPEN).astype(np.int8)
        shots = self.rules.cells - is_open.sum(axis=-1, keepdims=True, dtype=np.int32)
        return Known(board.astype(np.int8), remaining.astype(np.int32), shots, is_open)

    def read_turns(self, observation: Observation) -> KnownTurns:
        """Return what an observation shows: the inverse of `show` with joint answers.

        Raises
        ------
        BsbenchError
            If the observation is not in this format.
        """
        shown = self._checked(observation)
        turn = shown["turn"]
        is_open = (turn == 0).astype(np.int8).reshape(*turn.shape[:-2], self.rules.cells)
        turn, hits, remaining, shots = (shown[name] for name in _TURNS_NAMES)
        return KnownTurns(turn, hits, remaining, shots, is_open)

    def _checked(self, observation: Observation) -> _Arrays:
        """Return the arrays of an observation in this format, refuse any other."""
        shown: Any = {"observation": observation} if self.bare else observation
        fits = isinstance(shown, Mapping) and all(
            isinstance(shown.get(name), np.ndarray)
            and shown[name].shape[shown[name].ndim - len(field.shape) :] == field.shape
            for name, field in self.fields.items()
        )
        if not fits:
            raise BsbenchError(
                f"this is not an observation in the format {self.obs} of the {self.rules.board} "
                f"board: {_shapes(observation)}"
            )
        return dict(shown)


def _shapes(observation: Any) -> str:
    """Return in words what something that was meant as an observation has."""
    if isinstance(observation, Mapping):
        has = [
            f"{name} of shape {getattr(each, 'shape', ())}" for name, each in observation.items()
        ]
        return f"it has {', '.join(has) or 'nothing'}"
    shape = f" of shape {observation.shape}" if isinstance(observation, np.ndarray) else ""
    return f"it is {shortened(observation)}{shape}"


Shape = tuple[int | None, ...]
"""Of an array for one game; None stands for any length."""


LOGITS, SCORES = "logits", "scores"
"""Names of what a network makes. The first are logarithms of probabilities, but for a constant."""


class Network(NamedTuple):
    """The arrays that a network takes and makes, for one game.

    Attributes
    ----------
    obs : str
        The format of observations.
    inputs : dict of str to sequence of int or None
        Shapes by name: arrays of that format, or its ``action_mask``.
    scores : sequence of int or None
        The shape of the scores.
    """

    obs: str
    inputs: dict[str, Shape]
    scores: Shape

    @classmethod
    def from_plain(cls, content: Any) -> Self:
        """Return a network by what another process says.

        Raises
        ------
        ValueError, TypeError, AttributeError
            If that describes none.
        """
        obs, inputs, scores = content
        shapes = {name: tuple(shape) for name, shape in inputs.items()}
        lengths = [length for shape in (*shapes.values(), scores) for length in shape]
        if not shapes.keys() <= field_names(obs) or any(
            n is not None and type(n) is not int for n in lengths
        ):
            raise ValueError("no network")
        return cls(obs, shapes, tuple(scores))

    @property
    def text(self) -> str:
        """The arrays in words."""
        shapes = {**self.inputs, "scores": self.scores}
        named = (f"{name} {'x'.join(str(n or '?') for n in each)}" for name, each in shapes.items())
        return ", ".join(named)

    def fits(self, rules: Rules) -> bool:
        """Return whether these are arrays of a board and a fleet."""
        fields = Observing(rules, self.obs, mask=True).fields
        pairs = [(shape, fields[name].shape) for name, shape in self.inputs.items()]
        return all(_fits(*pair) for pair in (*pairs, (self.scores, (rules.cells,))))


def field_names(obs: str) -> set[str]:
    """Return the names of all arrays of a format, ``action_mask`` included.

    Raises
    ------
    BsbenchError
        If there is no such format.
    """
    return set(Observing(Rules(5, 5, (2,), True), obs, mask=True).fields)


def _fits(shape: Shape, wanted: tuple[int, ...]) -> bool:
    same = len(shape) == len(wanted)
    return same and all(n in (None, m) for n, m in zip(shape, wanted, strict=True))
