"""Exact counts: layouts that agree with what shots revealed, and uniform samples of them.

`evidence`
    what shots revealed, as a set of possible slots for each ship and a set of hits to explain;
`tables`
    slots as bits, by the length of ships;
`joins`, `frontier`
    two ways to count: slot by slot with sets of bits, for few layouts or ships; cell by cell, for
    many;
`lanes`
    evidence and joins in many games at once, for kernels;
`unsettled`
    what of a position is counted by frontiers;
`stored`
    counts of empty boards that take long to compute;
`posterior`
    `find_posterior` chooses between them. A `Posterior` has counts, probabilities and samples;
`searches`, `bounds`
    how many layouts can be finished with few misses, and the mean that no strategy beats;
`optimum`
    the least mean that any strategy can reach on a small board;
`responses`
    the best shots against layouts of any weight, and a book of them;
`positions`
    answers and boards as people write them.
"""
