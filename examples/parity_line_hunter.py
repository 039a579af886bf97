"""A strategy in plain Python that someone might really play."""


class ParityLineHunter:
    """Hunts where a ship has most room, on every second cell; two hits in a line are followed.

    Source: how many people play.

    While no ship is wounded, only every second cell is shot, as on a checkerboard, since each ship
    of 2 covers one of them; when the shortest ship afloat has 3 cells, every third will do. Of
    these it takes the one with most open cells around it in a straight line. After a hit come
    the cells beside it, and after a second one beside the first, those at the ends of their line.
    """

    name = "parity-line-hunter"
    source = "an example of bsbench"
    home = "classic"

    # What it shoots depends on nothing but the view, so games with the same history share it.
    deterministic = True

    def reset(self, rules, rng):
        """Begin a game. A strategy with chance in it would draw from rng."""
        self.fleet = rules.fleet

    def shoot(self, view):
        """Return the next cell."""
        wounded = set(view.wounded)
        targets = self.ends_of_lines(view, wounded) or self.beside_hits(view, wounded)
        if not targets:
            step = min(self.fleet[ship] for ship in view.afloat)
            targets = [
                cell for cell in view.open_cells if (view.row(cell) + view.col(cell)) % step == 0
            ]
        # Every step-th cell may have been shot, where sinking is not told.
        return max(targets or view.open_cells, key=lambda cell: self.room(view, cell))

    def ends_of_lines(self, view, wounded):
        """Return the open cells in line with two wounded ones side by side."""
        ends = []
        for cell in wounded:
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                row, col = view.row(cell), view.col(cell)
                ahead = view.at(row + down, col + right)
                behind = view.at(row - down, col - right)
                if behind in wounded and ahead is not None and view.is_open(ahead):
                    ends.append(ahead)
        return sorted(ends)

    def beside_hits(self, view, wounded):
        """Return the open cells beside wounded ones."""
        if view.rules.feedback == 0:
            # Nobody tells what sank: hits beside each other have been followed to both ends.
            wounded = {cell for cell in wounded if not wounded.intersection(view.neighbours(cell))}
        beside = {near for cell in wounded for near in view.neighbours(cell)}
        return sorted(filter(view.is_open, beside))

    def room(self, view, cell):
        """Return how many open cells there are from a cell in straight lines, up to 4 each way."""
        count = 0
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            row, col = view.row(cell), view.col(cell)
            for distance in range(1, 5):
                ahead = view.at(row + distance * down, col + distance * right)
                if ahead is None or not view.is_open(ahead):
                    break
                count += 1
        return count
