"""Play notebooks and save them."""

import sys

from tests.notebooks import main

main(sys.argv[1:])
