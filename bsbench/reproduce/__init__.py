"""Plans of experiments, and the folders of results that follow from them.

`plan`
    what `bsbench reproduce` plays and reports, from a TOML file;
`folder`
    plays a plan; writes and reads its folder of results;
`gathering`
    makes a report of saved records and such folders.
"""
