"""How many layouts there are, and where their ships lie. Builds on `odds`."""
