"""Says twice what it thinks.

fails: INSIGHT
names: text, 'text no'
"""

from _bot import play

play(min, "can info", think=lambda cells: "text yes\ntext no\nready")
