"""Games: the referee, a strategy at a board, thousands of games in lockstep.

Read in this order:

`referee`
    where the ships are, and what shots at them do;
`planned`
    games of planners, played whole by one kernel, without a referee: nobody looks in between;
`session`
    a strategy, its view and its referee, for one thread;
`lockstep`
    thousands of games at once, one shot in each at every step;
`samplers`
    the sampler of any placement law: that of ``avoid`` takes games;
`placers`
    files of layouts by laws, and by users' programs;
`game`
    one game, move by move;
`advice`
    what a strategy would do in somebody's place;
`arena`
    games turn by turn, for agents that may do anything;
`spot_the_ships`
    one board, scan by scan: the problem "Spot the ships".
"""
