"""Strategies of users: found, loaded, and brought to the form of the built-in ones.

There are three kinds. A strategy in plain Python chooses the shots of one game (`python`,
`game`); a strategy in numpy those of a batch (`batch`); a strategy with kernels is a subclass
of `bsbench.Strategy`, as the built-in ones are.
"""
