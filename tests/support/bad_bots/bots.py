"""Bots that go wrong, each a function: ``python3 bots.py NAME`` runs the one of that name.

The first line of its docstring says what the bot does, the lines below what bsbench has to say:
see ``README.md``.
"""

import os
import sys
import time

from _bot import play, play_many, play_until_third, third


def aborts():
    """Is ended by a signal.

    fault: SIGABRT
    """
    play_until_third(lambda open_cells: os.abort())


def answers_twice():
    """Answers with two lines.

    fault: '3'
    """
    play_until_third(lambda open_cells: "2\n3")


def babbles():
    """Answers with something else than a cell, which would colour a terminal.

    fault: '\\x1b[31mB3', 0 to 24
    """
    play_until_third(lambda open_cells: "\x1b[31mB3")


def boasts():
    """Writes a line when it hears that a game is over.

    fault: 'I won', games
    game: 0
    """
    play(min, over=lambda shots: print("I won", flush=True))


def boasts_in_many():
    """Writes a line when it hears that one of its games is over.

    fault: 'I won', games
    game: 0
    """
    play_many(min, "games 2", over=lambda shots: print("I won", flush=True))


def chatters():
    """Plays well, and writes much to stderr.

    passes
    """

    def choose(open_cells):
        print("I think.\n" * 10_000, file=sys.stderr)
        return open_cells[0]

    play(choose)


def closes():
    """Closes its stdout, and waits.

    fault: stdout
    """
    play_until_third(lambda open_cells: os.close(1) or time.sleep(60))


def counts_late():
    """Writes a number when it hears that a game is over, with its next answer.

    fault: '24', games
    game: 0
    """
    play(min, over=lambda shots: print(24))


def falls_short():
    """Answers for one game too few, of many at once.

    fault: 1, 2, shoot
    game: 1
    """
    begun = set()

    def choose(open_cells):
        begun.add(id(open_cells))
        return "" if len(begun) == 3 else open_cells[0]

    play_many(choose, "games 2")


def floods():
    """Floods stderr in place of an answer to the greeting.

    refused
    names: 10,000,000 bytes, stderr
    """
    while True:
        print("I load.\n" * 10_000, file=sys.stderr)


def forks():
    """Forks; the fork waits, and the program ends.

    fault: exit code 0
    """
    play_until_third(lambda open_cells: os._exit(0) if os.fork() else time.sleep(60))


def gambles():
    """Takes random numbers that do not belong to the game.

    fails: REPEATS
    names: game, random
    """
    import random

    play(random.choice)


def gives_up():
    """Says itself that something is wrong.

    fault: no cell left at <move 3>
    """
    play_until_third(lambda open_cells: "error no cell left at <move 3>")


def good():
    """Shoots at the first open cell.

    passes
    """
    play(min, "name Linear")


def good_many():
    """Shoots at the first open cell, in many games at once.

    passes
    """
    play_many(min, "name good-many", "games 5")


def good_random():
    """Shoots at random, as the number of the game says, in many games at once.

    passes
    """
    import random

    def choose(open_cells, number):
        return random.Random(number + len(open_cells)).choice(open_cells)

    play_many(choose, "games 7", "random", "needs sunk")


def hangs():
    """Does not answer.

    fault: 0.5 s
    """
    play_until_third(lambda open_cells: time.sleep(60))


def hashes():
    """Takes what comes first in a set of texts.

    fails: ANY_PROCESS
    names: set
    """
    play(lambda open_cells: next(iter({str(cell) for cell in open_cells})))


def leaves():
    """Shoots off the board.

    fault: 25, 5x5, 0 to 24
    line: '25'
    """
    play_until_third(lambda open_cells: 25)


def many_zeros():
    """Says how many games it plays with zeros before the number, and so many after it.

    refused
    names: 'games 0000040969'
    """
    play(min, "games 0000040969")


def no_bot():
    """Echoes what it reads, as cat does.

    refused
    names: 'bsbench battleship 1', name
    """
    for line in sys.stdin:
        print(line, end="", flush=True)


def option_taken():
    """Announces an option that all bots have.

    refused
    names: restart, my_restart
    """
    play(min, "option restart int 1 0 3")


def option_twice():
    """Announces an option twice.

    refused
    names: before, line 2
    """
    play(min, "option level int 1 0 3\noption level int 2 0 3")


def pours():
    """Writes megabytes without the end of a line.

    fault: 1,048,576 bytes
    """

    def choose(open_cells):
        while third(open_cells):
            print("1234567 " * 10_000, end="")
        return open_cells[0]

    play(choose)


def raises():
    """Fails with a traceback.

    fault: exit code 1
    line: IndexError
    """
    play_until_third(lambda open_cells: open_cells[100])


def remembers():
    """Remembers the games before.

    fails: REPEATS
    names: game
    """
    games = []

    def choose(open_cells):
        if open_cells[:2] == [0, 1]:
            games.append(None)
        return open_cells[(open_cells[0] + len(games)) % len(open_cells)]

    play(choose)


def repeats():
    """Shoots at a cell twice.

    fault: 0, A1
    line: '0'
    """
    play_until_third(lambda open_cells: 0)


def sends_binary():
    """Writes bytes that are no text.

    fault: 0 to 24
    """
    binary = b"\0\xff\7\x80" * 100
    play_until_third(lambda open_cells: sys.stdout.buffer.write(binary))


def silent():
    """Answers with an empty line.

    fault: empty, 0 to 24
    """
    play_until_third(lambda open_cells: "")


def starts_badly():
    """Fails before it is ready.

    refused
    names: exit code 1
    line: 'absent_module'
    """
    import absent_module  # noqa: F401


def stays():
    """Plays well, starts a program that waits, and ignores quit.

    passes
    """
    import subprocess

    subprocess.Popen(["sleep", "60"])
    play(min)
    time.sleep(60)


def thinks():
    """Says what it thinks, has options, and writes lines of its own.

    passes
    """
    options = "option level int 1 0 3", "option mild bool true"
    thoughts = "text yes\nchoices 0 1\nmood good\nready"
    play(
        lambda cells: f"depth 3\n{cells[0]}",
        *("can info depth", "depth", *options),
        think=lambda cells: f"chances{' 0.5' * cells}\n{thoughts}",
    )


def thinks_after():
    """Writes lines of its own after its answers, too.

    passes
    """
    play(lambda cells: f"{cells[0]}\ndepth 3", "can depth", "depth 1")


def thinks_in_nans():
    """Gives chances that are no numbers.

    fails: INSIGHT
    names: 25, nan
    """
    play(min, "can info", think=lambda cells: f"chances{' nan' * cells}\nready")


def thinks_of_long_numbers():
    """Considers a cell with a number of many digits.

    fails: INSIGHT
    names: 24
    """
    play(min, "can info", think=lambda cells: f"choices {'0' * 9}{'5' * 5000}\nready")


def thinks_of_too_little():
    """Gives chances of all cells but one.

    fails: INSIGHT
    names: 25
    """
    play(min, "can info", think=lambda cells: f"chances{' 0.5' * (cells - 1)}\nready")


def thinks_off_the_board():
    """Considers a cell that is not there.

    fails: INSIGHT
    names: 24
    """
    play(min, "can info", think=lambda cells: f"choices 0 {cells}\nready")


def thinks_too_long():
    """Answers with more than bsbench reads.

    fails: INSIGHT
    names: 1,048,576
    """
    play(min, "can info", think=lambda cells: f"text {'x' * (1 << 20)}\nready")


def thinks_twice():
    """Says twice what it thinks.

    fails: INSIGHT
    names: text, 'text no'
    """
    play(min, "can info", think=lambda cells: "text yes\ntext no\nready")


def thinks_unasked():
    """Says what it thinks before it is asked, and has not announced such lines.

    fault: 0 to 24
    line: 'chances 1'
    """
    play(lambda cells: f"chances 1\n{cells[0]}", "can info")


def thinks_without_end():
    """Says ever more, and is never ready.

    fails: INSIGHT
    names: 100, ready
    """
    play(min, "can info", think=lambda cells: "x\n" * 100)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
