"""Fails before it is ready.

refused
names: exit code 1
line: 'absent_module'
"""

import absent_module  # noqa: F401
