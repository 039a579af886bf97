"""Whether a record was played as it says."""
