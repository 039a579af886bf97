"""What people see: tables, charts, reports, replays, and boards to play on."""
