"""Writes down the random number of each game that it is dealt, and fails in some of them."""

from pathlib import Path

MET = Path(__file__).with_name("met.txt")


class Witness:
    def reset(self, rules, rng):
        with MET.open("a") as file:
            print(rng.getrandbits(64), file=file)

    def shoot(self, view):
        return view.open_cells[0]
