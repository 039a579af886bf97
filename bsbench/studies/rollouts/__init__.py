"""What the choices of `mcts` are worth."""
