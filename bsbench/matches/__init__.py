"""Matches and leagues of a game with two sides, whatever game it is.

Each game has one object that says what is needed of it. That of Connect 4 is
`bsbench.connect4.contest.CONTEST`. Read in this order:

`player`
    the base of all players;
`game`
    what a game says of itself, and games of it in progress;
`lockstep`
    pairs of games side by side, on several threads;
`scoring`
    scores and ratings, from the outcomes of pairs of games;
`match`, `league`
    how these went, and their records;
`formats`
    what records of them hold, as types;
`keeping`
    what a journal keeps of them, so that they go on after a crash;
`faults`
    what goes wrong when a user's player plays;
`contest`
    the entry points of a game: ``play_match`` and ``play_league``.
"""
