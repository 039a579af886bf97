"""Connect 4, the second game of bsbench: its rules, its players, and their results.

It shares with Battleship what belongs to neither game: parameters, random streams, the flags of
kernels. Nothing of Battleship is imported here, and Battleship imports nothing from here.
"""
