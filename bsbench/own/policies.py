"""Policies in ONNX as strategies: networks that score cells, whoever trained them.

A file is data: it is checked, and a thinker, a process of its own, runs the network in onnxruntime
with one thread. The names, shapes and types of its arrays are on the page "Agents as ONNX" of the
documentation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault, how_to_install
from bsbench.common.reading import read_bytes
from bsbench.common.settings import check_choice
from bsbench.own.batch import Notebook
from bsbench.own.choosing import Cells, Chooser, Flags, Scores, Terms
from bsbench.own.observation import FORMATS, LOGITS, SCORES, Network, Observing, Shape, field_names
from bsbench.rules.board import Feedback
from bsbench.rules.scenario import look_up_scenario
from bsbench.strategies.view import View

if TYPE_CHECKING:
    from onnx import ModelProto

ONNX = "onnx"
"""The kind of a policy, and the end of its file's name after the full stop."""

_LARGEST = 256 * 10**6
"""Bytes of a file at most."""

_MOST_NUMBERS = 10**8
"""In an array that it takes or makes, at most."""

_TOGETHER = 128
"""Games that are scored at once. More are not faster, and take more memory."""

_LEAST = np.finfo(np.float32).min

_TYPES = {
    "bool": np.bool_,
    "float16": np.float16,
    "float": np.float32,
    "double": np.float64,
    **{
        f"{sign}int{n}": getattr(np, f"{sign}int{n}") for sign in ("", "u") for n in (8, 16, 32, 64)
    },
}
"""Types of numbers, as onnxruntime calls them."""


class Policy:
    """A policy; `policy_class` makes a subclass for each file.

    Attributes
    ----------
    session : InferenceSession
    types : dict of str to type
        Of the numbers of each input.
    games : int or None
        How many games the network always takes; None for any number.
    """

    deterministic = True

    name: ClassVar[str]
    needs: ClassVar[Feedback]
    home: ClassVar[str | None]
    source: ClassVar[str]
    network: ClassVar[Network]
    session: ClassVar[Any]
    types: ClassVar[dict[str, type]]
    games: ClassVar[int | None]


def policy_class(place: str, called: str) -> type[Policy]:
    """Return the policy in a file.

    Parameters
    ----------
    place : str
        The path of a file that ends in ``.onnx``.
    called : str
        The same, as its user calls it.

    Raises
    ------
    BsbenchError
        If onnx or onnxruntime is not installed, or there is no policy that can be played.
    """
    onnx, _ = _libraries(called)
    content = read_bytes(place, _LARGEST, called)
    try:
        model = onnx.load_model_from_string(content)
    except Exception:
        # What it raises is protobuf's.
        raise BsbenchError(f"{called} is not a whole ONNX file") from None
    try:
        _refuse_more_than_numbers(model)
        return _read(model, session_of(content), called)
    except BsbenchError as error:
        raise BsbenchError(f"the agent {called} can't be played: {error}") from None


def session_of(content: bytes) -> Any:
    """Return what runs a network in one thread.

    Parameters
    ----------
    content : bytes
        Of a file in ONNX.

    Raises
    ------
    BsbenchError
        If onnxruntime refuses it.
    """
    _, onnxruntime = _libraries("an agent in ONNX")
    options = onnxruntime.SessionOptions()
    # There is a process for each core.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # What is wrong is raised; it need not be logged, too.
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # It raises errors of many kinds, whose names say nothing to users.
        raise BsbenchError(f"onnxruntime refuses it: {_why(error)}") from None


def _libraries(called: str) -> tuple[Any, Any]:
    """Return onnx and onnxruntime."""
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        raise BsbenchError(
            f"{called} needs onnx and onnxruntime, which are not installed ({error}): "
            f"{how_to_install('agents')}"
        ) from None
    return onnx, onnxruntime


def _refuse_more_than_numbers(model: ModelProto) -> None:
    """Refuse what would read other files, is not standard ONNX, or differs from time to time."""
    own = {function.domain for function in model.functions}
    for message in _messages(model):
        kind = message.DESCRIPTOR.name
        if kind == "TensorProto" and (message.external_data or message.data_location):
            raise BsbenchError("it keeps weights in another file: save them in the ONNX file")
        if kind != "NodeProto":
            continue
        if message.domain not in {"", "ai.onnx", "ai.onnx.ml", *own}:
            raise BsbenchError(
                f"its operator {_short(message.op_type)} is from {_short(message.domain)}, and "
                "bsbench runs operators of ONNX alone"
            )
        if message.op_type.startswith("Random") or message.op_type in ("Bernoulli", "Multinomial"):
            raise BsbenchError(
                f"its operator {_short(message.op_type)} draws random numbers, so that no game "
                "could be played again: save the scores before it"
            )


def _messages(message: Any) -> Iterator[Any]:
    """Return a message of protobuf, and all in it; refuse text that is none."""
    waiting = [message]
    while waiting:
        message = waiting.pop()
        for field, value in message.ListFields():
            values = value if hasattr(value, "append") else [value]
            if field.type == field.TYPE_MESSAGE:
                waiting += values
            elif field.type == field.TYPE_STRING and any(type(each) is bytes for each in values):
                raise BsbenchError(f"its {field.name} is not text in UTF-8")
        yield message


def _short(text: str) -> str:
    return repr(text[:60])


def _why(error: Exception) -> str:
    """Return what onnxruntime says, in a line, without its codes."""
    text = " ".join(str(error).split())
    if "allocate memory" in text or isinstance(error, MemoryError):
        return "it needs too much memory"
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : ", "", text)
    return text.rpartition("Status Message: ")[2].rstrip(". ")[:300]


def _read(model: ModelProto, session: Any, called: str) -> type[Policy]:
    """Return the policy of a network, from its arrays and its metadata."""
    facts = {each.key: each.value for each in model.metadata_props}
    shapes = {each.name: _shape(each) for each in session.get_inputs()}
    games = {shape[0] for shape in shapes.values()} - {None}
    if len(games) > 1:
        raise BsbenchError(f"its inputs take different numbers of games: {_listed(shapes)}")
    output = _output(session)
    home = facts.get("scenario") or None
    # The name of a file would be opened.
    scenario = None if home is None or home.endswith(".toml") else look_up_scenario(home)
    if home is not None and scenario is None:
        raise BsbenchError(f"its scenario {_short(home)} is not one of bsbench")
    needs = Feedback.HIT
    if scenario is not None:
        needs = scenario.rules.feedback
    policy: type[Policy] = type("Policy", (Policy,), {"__doc__": f"The network in {called}."})
    stem = re.sub(r"[^A-Za-z0-9.-]+", "-", Path(called).stem).strip("-.")
    policy.name, policy.home = stem or "trained", home
    if "needs" in facts:
        needs = Feedback.parse(facts["needs"])
    policy.needs = needs
    policy.source = facts.get("source") or f"ONNX, by {model.producer_name or 'an unknown program'}"
    obs = _format_of(shapes, facts.get("obs"))
    inputs = {name: shape[1:] for name, shape in shapes.items()}
    policy.network = Network(obs, inputs, _shape(output)[1:])
    policy.types = {each.name: _TYPES[_type(each)] for each in session.get_inputs()}
    policy.games, policy.session = next(iter(games), None), session
    _try(policy, output.name)
    return policy


def _try(policy: type[Policy], output: str) -> None:
    """Refuse a network that can't score a board of zeros: onnxruntime does not check all shapes."""
    shapes: Any = policy.network.inputs
    scores = policy.network.scores
    if any(None in shape for shape in (*shapes.values(), scores)):
        return
    games = policy.games or 1
    zeros: dict[str, Any] = {
        name: np.zeros((games, *shapes[name]), policy.types[name]) for name in shapes
    }
    found = _run(policy, output, zeros)
    if found.shape != (games, *scores):
        raise BsbenchError(f"its scores have the shape {found.shape}, and not {(games, *scores)}")


def _run(policy: type[Policy], output: str, arrays: dict[str, Any]) -> npt.NDArray[Any]:
    """Return what a network makes of arrays.

    Raises
    ------
    BsbenchError
        If onnxruntime can't run it.
    """
    try:
        return np.asarray(policy.session.run([output], arrays)[0])
    except Exception as error:
        raise BsbenchError(f"onnxruntime can't run the network: {_why(error)}") from None


def _shape(array: Any) -> Shape:
    """Return the shape of an input or output; None for lengths that may be any."""
    if not array.shape or len(array.shape) > 5:
        raise BsbenchError(
            f"its array {_short(array.name)} has the shape {array.shape}: the first axis is games"
        )
    shape = tuple(n if isinstance(n, int) and n > 0 else None for n in array.shape)
    if math.prod(filter(None, shape)) > _MOST_NUMBERS:
        raise BsbenchError(f"its array {_short(array.name)} of shape {shape} is too large")
    return shape


def _type(array: Any) -> str:
    name = re.sub(r"tensor\((.*)\)", r"\1", array.type)
    if name not in _TYPES:
        raise BsbenchError(f"its array {_short(array.name)} is of the type {_short(array.type)}")
    return name


def _output(session: Any) -> Any:
    """Return the output that scores cells."""
    outputs = session.get_outputs()
    found = [each for each in outputs if each.name in (LOGITS, SCORES)] or outputs
    if len(found) != 1:
        raise BsbenchError(
            f"it has {len(found)} outputs, and one scores cells: call that one {SCORES}"
        )
    if _type(found[0]) not in ("float16", "float", "double") or len(_shape(found[0])) != 2:
        raise BsbenchError(
            f"its output {_short(found[0].name)} is {found[0].type} of shape {found[0].shape}, and "
            "scores are floating-point numbers of shape (games, cells)"
        )
    return found[0]


def _format_of(shapes: dict[str, Shape], said: str | None) -> str:
    """Return the format of observations that has inputs of these names."""
    if said is not None:
        check_choice("observation format", said, FORMATS)
    formats = FORMATS if said is None else [said]
    for obs in formats:
        if shapes.keys() <= field_names(obs):
            return obs
    known = sorted(set.union(*map(field_names, formats)))
    raise BsbenchError(
        f"its inputs are {_listed(shapes)}, and observations have {', '.join(known)}: name the "
        "inputs like those of one format"
    )


def _listed(shapes: dict[str, Shape]) -> str:
    return ", ".join(f"{_short(name)} {shape}" for name, shape in [*shapes.items()][:6]) or "none"


class PolicyChooser(Chooser):
    """Plays a policy: shoots at the open cell with the highest score, of several at the first."""

    in_batches = True
    method = "run"
    chance = "nothing: a network draws no random numbers"
    begins = "never: a network remembers nothing"

    def __init__(self, player: type[Policy], terms: Terms) -> None:
        super().__init__(player, terms)
        self._policy = player
        self._output = _output(player.session).name
        self._notebook = Notebook(terms.rules, terms.lanes)
        self._cells = np.zeros(terms.lanes, np.int64)
        self._show = Observing(terms.rules, player.network.obs, mask=True).show

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Clear the boards of fresh games; networks don't learn."""
        self._notebook.begin(lanes)

    def _asked(self, lane: int, ask: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return super()._asked(lane, ask, *arguments)
        except Fault as fault:
            # No line of a user's code is to blame.
            raise fault.__cause__ if isinstance(fault.__cause__, Fault) else fault from None

    def _choose(self, view: View) -> Cells:
        self._notebook.note(view)
        games = np.flatnonzero(view.asked)
        if len(games):
            # The time is that of a shot in all games, not of a game.
            self.used[games[0]] = 0.0
            scores = self._asked(int(games[0]), self._scored, games)
            is_open = self._notebook.known.open[games].view(np.bool_)
            # Minus infinity is no worse than the least number: an open cell is shot in any case.
            self._cells[games] = np.where(is_open, np.maximum(scores, _LEAST), -np.inf).argmax(1)
        return self._cells

    def _scored(self, games: Cells) -> npt.NDArray[np.float32]:
        """Return the scores of all cells in some games: float32, shape (games, cells)."""
        shown: Any = self._show(self._notebook.known.of(games), copy=False)
        types = self._policy.types
        arrays = {name: shown[name].astype(kind, copy=False) for name, kind in types.items()}
        size = self._policy.games or min(_TOGETHER, len(games))
        parts = [
            self._run({name: each[begin : begin + size] for name, each in arrays.items()})
            for begin in range(0, len(games), size)
        ]
        scores = np.concatenate(parts)
        if np.isnan(scores).any():
            row = int(np.isnan(scores).any(axis=1).argmax())
            raise Fault(int(games[row]), "its scores hold something that is not a number (NaN)")
        return scores

    def _run(self, arrays: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """Return the scores of as many games as the network takes at once, or fewer."""
        count = len(next(iter(arrays.values())))
        missing = (self._policy.games or count) - count
        if missing:
            arrays = {
                name: np.concatenate([each, np.zeros((missing, *each.shape[1:]), each.dtype)])
                for name, each in arrays.items()
            }
        try:
            found = _run(self._policy, self._output, arrays)
        except BsbenchError as error:
            raise Fault(self.at[0], str(error)) from None
        wanted = count + missing, self.rules.cells
        if found.shape != wanted:
            raise Fault(self.at[0], f"its scores have the shape {found.shape}, and not {wanted}")
        scores: npt.NDArray[np.float32] = found[:count].astype(np.float32, copy=False)
        return scores

    def out_of_time(self, lane: int, line: str = "") -> Fault:
        """Return the fault of a game that took too long: no line of a user's code is to blame."""
        return super().out_of_time(lane)

    def scores(self, lane: int) -> Scores:
        """Return the probability that the network gives each open cell.

        Where its scores are no logits, return by how much each is above the least.
        """
        is_open = self._notebook.is_open(lane)
        scores = self._asked(lane, self._scored, np.array([lane]))[0].astype(np.float64)
        if is_open.any():
            if self._output == LOGITS:
                scores = np.exp(scores - scores[is_open].max())
                scores /= scores[is_open].sum()
            else:
                scores = np.maximum(scores, _LEAST) - np.maximum(scores, _LEAST)[is_open].min()
        return np.where(is_open, scores, -1.0)
