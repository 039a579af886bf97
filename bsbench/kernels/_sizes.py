"""How many games the values hold that kernels work with; numba is not needed to know it."""

WORDS = 8
"""64-bit words in a value of `bsbench.kernels.lanes`."""

LANES = 64
"""Lanes in a value of `bsbench.kernels.numbers`."""
