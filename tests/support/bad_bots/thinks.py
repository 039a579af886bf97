"""Says what it thinks, has options, and writes lines of its own.

passes
"""

from _bot import play


def choose(cells):
    return f"depth 3\n{cells[0]}"


def think(cells):
    return "\n".join(["chances" + " 0.5" * cells, "text yes", "choices 0 1", "mood good", "ready"])


play(
    choose,
    "can info depth",
    "depth",
    "option level int 1 0 3",
    "option mild bool true",
    think=think,
)
