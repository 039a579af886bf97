"""Whether a strategy keeps to the contract."""
