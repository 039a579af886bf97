"""Players of users: classes in Python, and programs that talk in lines.

What they share with Battleship's is in `bsbench.own`. Read in this order:

`player`
    a user's player in the place of a built-in one: what knows seed and games by number;
`game`
    what Connect 4 says of itself to a process that plays a class;
`view`
    a position as a class sees it;
`bot`
    programs that talk in lines: docs/connect4-your-player.md specifies these;
`checking`
    whether a player keeps to the rules, and how good its moves are;
`templates`
    the files that ``bsbench connect4 new`` writes.
"""
