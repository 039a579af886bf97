"""The least mean that any strategy can reach, and how far strategies are from it."""
