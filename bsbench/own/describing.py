"""What a user's class says of itself, checked.

It is described where it is imported. A description is data, which another process can read.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import LONGEST_LINE, for_terminal, is_line, shortened
from bsbench.rules.board import Feedback
from bsbench.rules.scenario import look_up_scenario
from bsbench.strategies import strategy_names

if TYPE_CHECKING:
    from bsbench.own.choosing import Chooser

KERNELS = "kernels"
"""The kind of a subclass of `bsbench.Strategy`."""

_LONGEST = 10_000
"""Characters of a text at most."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}")
"""How strategies are called: a longer name would fit into no table or record."""

_PLAIN = bool, int, float, str
"""Types of parameters."""

_FACTS = "meaning", "least", "most", "choices"
"""What is known of a parameter beside its default: see `bsbench.common.parameters.parameter`."""


@dataclasses.dataclass(frozen=True)
class Description:
    """What a user's class says of itself.

    Attributes
    ----------
    kind : str
        ``python``, ``numpy``, ``agent``, ``agents`` (for batches), or `KERNELS`.
    name : str
    needs : Feedback
    home : str or None
    source : str
    doc : str
        The docstring, or empty.
    deterministic : bool or None
        None where the class does not say.
    probabilities : bool
        Whether the class says that its scores are probabilities of a ship.
    tallies : bool
        Whether the class says that its objects count how they chose: see `PythonChooser.answers`.
    parameters : dict of str to Field
        Declarations of the parameters by name.
    """

    kind: str
    name: str
    needs: Feedback
    home: str | None
    source: str
    doc: str
    deterministic: bool | None
    probabilities: bool
    tallies: bool
    parameters: Mapping[str, dataclasses.Field[Any]]

    def __post_init__(self) -> None:
        # What another process says is not trusted.
        texts = self.kind, self.name, self.source, self.doc
        if not (
            all(isinstance(text, str) and len(text) <= _LONGEST for text in texts)
            and _NAME.fullmatch(self.name)
            and is_line(self.source)
            and self.source.strip()
            and self.name not in strategy_names()
            and (self.kind == KERNELS or self.kind in _KINDS)
            and (self.home is None or look_up_scenario(self.home) is not None)
            and self.deterministic in (None, True, False)
            and self.probabilities in (True, False)
            and (self.tallies is False or (self.tallies is True and self.kind in TALLYING))
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
        }
        if self.deterministic is not None:
            facts["deterministic"] = self.deterministic
        return facts

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can write it."""
        content = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        content["parameters"] = {
            name: {"default": field.default, **{key: field.metadata.get(key) for key in _FACTS}}
            for name, field in self.parameters.items()
        }
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Description:
        """Return what `to_dict` returned in another process.

        Raises
        ------
        ValueError, TypeError, KeyError, AttributeError
            If it is no description.
        """
        parameters = {}
        for name, facts in content["parameters"].items():
            if type(facts["default"]) not in _PLAIN or not str(name).isidentifier():
                raise ValueError("no description")
            metadata = {key: facts[key] for key in _FACTS if _fits(key, facts[key])}
            field = dataclasses.field(default=facts["default"], metadata=metadata)
            field.name = name
            parameters[name] = field
        return cls(**{**content, "needs": Feedback(content["needs"]), "parameters": parameters})


def _fits(key: str, fact: Any) -> bool:
    """Return whether something may be that fact of a parameter."""
    if key == "meaning":
        return isinstance(fact, str)
    if key == "choices":
        return isinstance(fact, list | tuple) and all(isinstance(each, str) for each in fact)
    return isinstance(fact, int | float)


_KINDS = {
    "python": "bsbench.own.python.PythonChooser",
    "numpy": "bsbench.own.batch.BatchChooser",
    "agent": "bsbench.own.agents.AgentChooser",
    "agents": "bsbench.own.agents.BatchAgentChooser",
}
"""What plays each kind of class. Only what is needed is imported."""

TALLYING = "python", "agent"
"""Kinds with an object for each game, which may count how it chose."""


def chooser_of(kind: str) -> type[Chooser]:
    """Return what plays a kind of class, all but `KERNELS`."""
    module, _, name = _KINDS[kind].rpartition(".")
    found: type[Chooser] = getattr(__import__(module, fromlist=[name]), name)
    return found


def describe(player: type, called: str) -> Description:
    """Return what a user's class says of itself, with defaults in place.

    Parameters
    ----------
    player : type
        A subclass of `Strategy`. Else a class with ``shoot(self, view)``, for a batch of games if
        it says ``kind = "numpy"``, as a `BatchStrategy` does, else for one; or an agent, with
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
        doc=(player.__doc__ or "")[:_LONGEST] if _has_doc(player) else "",
        deterministic=None if deterministic is None else bool(deterministic),
        probabilities=getattr(player, "probabilities", None) is True,
        tallies=getattr(player, "tallies", None) is True and kind in TALLYING,
        parameters=_declared(player),
    )
    _check_parameters(description, player, called)
    return description


def _has_doc(player: type) -> bool:
    """Return whether a class has a docstring of its own; a dataclass without one makes it up."""
    text = vars(player).get("__doc__") or ""
    return isinstance(text, str) and not text.startswith(f"{player.__name__}(")


def _declared(player: type) -> dict[str, dataclasses.Field[Any]]:
    if not dataclasses.is_dataclass(player):
        return {}
    fields = dataclasses.fields(player)
    return {field.name: field for field in fields if not field.name.startswith("_")}


METHODS = "shoot", "select_action", "select_actions"
"""One of these chooses cells, in a user's class."""


def parameters_of(player: Any) -> dict[str, Any]:
    """Return the parameters of an object of a user's class, from which others can be made.

    Raises
    ------
    BsbenchError
        If it holds something else, which the objects that play would not have.
    """
    kind = type(player)
    values = {name: getattr(player, name) for name in _declared(kind)}
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
}
"""What `Strategy` passes to the methods that a subclass defines."""


def _has_kernels(player: type) -> bool:
    # Where the module was not imported, nothing can be derived from its class.
    base = sys.modules.get("bsbench.strategies.base")
    return base is not None and issubclass(player, base.Strategy)


def _kind_of(player: type, called: str) -> str:
    """Return the kind of a user's class, by the methods that it has."""

    def has(method: str) -> bool:
        return callable(getattr(player, method, None))

    if _has_kernels(player):
        if inspect.isabstract(player):
            missing = ", ".join(sorted(getattr(player, "__abstractmethods__", ())))
            raise BsbenchError(f"{called} has no method {missing}: define it")
        for method, arguments in _KERNEL_METHODS.items():
            _check_arguments(player, method, arguments, called)
        return KERNELS
    if has("shoot"):
        kind = getattr(player, "kind", "python")
        if kind not in ("python", "numpy"):
            raise BsbenchError(f"{called} says kind = {kind!r}: write python or numpy")
        _check_arguments(player, "shoot", ["view"], called)
        _check_arguments(player, "reset", ["rules", "rng" if kind == "python" else "games"], called)
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


def _check_arguments(player: type, method: str, arguments: list[str], called: str) -> None:
    """Refuse a method that can't be called as it will be: Python's own message is hard to read."""
    function = inspect.getattr_static(player, method, None)
    if not inspect.isfunction(function):
        return
    signature = inspect.signature(function)
    try:
        signature.bind("self", *arguments)
    except TypeError:
        taken = ", ".join(signature.parameters)
        raise BsbenchError(
            f"{called} has {method}({taken}): write {method}({', '.join(['self', *arguments])})"
        ) from None


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


def _check_parameters(description: Description, player: type, called: str) -> None:
    """Refuse parameters without a plain default, and a class that can't be made."""
    for name, field in description.parameters.items():
        if type(field.default) not in _PLAIN:
            given = "none" if field.default is dataclasses.MISSING else repr(field.default)
            raise BsbenchError(
                f"the parameter {name!r} of {called} must have a default that is true or false, a "
                f"number or text, and its default is {given}; a field that is no parameter has a "
                "name that begins with _"
            )
    if description.kind == KERNELS:
        return
    try:
        signature = inspect.signature(player)
    except (ValueError, TypeError):
        return
    required = [
        each.name
        for each in signature.parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if required:
        raise BsbenchError(
            f"{called} can't be made without {', '.join(required)}: give it a default, as a field "
            "of a dataclass"
        )
