"""Placement laws by name: how likely each layout is.

This module only names and checks them; `bsbench.layouts` draws. On the command
line and in scenario files a law is written ``law`` or ``law:option``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bsbench.errors import BsbenchError

# Law: its options, the default first; empty for a law that has none.
_LAWS: dict[str, tuple[str, ...]] = {
    "uniform": (),
    "sequential": ("longest", "shortest", "fleet"),
}


@dataclass(frozen=True)
class Placement:
    """The probability law of layouts.

    Attributes
    ----------
    law : str
        ``uniform``: every layout of the labelled fleet equally likely.
        ``sequential``: ship by ship, each uniform among its slots still legal, the
        whole layout afresh when one has none left.
    option : str or None
        For ``sequential``, the order of the ships: ``longest`` or ``shortest``
        first, or as in the ``fleet``.
    """

    law: str = "uniform"
    option: str | None = None

    @classmethod
    def parse(cls, text: str) -> Placement:
        """Return the law written as ``text``.

        Raises
        ------
        BsbenchError
            If there is no such law or option.
        """
        law, colon, option = text.partition(":")
        if law not in _LAWS:
            raise BsbenchError(f"unknown placement law {law!r}: choose {' or '.join(_LAWS)}")
        options = _LAWS[law]
        if colon and option not in options:
            remedy = f"choose {', '.join(options)}" if options else "it takes none"
            raise BsbenchError(f"unknown option {option!r} of the placement law {law!r}: {remedy}")
        return cls(law, option or (options[0] if options else None))

    def __str__(self) -> str:
        return f"{self.law}:{self.option}" if self.option else self.law
