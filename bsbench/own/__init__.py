"""Strategies of users: found, loaded, and brought to the form of the built-in ones.

There are three kinds. One in plain Python chooses the shots of one game (`python`, `game`);
one in numpy those of a batch (`batch`); one with kernels is a subclass of
`bsbench.Strategy`, as the built-in ones are.
"""
