"""Charts of leagues and of the quality of moves, one file each, in the style of all charts."""
