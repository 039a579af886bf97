"""The one exception for mistakes a user can mend."""


class BsbenchError(Exception):
    """Bad input: a sentence that names what is wrong and how to mend it.

    The command line prints the sentence and exits with code 2; a traceback
    therefore always means a defect of bsbench (or of a strategy).
    """
