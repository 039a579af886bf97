"""Jitted parts of Connect 4: the board, the bot's evaluation and search, chance, the solver.

Call a kernel that calls itself with one set of types only, so that it is compiled once: numba keeps
versions that call each other in its cache, but can't load them again, and the process ends with a
segmentation fault. A literal has another type than a variable; ``np.int64(1)`` has the variable's.
"""
