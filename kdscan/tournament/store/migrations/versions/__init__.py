"""One file a version of the tables, in order."""
