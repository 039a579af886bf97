"""What users see: tables, charts, reports, replays, and boards to play on.

Read in this order:

`verdicts`
    what a comparison found, in a sentence or a title;
`sheets`
    what is shown of something that was found: a table, with what stands above and below it;
`tables`
    tables of results, for Markdown, LaTeX and HTML;
`matches`
    tables of matches: how games ended, and all against all;
`terminal`
    tables and sheets on the terminal;
`progress`
    how far games are, on a terminal, in a notebook, in a log;
`looks`
    colours and lines of strategies, and colours on light and dark ground;
`charts`
    charts, one file for each kind;
`showing`
    results in a shell and in a notebook;
`scale`
    what shares one scale, and what lies beyond it;
`report`
    tables, charts and provenance of several results, gathered, and as Markdown;
`citing`
    how a paper cites a result;
`boards`
    boards in colours on a terminal;
`pages`
    what pages of HTML share;
`replaying`
    one game, move by move, as text or as an HTML page;
`page`
    results as a page: verdict and table, strategies on and off, all pairs, games to watch;
`human`
    a person's game against a hidden layout;
`hiding`
    how a person lays a fleet;
`human_screen`
    both on a terminal.
"""
