"""Results as one page of HTML: figures to read, and views on top to compare and watch.

The page loads nothing and works without a network. Verdict, tables, failures and provenance are
plain HTML; where scripts run, views stand beside them. Its figures are those of the tables: means,
intervals and differences are computed here, and its scripts add up whole numbers of games only.

`scenes`
    results that met the same layouts, and how each two of them compare;
`again`
    games that are played again: the first ones of each strategy, to compare all pairs game by
    game, and a few to watch;
`html`
    the page itself.
"""

from __future__ import annotations
