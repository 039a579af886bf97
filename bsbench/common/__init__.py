"""What every other room uses: errors, checked settings, files, blocks on threads.

`errors`
    what goes wrong, in one sentence for the person at the terminal;
`settings`, `parameters`
    names and values that people give: read, checked, and set by name;
`machine`
    processor, cores and versions, for the record;
`files`
    files and folders that are written whole or not at all;
`parallel`
    blocks of work on threads, passed on in order, ended by Ctrl-C.
"""
