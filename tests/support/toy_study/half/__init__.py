"""After how many moves half of all games are over: a study for tests, of all parts."""
