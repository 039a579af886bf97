"""How likely each cell holds a ship after some shots."""
