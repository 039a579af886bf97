"""Matches: sides that hide and shoot, and who beats whom."""
