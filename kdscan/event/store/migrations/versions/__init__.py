"""One file per version of the tables, in order."""
