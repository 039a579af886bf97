"""The layout on which a strategy needs the most moves."""
