"""Fails before it is ready.

refused: can't play with
says: it ended with exit code 1
line: ModuleNotFoundError: No module named 'absent_module'
"""

import absent_module  # noqa: F401
