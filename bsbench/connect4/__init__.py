"""Connect 4, the second game on the bench: its rules, its players, and what is made of them.

It shares with Battleship what belongs to neither game: parameters, random streams, the flags of
kernels. Nothing of Battleship is imported here, and Battleship imports nothing from here.
"""
