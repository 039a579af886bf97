"""How fast strategies play on this machine."""
