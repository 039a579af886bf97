from dataclasses import dataclass


@dataclass
class Mine:
    """Has a parameter with a name that bsbench needs.

    refused: label
    """

    label: str = "mine"

    def shoot(self, view):
        return view.open_cells[0]
