"""Players of users, who shoot or place ships: found, loaded, run apart, and blamed for faults.

A strategy in plain Python chooses the shots of one game, a strategy in numpy those of a batch
of games, an agent chooses actions from observations. A strategy with kernels is a subclass of
`bsbench.Strategy`, as the built-in ones are, and runs inside the engine; all others run in a
*thinker*, a process of its own. Read in this order:

`contract`
    what a game, shooting or placing, says of itself; Battleship as such a game;
`proxy`
    a user's player in the place of a built-in one, whatever it plays;
`thinker`, `wire`, `thinker_main`
    a thinker seen from bsbench, what goes to and fro, and what runs in it;
`pool`
    processes that play for a strategy: those that are idle are used again;
`lines`, `program`
    programs that talk in lines, in any language; the commands that run them, how they begin, and
    are kept within their limits;
`importing`, `declaring`
    imports users' classes, and reads what they declare;
`adapter`
    a user's class in the place of a built-in strategy: what knows seed and games by number;
`bot`, `exchange`
    programs as strategies: see docs/protocol.md; the lines of a batch of games;
`placing`, `placer`
    placing ships as such a game; classes and bots that place them;
`choosing`
    what plays a user's class where its code runs, of whatever kind;
`game`
    one game as a strategy in plain Python sees it;
`python`
    strategies in plain Python, one object for each game;
`batch`
    strategies in numpy, for a batch of games, and what is known of these games, kept for them;
`observation`
    what an agent is shown, in several formats;
`agents`
    agents in the place of strategies;
`policies`
    networks in ONNX as strategies;
`order`
    printed firing orders as strategies;
`loading`, `describing`
    finds strategies in files, modules and installed packages; reads what they declare;
`blame`
    the line of a user's code that caused an error;
`printing`
    what strategies print, reported once;
`templates`
    the files that ``bsbench new`` writes.
"""
