"""What a user's class declares, whatever it plays: its name, its text, its parameters.

A declaration is data, which another process can read.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any, Self

from bsbench.common.errors import BsbenchError
from bsbench.common.parameters import declared

LEARNS = "games_per_learner"
"""The parameter of a player that learns: how many games it plays in a row."""

LONGEST = 10_000
"""Characters of a text at most."""

_PLAIN = bool, int, float, str
"""Types of parameters."""

_FACTS = "meaning", "least", "most", "choices"
"""What is known of a parameter beside its default: see `bsbench.common.parameters.parameter`."""


@dataclasses.dataclass(frozen=True)
class Declaration:
    """What a user's class says of itself.

    Attributes
    ----------
    kind : str
        How it is asked: see `bsbench.own.contract.Game.chooser`.
    name : str
    doc : str
        The docstring, or empty.
    parameters : dict of str to Field
        Declarations of the parameters by name.
    """

    kind: str
    name: str
    doc: str
    parameters: Mapping[str, dataclasses.Field[Any]]

    def __post_init__(self) -> None:
        # What another process says is not trusted.
        texts = self.kind, self.name, self.doc
        if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            raise ValueError("no description")

    def facts(self) -> dict[str, Any]:
        """Return the attributes of the class that stands for it."""
        return {"name": self.name}

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can write it."""
        content = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        content["parameters"] = {
            name: {"default": field.default, **{key: field.metadata.get(key) for key in _FACTS}}
            for name, field in self.parameters.items()
        }
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
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
            parameters[name] = field_of(name, facts["default"], metadata)
        return cls(**{**content, "parameters": parameters})


def field_of(
    name: str, default: Any, metadata: Mapping[str, Any] | None = None
) -> dataclasses.Field[Any]:
    """Return the declaration of a parameter."""
    field: dataclasses.Field[Any] = dataclasses.field(default=default, metadata=metadata)
    field.name = name
    return field


def _fits(key: str, fact: Any) -> bool:
    """Return whether something may be that fact of a parameter."""
    if key == "meaning":
        return isinstance(fact, str)
    if key == "choices":
        return isinstance(fact, list | tuple) and all(isinstance(each, str) for each in fact)
    return isinstance(fact, int | float)


def doc_of(player: type) -> str:
    """Return a class's own docstring, or ""; a dataclass without one makes it up."""
    text = vars(player).get("__doc__") or ""
    own = isinstance(text, str) and not text.startswith(f"{player.__name__}(")
    return text[:LONGEST] if own else ""


def declaration(player: type, called: str, **methods: list[str]) -> Declaration:
    """Return what a class that says nothing else has: name, text, and parameters.

    Parameters are its fields, or what ``__init__`` takes.

    Parameters
    ----------
    player : type
    called : str
    **methods : list of str
        What methods are called with, where it has them.

    Raises
    ------
    BsbenchError
        If it can't be made or called so, or a parameter has no plain default.
    """
    for method, arguments in methods.items():
        check_arguments(player, method, arguments, called)
    check_made(player, called)
    parameters = declared(player) or {
        each.name: field_of(each.name, each.default)
        for each in arguments_of(player)
        if each.default is not each.empty
    }
    check_defaults(parameters, called)
    return Declaration("python", player.__name__, doc_of(player), parameters)


def check_arguments(player: type, method: str, arguments: list[str], called: str) -> None:
    """Refuse a method that can't be called as it will be: Python's own message is hard to read.

    Raises
    ------
    BsbenchError
    """
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


def check_defaults(parameters: Mapping[str, dataclasses.Field[Any]], called: str) -> None:
    """Refuse parameters without a plain default.

    Raises
    ------
    BsbenchError
    """
    for name, field in parameters.items():
        if type(field.default) not in _PLAIN:
            given = "none" if field.default is dataclasses.MISSING else repr(field.default)
            raise BsbenchError(
                f"the parameter {name!r} of {called} must have a default that is true or false, a "
                f"number or text, and its default is {given}; a field that is no parameter has a "
                "name that begins with _"
            )


def check_made(player: type, called: str) -> None:
    """Refuse a class that can't be made without arguments.

    Raises
    ------
    BsbenchError
    """
    required = [
        each.name
        for each in arguments_of(player)
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if required:
        raise BsbenchError(
            f"{called} can't be made without {', '.join(required)}: give it a default, as a field "
            "of a dataclass"
        )


def arguments_of(player: type) -> list[inspect.Parameter]:
    """Return what a class is made with; none if Python can't tell."""
    try:
        return [*inspect.signature(player).parameters.values()]
    except (ValueError, TypeError):
        return []
