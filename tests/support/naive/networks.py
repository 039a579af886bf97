"""What a trained agent's network shoots."""


def network(rules, seed: int, game: int, weights):
    """Shoot the first open cell with the highest score; weights are lists of rows, one an input."""
    marks = [0] * rules.cells
    afloat = [1.0] * len(rules.fleet)
    while 0 in marks:
        inputs = [float(mark == wanted) for wanted in (1, 2, 3) for mark in marks] + afloat
        for layer in ("first", "second", "third"):
            rows, bias = weights[layer], weights[f"{layer}_bias"]
            sums = [
                bias[unit] + sum(value * row[unit] for value, row in zip(inputs, rows, strict=True))
                for unit in range(len(bias))
            ]
            inputs = [max(value, 0.0) for value in sums]
        cell = max((cell for cell in range(rules.cells) if not marks[cell]), key=sums.__getitem__)
        reply = yield cell
        marks[cell] = 2 if reply.hit else 1
        if reply.sunk:
            afloat[reply.ship] = 0.0
            for part in reply.cells:
                marks[part] = 3
