"""What every other subpackage uses: errors, checked settings, files, blocks on threads.

Read in this order:

`texts`
    text from files and users: checked when read, escaped when shown;
`errors`
    mistakes of users and of strategies, each in one sentence;
`arguments`
    arguments of public functions, checked by their annotations;
`machine`
    processor, cores, versions and date, for records;
`reading`
    files that may come from a stranger, read within limits of memory and time;
`packing`
    many whole numbers as text, likewise;
`settings`
    names and values that users give: read from files, checked, written;
`parameters`
    parameters as fields of a dataclass: checked and set by name;
`shown`
    what users see of results in a shell or notebook;
`progress`
    how far something is, for terminals, logs and users' functions;
`discovery`
    strategies and studies found by their files in a folder;
`files`
    files and folders that are written whole or not at all;
`record`, `found`
    Formats of files as types; what activities find.
`journal`
    what a run in progress keeps on disk, so that it can go on after a crash;
`parallel`
    blocks of work on threads; results come in order, and Ctrl-C ends it.
"""
