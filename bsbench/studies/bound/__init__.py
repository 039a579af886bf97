"""A mean number of moves that no strategy beats."""
