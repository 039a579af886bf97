"""Floods stderr in place of an answer to the greeting.

refused: can't play with
says: it wrote more than 10,000,000 bytes to stderr, and no answer
"""

import sys

while True:
    print("I load.\n" * 10_000, file=sys.stderr)
