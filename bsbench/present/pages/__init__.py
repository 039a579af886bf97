"""Pages of HTML that need no other file: what reports, replays and the calculator share.

A page loads nothing and runs no script but its own, whatever a name in it contains: its policy
allows only the scripts with the right hashes.

Beside this file: `palette.css` has the colours of all pages, light and dark; `boards.css` what is
common to pages with boards. `player.html.jinja`, `player.css` and `player.js` are a player that
steps through the moves of a game, whatever is played.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
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


def page(package: str, template: str, styles: str, scripts: str, **values: Any) -> str:
    """Return a page.

    Parameters
    ----------
    package : str
        Whose template it is.
    template, styles, scripts : str
        The name of the template; styles and scripts as they are.
    **values
        What the template reads, besides the style, the script and their hashes.
    """
    return (
        environment(package)
        .get_template(template)
        .render(
            style=Markup(styles),
            style_hash=hash_of(styles),
            script=Markup(scripts),
            script_hash=hash_of(scripts),
            **values,
        )
    )


def framed(text: str, title: str) -> str:
    """Return a page within a frame, for notebooks, which its scripts can't reach."""
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts" srcdoc="{escape(text)}" '
        'style="width:100%;height:760px;border:0"></iframe>'
    )


def board_page(
    package: str, template: str, rules: Rules, scripts: str, styles: str = "", **values: Any
) -> str:
    """Return a page with boards of Battleship.

    Parameters
    ----------
    package : str
        Whose template and whose style ``page.css`` they are.
    template : str
    rules : Rules
    scripts : str
    styles : str
        What comes before ``page.css``.
    **values
        What the template reads, besides the style, the script and their hashes.
    """
    parts = [source(package, name) for name in ("palette.css", "boards.css")]
    parts += [
        styles,
        source(package, "page.css"),
        f":root {{ --cols: {rules.cols}; --rows: {rules.rows}; }}\n",
    ]
    return page(package, template, "".join(parts), scripts, **values)


def board_data(rules: Rules) -> dict[str, Any]:
    """Return what scripts need to draw boards and heat maps."""
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
