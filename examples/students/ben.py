"""A strategy that runs out of cells."""


class Hunter:
    """Shoots at the centre, and has no plan for later."""

    plan = (44, 45, 54, 55)

    def shoot(self, view):
        """Return a cell, four times."""
        return self.plan[len(view.shots)]
