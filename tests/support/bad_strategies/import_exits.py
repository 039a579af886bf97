import os

os._exit(4)


class Mine:
    """Ends its process when it is imported.

    refused: exit code 4
    """

    def shoot(self, view):
        return view.open_cells[0]
