"""Takes what comes first in a set of texts.

fails: ANY_PROCESS
names: set
"""

from _bot import play

play(lambda open_cells: next(iter({str(cell) for cell in open_cells})))
