"""The values of its parameters with which a strategy needs the fewest moves."""
