"""Jitted parts of Connect 4: the board, the bot's evaluation and search, playouts, the solver.

A kernel that calls itself is called with one set of types only, so that it is compiled once: numba
keeps versions that call each other in its cache, but can't load them again, and the process ends
with a segmentation fault. A literal is another type than a variable: ``np.int64(1)`` is none.
"""
