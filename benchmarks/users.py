"""Strategies of users that only the benchmarks play."""

from examples.parity_line_hunter import ParityLineHunter


class Alone(ParityLineHunter):
    """The same without shared decisions."""

    name = "parity-line-hunter-alone"
    deterministic = False
