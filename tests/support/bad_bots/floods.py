"""Floods stderr in place of an answer to the greeting.

refused
names: 10,000,000 bytes, stderr
"""

import sys

while True:
    print("I load.\n" * 10_000, file=sys.stderr)
