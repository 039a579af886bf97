"""What others have published about Battleship, and what bsbench measures under the same rules."""
