"""Plays well, starts a program that waits, and ignores quit.

passes
"""

import subprocess
import time

from _bot import play

subprocess.Popen(["sleep", "60"])
play(min)
time.sleep(60)
