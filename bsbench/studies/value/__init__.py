"""What hiding is worth against shooting, if both sides choose as well as they can."""
