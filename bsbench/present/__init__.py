"""What users see: tables, charts, reports, replays, and boards to play on.

Read in this order:

`verdicts`
    what a comparison found, in a sentence or a title;
`sheets`
    What is shown of something found.
`tables`
    tables of results, for the terminal, Markdown, LaTeX and HTML;
`terminal`
    the same on a terminal, as wide as that is;
`progress`
    how far games are, on a terminal, in a notebook, in a log;
`looks`
    colours and lines of strategies, and colours on light and dark ground;
`charts`
    charts, one file for each kind;
`showing`
    results in a shell and in a notebook;
`report`
    tables, charts and provenance of several results, as HTML or Markdown;
`league`
    leagues: rankings, all against all, what went wrong, as text and as an HTML page;
`citing`
    how a paper cites a result;
`boards`
    boards in colours on a terminal;
`odds`, `bounds`, `regret`, `worst`, `calibration`
    exact odds, lower bounds, the optimum, the worst case and calibrations, as text;
`pages`
    what pages of HTML share;
`calculator`
    exact odds as a page that goes on counting;
`replaying`
    one game, move by move, as text or as an HTML page;
`explorer`
    saved results as a page: strategies on and off, distributions, pairs, games to watch;
`human`
    a person's game against a hidden layout;
`human_screen`
    that game on a terminal.
"""
