"""The rules of Battleship, and what both sides know before the first shot.

Read in this order:

`board`
    board, fleet, touching and feedback: prose first, then data;
`slots`
    where a ship can lie, as a number: the slot code, its cells;
`placement`
    the laws by which ships are placed, by name;
`scenario`
    rules and placement law under a name, from a TOML file;
`drawing`
    cells by name (B7), boards as text, colours of heat maps.
"""
