"""How many players rank, whatever becomes of some of them."""
