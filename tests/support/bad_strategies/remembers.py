class Mine:
    """Remembers other games in a list of the class.

    fails: REPEATS
    names: class
    """

    queue = []  # noqa: RUF012 - the mistake

    def shoot(self, view):
        self.queue.append(0)
        return view.open_cells[len(self.queue) % len(view.open_cells)]
