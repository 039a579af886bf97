"""Experiments: what is asked for, how it is played on all cores, and the record of it.

`request`, `runfile`
    what is asked for, from the command line or a file;
`engine`
    a run: blocks of games on all cores, in rounds;
`record`
    what is kept of a run: JSON, CSV, pandas;
`comparison`, `duel`, `conditions`
    several strategies on the same games, and when a comparison fails;
`exact`
    exact laws of move counts, for strategies that do not listen;
`heat`
    where ships lie, and when a strategy shoots at each cell;
`check`
    whether a strategy keeps the contract;
`bench`
    how fast strategies play on this machine.
"""
