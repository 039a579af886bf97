"""Players of users: classes in Python, and programs that talk in lines.

`docs/connect4-your-player.md` specifies the lines. Read in this order:

`bot`
    a user's player in the place of a built-in one: what knows seed and games by number;
`partner`
    whom it asks: a program, or a class in this process;
`view`, `choosing`
    a position as a class sees it, and what plays a class, an object for each game;
`runner`
    the program that plays a class from a file, in the lines of any other program;
`loading`
    how users name players, and what makes them;
`checking`
    whether a player keeps to the rules, and how good its moves are;
`templates`
    the files that ``bsbench connect4 new`` writes.
"""
