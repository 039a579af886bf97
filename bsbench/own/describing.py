"""What a user's class says of itself as a strategy, checked where it is imported."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from bsbench.common.errors import BsbenchError
from bsbench.common.parameters import declared
from bsbench.common.texts import LONGEST_LINE, for_terminal, is_line, shortened
from bsbench.own.declaring import (
    LEARNS,
    LONGEST,
    Declaration,
    check_arguments,
    check_defaults,
    check_made,
    doc_of,
)
from bsbench.rules.board import Feedback
from bsbench.rules.scenario import look_up_scenario
from bsbench.strategies import strategy_names

if TYPE_CHECKING:
    from bsbench.own.observation import Network

KERNELS = "kernels"
"""The kind of a subclass of `bsbench.Strategy`."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}")
"""How strategies are called: a longer name would fit into no table or record."""


def is_name(name: str) -> bool:
    """Return whether a strategy may be called so that is not built in."""
    return _NAME.fullmatch(name) is not None and name not in strategy_names()


@dataclasses.dataclass(frozen=True)
class Description(Declaration):
    """What a user's class says of itself as a strategy.

    Its kind is ``python``, ``numpy``, ``agent``, ``agents`` (for batches), ``onnx`` (a policy, of
    `bsbench.own.policies`), or `KERNELS`.

    Attributes
    ----------
    needs : Feedback
    home : str or None
    source : str
    deterministic : bool or None
        None where the class does not say.
    probabilities : bool
        Whether the class says that its scores are probabilities of a ship.
    tallies : bool
        Whether the class says that its objects count how they chose: see `PythonChooser.answers`.
    salvos : bool
        Whether a class in plain Python has a method ``salvo``.
    network : Network or None
        The arrays of a policy; None for a class.
    """

    needs: Feedback
    home: str | None
    source: str
    deterministic: bool | None
    probabilities: bool
    tallies: bool
    salvos: bool = False
    network: Network | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (
            isinstance(self.source, str)
            and len(self.source) <= LONGEST
            and is_name(self.name)
            and is_line(self.source)
            and self.source.strip()
            and (self.kind == KERNELS or self.kind in KINDS)
            and (self.home is None or look_up_scenario(self.home) is not None)
            and self.deterministic in (None, True, False)
            and self.probabilities in (True, False)
            and (self.tallies is False or (self.tallies is True and self.kind in TALLYING))
            and (self.salvos is False or (self.salvos is True and self.kind == "python"))
        ):
            raise ValueError("no description")

    def facts(self) -> dict[str, Any]:
        """Return the attributes of the strategy's class."""
        facts: dict[str, Any] = {
            "name": self.name,
            "needs": self.needs,
            "home": self.home,
            "source": self.source,
            "probabilities": self.probabilities,
            "tallies": self.tallies,
            "_salvos": self.salvos,
            "_network": self.network,
        }
        if self.network is not None:
            home = f"; choose the scenario {self.home}" if self.home else ""
            facts["limits"] = f"its arrays are of other sizes ({self.network.text}){home}"
        if self.deterministic is not None:
            facts["deterministic"] = self.deterministic
        return facts

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return what `to_dict` returned in another process; see `Declaration.from_dict`."""
        network = content["network"]
        if network is not None:
            from bsbench.own.observation import Network

            network = Network.from_plain(network)
        needs = Feedback(content["needs"])
        return super().from_dict({**content, "needs": needs, "network": network})


KINDS = {
    "python": "bsbench.own.python.PythonChooser",
    "numpy": "bsbench.own.batch.BatchChooser",
    "agent": "bsbench.own.agents.AgentChooser",
    "agents": "bsbench.own.agents.BatchAgentChooser",
    "onnx": "bsbench.own.policies.PolicyChooser",
}
"""What plays each kind of class. Only what is needed is imported."""

TALLYING = "python", "agent"
"""Kinds with an object for each game, which may count how it chose."""


def describe(player: type, called: str) -> Description:
    """Return what a user's class says of itself, with defaults in place.

    Parameters
    ----------
    player : type
        A subclass of `Strategy`. Else a class with ``shoot(self, view)``, for a batch of games if
        it says ``kind = "numpy"``, as a `BatchStrategy` does, else for one; this may have
        ``salvo(self, view)``, too, or instead; or an agent, with
        ``select_actions(self, observations)`` for a batch of games, or
        ``select_action(self, observation)`` for one.
    called : str
        As its user wrote it.

    Raises
    ------
    BsbenchError
        If it is no strategy, or what it declares makes no sense.
    """
    kind = _kind_of(player, called)
    name, needs, home, source = _declarations(player, called)
    deterministic = getattr(player, "deterministic", None)
    description = Description(
        kind=kind,
        name=name,
        needs=needs,
        home=home,
        source=source,
        doc=doc_of(player),
        deterministic=None if deterministic is None else bool(deterministic),
        probabilities=getattr(player, "probabilities", None) is True,
        tallies=getattr(player, "tallies", None) is True and kind in TALLYING,
        salvos=kind == "python" and callable(getattr(player, "salvo", None)),
        network=getattr(player, "network", None) if kind == "onnx" else None,
        parameters=declared(player),
    )
    if LEARNS in description.parameters and kind not in (KERNELS, "python"):
        raise BsbenchError(
            f"{called} has a parameter {LEARNS}, as learners have: of users' classes, only those "
            "with shoot(self, view) for one game, or with kernels, can learn from game to game"
        )
    if kind != KERNELS and hasattr(player, LEARNS) and LEARNS not in description.parameters:
        raise BsbenchError(
            f"{called} has {LEARNS}, as learners have, but not as a parameter: make the class a "
            f"dataclass, and give it the field {LEARNS}: int"
        )
    check_defaults(description.parameters, called)
    if kind != KERNELS:
        check_made(player, called)
    return description


METHODS = "shoot", "salvo", "select_action", "select_actions"
"""One of these chooses cells, in a user's class."""


def parameters_of(player: Any) -> dict[str, Any]:
    """Return the parameters of an object of a user's class, from which others can be made.

    Raises
    ------
    BsbenchError
        If it holds something else, which the objects that play would not have.
    """
    kind = type(player)
    values = {name: getattr(player, name) for name in declared(kind)}
    more = [name for name in getattr(player, "__dict__", {}) if name not in values]
    if more:
        raise BsbenchError(
            f"this object of {kind.__name__} holds {more[0]!r}, and games are played by other "
            f"objects: give the class {kind.__name__}, and declare its parameters by "
            "bsbench.parameter"
        )
    return values


_KERNEL_METHODS = {
    "begin": ["rules", "lanes", "seed"],
    "deal": ["lanes", "games"],
    "shoot": ["view"],
    "salvo": ["view"],
}
"""What `Strategy` passes to the methods that a subclass defines."""


def _derives(player: type, module: str, name: str) -> bool:
    # Where the module was not imported, nothing can be derived from its class.
    base = sys.modules.get(module)
    return base is not None and issubclass(player, getattr(base, name))


def _kind_of(player: type, called: str) -> str:
    """Return the kind of a user's class, by the methods that it has."""

    def has(method: str) -> bool:
        return callable(getattr(player, method, None))

    if _derives(player, "bsbench.own.policies", "Policy"):
        return "onnx"
    if _derives(player, "bsbench.strategies.base", "Strategy"):
        if inspect.isabstract(player):
            missing = ", ".join(sorted(getattr(player, "__abstractmethods__", ())))
            raise BsbenchError(f"{called} has no method {missing}: define it")
        for method, arguments in _KERNEL_METHODS.items():
            check_arguments(player, method, arguments, called)
        return KERNELS
    if has("shoot") or (has("salvo") and not has("select_action") and not has("select_actions")):
        kind = getattr(player, "kind", "python")
        if kind not in ("python", "numpy"):
            raise BsbenchError(f"{called} says kind = {kind!r}: write python or numpy")
        if kind == "numpy" and has("salvo"):
            raise BsbenchError(
                f"{called} says kind = 'numpy' and has a method salvo, and only classes for one "
                "game, or with kernels, play salvos: leave out one of the two"
            )
        check_arguments(player, "shoot", ["view"], called)
        check_arguments(player, "salvo", ["view"], called)
        check_arguments(player, "reset", ["rules", "rng" if kind == "python" else "games"], called)
        return str(kind)
    if not has("select_action") and not has("select_actions"):
        raise BsbenchError(
            f"{called} is not a strategy: it has no method shoot(self, view), nor, as an agent "
            "has, select_action(self, observation)"
        )
    from bsbench.own.observation import DEFAULT, FORMATS

    obs, mask = getattr(player, "obs", DEFAULT), getattr(player, "mask", False)
    if not isinstance(obs, str) or obs not in FORMATS or not isinstance(mask, bool):
        raise BsbenchError(
            f"{called} wants observations with obs = {obs!r} and mask = {mask!r}: write one of "
            f"{', '.join(FORMATS)}, and True or False"
        )
    return "agents" if has("select_actions") else "agent"


def _declarations(player: type, called: str) -> tuple[str, Feedback, str | None, str]:
    """Return name, needs, home and source of a user's class."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]", player.__name__)
    name = getattr(player, "name", None) or "-".join(words).lower()
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BsbenchError(
            f"{called} is called {shortened(name)}: its name, for tables and files, must be of "
            "letters, digits, - and _, 100 at most"
        )
    if name in strategy_names():
        raise BsbenchError(
            f"{called} is called {name!r}, as a built-in strategy is: give it another, such as "
            f"name = 'my-{name}'"
        )
    needs = getattr(player, "needs", Feedback.HIT)
    if not isinstance(needs, Feedback):
        try:
            needs = Feedback.parse(needs)
        except (BsbenchError, AttributeError):
            raise BsbenchError(
                f"{called} needs feedback {needs!r}: write {Feedback.choices()}"
            ) from None
    home = getattr(player, "home", None)
    if home is not None and (not isinstance(home, str) or look_up_scenario(home) is None):
        raise BsbenchError(f"the home of {called} is {shortened(home)}, which is not a scenario")
    source = for_terminal(str(getattr(player, "source", None) or called)).strip() or called
    return name, needs, home, " ".join(source.split())[:LONGEST_LINE]
