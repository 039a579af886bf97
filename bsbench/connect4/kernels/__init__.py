"""Jitted parts of Connect 4: the board, the bot's evaluation and search, playouts, the solver."""
