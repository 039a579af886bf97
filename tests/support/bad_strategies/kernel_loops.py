import bsbench
from bsbench.kernels import kernel


@kernel
def count_for_ever(shots):
    number = 0
    while number >= 0:
        number = (number + shots[0]) % 1000
    return number


class Mine(bsbench.Strategy):
    """Never leaves a kernel.

    fails: FIRES
    names: shoot, 0.5 s
    line: count_for_ever(view.shots)
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            count_for_ever(view.shots)
        return view.shots.copy()
