"""The rules of Battleship, and what both sides know before the first shot.

Read in this order:

`board`
    board, fleet, touching and feedback: prose first, then data;
`slots`
    slot codes: where a ship lies, as one number;
`placement`
    placement laws by name: how likely each layout is;
`scenario`
    rules and a placement law under a name, from a TOML file;
`layout`
    layouts as lines of text, and whether they obey the rules;
`position`
    rules, answers to shots and maybe the layout, in one line of text;
`reading`
    positions and layouts in all forms in which people have them;
`drawing`
    cells by name (B7), boards as text, colours of heat maps; shots and turns that the rules refuse,
    in words.
"""
