"""Whether the probabilities of a strategy are what they claim."""
