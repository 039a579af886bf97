"""Says itself that something is wrong.

fault: no cell left at <move 3>
"""

from _bot import play_until_third

play_until_third(lambda open_cells: "error no cell left at <move 3>")
