"""Questions beyond a run, each in a folder of its own that no other file names.

In a folder, as far as the question needs it:

``study.py``
    how the answer is found, and what is found, as a type: it is the record, too;
``sheet.py``
    what is shown of it: a table, with what stands above and below it;
``command.py``
    the command of the folder's name: what it takes, and `bsbench.cli.delivery.Study`;
``KIND.py`` with ``NEEDS``
    a chart of that kind.

The command line finds the folders, and with them help, exports, schemas, completion and the pages
of the reference. A study imports another one only if its ``__init__`` says that it builds on it.
"""
