"""Experiments: what is asked for, how it is played on all cores, and the record of it.

Read in this order:

`request`
    which games to play, checked before any is played;
`runfile`
    the same from a TOML file: ``run --config``;
`tally`
    what is known of a range of games, and the sum of it over ranges;
`identity`
    what makes two ranges parts of the same run: hashes of code and files included;
`formats`
    what records hold, as types;
`results`
    the result of a run, as JSON, CSV and pandas; saved, and joined from ranges of its games;
`records`
    records of results, read and checked;
`games`
    single games of results, with layouts and shots, as CSV or Parquet;
`finding`
    records by name: files, folders, and those that come with bsbench;
`known`
    what those that come with bsbench say of means, differences and speeds;
`several`
    several results: what a list of runs gives, and what a folder holds;
`rounds`
    after how many games a run is looked at;
`cores`
    one strategy: blocks of games on all cores, put together in order;
`contestants`
    the strategies and results of a comparison;
`comparison`
    several results on the same games, each against a reference;
`pooling`
    results of ranges, and comparisons under several seeds, put together;
`panel`
    several strategies on the same games, in turn: compared while they play, and kept in a journal;
`chunks`, `payloads`
    what is known of a range of games that was played elsewhere; strategies and layouts that travel;
`opening`, `cluster`, `worker`
    where games are played, opened; a Dask cluster seen from the client; what its workers do;
`experiment`
    strategies, scenarios, seeds and games that are asked for, checked;
`comparing`
    plays them: `bsbench.compare`;
`running`
    the same with one strategy or several: `bsbench.run`;
`sweeps`
    all values of parameters, on the same games;
`conditions`
    when a comparison fails, such as ``mean > +0.5``;
`exact`
    exact laws of move counts: formulas, and all layouts played once;
`chances`
    how likely each cell held a ship before each shot of a game;
`heat`
    where ships lie, and when a strategy shoots at each cell;
`alarms`
    results that no honest strategy reaches.
"""
