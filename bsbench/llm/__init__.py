"""Language models as players: shown boards as text, they answer with cells.

`text`
    observations as text, and cells read from text;
`conversation`
    what is said for one move, and what the answers were like;
`endpoint`
    asks a server over HTTP, within limits of time, size and budget;
`transcript`
    keeps every exchange, so that none is paid twice;
`model`
    a model in the place of a strategy, ``llm:MODEL@URL``, and a strategy that gives it advice.
"""
