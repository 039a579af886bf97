"""Classes in numpy that go wrong, and one that doesn't."""

import numpy as np

import bsbench


class Floats(bsbench.BatchStrategy):
    """Returns numbers of another type.

    fails: FIRES
    names: shoot, float64
    """

    def shoot(self, view):
        return np.where(view.live, view.shots / 1.0, 0.0)


class Good(bsbench.BatchStrategy):
    """Sound: shoots at random, by the numbers that the view has.

    passes
    """

    def shoot(self, view):
        return np.where(view.shot, -1, view.random()).reshape(view.games, -1).argmax(axis=1)


class Marks(bsbench.BatchStrategy):
    """Writes into what it is shown.

    fails: FIRES
    names: ValueError
    line: view.shot[:] = True
    """

    def shoot(self, view):
        view.shot[:] = True
        return view.shots.copy()


class Recalls(bsbench.BatchStrategy):
    """Begins where the last game of its place ended.

    fails: ANY_BATCH
    names: batch
    """

    def reset(self, rules, games):
        self.played = np.zeros(games, np.int64)

    def shoot(self, view):
        self.played += view.fresh
        return (view.shots + self.played) % view.rules.cells


class Shape(bsbench.BatchStrategy):
    """Returns two cells for each game.

    fails: FIRES
    names: shoot, array
    """

    def shoot(self, view):
        return np.zeros((view.games, 2), np.int64)
