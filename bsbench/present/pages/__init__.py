"""Pages of HTML that need no other file: what reports, replays and the calculator share.

A page loads nothing and runs no script but its own, whatever a name in it contains: its policy
allows only the scripts with the right hashes.

Beside this file: `frame.html.jinja` and `frame.css` are the frame of all pages, `palette.css` has
their colours, light and dark. `boards.css` and `boards.js` draw boards with heat maps.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bsbench.rules.board import Rules
from bsbench.rules.drawing import MEANINGS, SYMBOLS, UNCLEAR, heat_colour, row_name, text_colour

if TYPE_CHECKING:
    from jinja2 import Environment

_COLOURS = 64
"""Colours of heat maps."""


@cache
def environment(package: str) -> Environment:
    """Return the templates of a package, and those beside this file."""
    # Imported late: most games are replayed without a page.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__name__)]),
        autoescape=lambda name: name is not None and ".html" in name,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def source(package: str, name: str) -> str:
    """Return a style or script of a package, or one beside this file, as it is."""
    templates = environment(package)
    assert templates.loader is not None
    return templates.loader.get_source(templates, name)[0]


def hash_of(text: str) -> str:
    """Return what a page's policy calls a style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def script_of(package: str, *names: str) -> str:
    """Return scripts as one, without indents and comments, which a page doesn't need."""
    lines = "".join(source(package, name) for name in names).split("\n")
    stripped = (line.strip() for line in lines)
    return "\n".join(line for line in stripped if line and not line.startswith("//"))


def page(
    package: str,
    template: str,
    styles: Sequence[str],
    script: str,
    style: str = "",
    allowed: Mapping[str, str] = MappingProxyType({}),
    **values: Any,
) -> str:
    """Return a page in the frame of all pages, with their colours.

    Parameters
    ----------
    package : str
        Whose template and styles these are, besides those beside this file.
    template : str
        The name of a template that extends ``frame.html.jinja``.
    styles : sequence of str
        Names.
    script : str
        As it is: see `script_of`.
    style : str
        What comes after the styles.
    allowed : mapping of str to str
        What the page's policy allows besides its style and script, by directive.
    **values
        What the template reads, such as ``title`` and ``data``.
    """
    names = ("palette.css", "frame.css", *styles)
    style = "".join(source(package, name) for name in names) + style
    policy = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    policy |= {"style-src": f"'{hash_of(style)}'", "script-src": f"'{hash_of(script)}'"}
    for directive, text in allowed.items():
        policy[directive] = f"{policy.get(directive, '')} {text}".strip()
    return (
        environment(package)
        .get_template(template)
        .render(
            policy=Markup("; ".join(f"{name} {text}" for name, text in policy.items())),
            style=Markup(style),
            script=Markup(script),
            **values,
        )
    )


def framed(text: str, title: str) -> str:
    """Return a page within a frame, for notebooks, which its scripts can't reach."""
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts" srcdoc="{escape(text)}" '
        'style="width:100%;height:760px;border:0"></iframe>'
    )


def board_data(rules: Rules) -> dict[str, Any]:
    """Return what `boards.js` needs to draw boards and heat maps."""
    grounds = [heat_colour(step / (_COLOURS - 1)) for step in range(_COLOURS)]
    return {
        "rows": rules.rows,
        "cols": rules.cols,
        "rowNames": [row_name(row) for row in range(rules.rows)],
        "fleet": rules.fleet,
        "symbols": SYMBOLS[:UNCLEAR],
        "meanings": MEANINGS[:UNCLEAR],
        "colours": [(ground, text_colour(ground)) for ground in grounds],
    }


def board_style(rules: Rules) -> str:
    """Return the style that tells `boards.css` how large the board is."""
    return f":root {{ --cols: {rules.cols}; --rows: {rules.rows}; }}\n"
