"""Parameters: declared as fields of a dataclass, checked, set by name, shown in a label."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import setting_text, suggestion
from bsbench.common.texts import is_line

_LARGEST_INT = 2**63 - 1
_LARGEST_FLOAT = sys.float_info.max
_BOOLS = {"true": True, "yes": True, "false": False, "no": False}


def parameter(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    recorded: bool = True,
) -> Any:
    """Return a dataclass field: a parameter of a strategy or player, checked when one is made.

    Parameters
    ----------
    default : bool, int, float or str
        Its type is the parameter's; a float may be given as an int.
    meaning : str
        What it does, for lists of parameters.
    least, most : float, optional
        Range of a number, ends included.
    choices : tuple of str
        What a text may be.
    recorded : bool
        Whether games depend on it, so that it belongs to records and labels.
    """
    metadata = {"meaning": meaning, "least": least, "most": most, "choices": choices}
    metadata["recorded"] = recorded
    return dataclasses.field(default=default, metadata=metadata)


def _kind(field: dataclasses.Field[Any]) -> type:
    """Return the type of a parameter, that of its default."""
    return type(field.default)


def wanted(field: dataclasses.Field[Any]) -> str:
    """Return what a parameter's value may be, such as ``a number, at least 0``."""
    least, most = field.metadata.get("least"), field.metadata.get("most")
    choices = field.metadata.get("choices")
    if choices:
        return f"one of {', '.join(choices)}"
    bounds = [f"at least {least}"] if least is not None else []
    bounds += [f"at most {most}"] if most is not None else []
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "text on a line"}
    return ", ".join([names[_kind(field)], *bounds])


def _allows(field: dataclasses.Field[Any], value: Any) -> bool:
    """Return whether a parameter's value is of the right kind and in range."""
    least, most = field.metadata.get("least"), field.metadata.get("most")
    choices = field.metadata.get("choices")
    kind = _kind(field)
    if kind in (bool, str):
        printable = kind is bool or is_line(value)
        return isinstance(value, kind) and printable and (not choices or value in choices)
    right = isinstance(value, (int, float) if kind is float else int)
    return (
        right
        and not isinstance(value, bool)
        # What a kernel's int64 or float64 can hold: neither NaN nor infinity.
        and abs(value) <= (_LARGEST_INT if kind is int else _LARGEST_FLOAT)
        and (least is None or value >= least)
        and (most is None or value <= most)
    )


def read_value(field: dataclasses.Field[Any], text: str) -> Any:
    """Return a parameter's value written as text; the text itself where it is unreadable."""
    kind = _kind(field)
    if kind is bool:
        return _BOOLS.get(text.lower(), text)
    try:
        return kind(text)
    except ValueError:
        return text


class Configurable:
    """A class with a name and parameters: public fields of a dataclass, made by `parameter`."""

    name: ClassVar[str]
    """What it is called on the command line."""

    role: ClassVar[str]
    """What it is, such as ``strategy``, for messages."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Values of parameters by preset; the setting ``preset=NAME`` stands for them."""

    def __post_init__(self) -> None:
        """Check the parameters.

        Raises
        ------
        BsbenchError
            If a value is of the wrong kind or out of range.
        """
        for name, field in self.declared().items():
            value = getattr(self, name)
            if isinstance(value, np.generic):
                # A record holds plain numbers.
                value = value.item()
            if not _allows(field, value):
                raise BsbenchError(
                    f"the parameter {name!r} of {self.role} {self.name!r} wants {wanted(field)}, "
                    f"not {value!r}"
                )
            setattr(self, name, _kind(field)(value))

    @classmethod
    def configured(cls, settings: Mapping[str, Any]) -> Self:
        """Return an instance with some of its parameters set.

        Parameters
        ----------
        settings : mapping of str to bool, int, float or str
            Values by parameter. Text is read as a value: ``"0.01"``, ``"true"``.
            ``preset`` stands for the values of a preset; other settings override them.

        Raises
        ------
        BsbenchError
            If there is no such parameter, or a value is of the wrong kind or out of range.
        """
        declared = cls.declared()
        given = dict(settings)
        if cls.presets and "preset" in given:
            preset = given.pop("preset")
            if preset not in cls.presets:
                hint = suggestion(str(preset), cls.presets)
                raise BsbenchError(f"{cls.role} {cls.name!r} has no preset {preset!r}: {hint}")
            given = {**cls.presets[preset], **given}
        values = {}
        for key, value in given.items():
            if key not in declared:
                if not declared:
                    raise BsbenchError(
                        f"{cls.role} {cls.name!r} has no parameters: {key!r} can't be set"
                    )
                hint = suggestion(key, declared, "it has")
                raise BsbenchError(f"{cls.role} {cls.name!r} has no parameter {key!r}: {hint}")
            values[key] = read_value(declared[key], value) if isinstance(value, str) else value
        return cls(**values)

    @classmethod
    def declared(cls) -> dict[str, dataclasses.Field[Any]]:
        """Return the parameters' declarations by name, none where there are none."""
        return declared(cls)

    @property
    def idea(self) -> str:
        """The first line of the docstring."""
        return (type(self).__doc__ or "").strip().partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name: those that games depend on."""
        return {
            name: getattr(self, name)
            for name, field in self.declared().items()
            if field.metadata.get("recorded", True)
        }

    typed = ""
    """What was typed, where that distinguishes it from another one of the same name."""

    @property
    def label(self) -> str:
        """The name, and the parameters that differ from their defaults, ``name=value`` each."""
        words = [self.name, *changed_settings(self)]
        return " ".join([*words, *([f"({self.typed})"] if self.typed else [])])

    def copy(self) -> Self:
        """Return a new instance with the same parameters and no memory of any game."""
        return type(self)(**self.parameters)


def declared(player: type) -> dict[str, dataclasses.Field[Any]]:
    """Return the public fields of a dataclass by name; none of another class."""
    if not dataclasses.is_dataclass(player):
        return {}
    fields = dataclasses.fields(player)
    return {field.name: field for field in fields if not field.name.startswith("_")}


# No method: parameters of users' classes may have any name.
def changed_settings(configured: Configurable) -> list[str]:
    """Return the parameters that differ from their defaults, ``name=value`` each."""
    return [
        setting_text(name, value)
        for name, value in configured.parameters.items()
        if value != configured.declared()[name].default
    ]
