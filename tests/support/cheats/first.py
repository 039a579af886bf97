"""Writes down where ships lay."""

from pathlib import Path

SEEN = Path(__file__).with_name("seen.txt")


class First:
    def shoot(self, view):
        if len(view.hits) == sum(view.rules.fleet) - 1:
            with SEEN.open("a") as file:
                print(*view.hits, file=file)
        return view.open_cells[0]
