"""Runs the command line as ``python -m bsbench``."""

from bsbench.cli import main

if __name__ == "__main__":
    main()
