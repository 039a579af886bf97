"""What others have published about Battleship, and what bsbench measures under the same rules.

Builds on `optimum`: least means are played by its command.
"""
