"""Which of two strategies needs fewer moves."""
