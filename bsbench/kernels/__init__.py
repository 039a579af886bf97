"""Jitted building blocks: flags and cache, random streams, bit planes."""
