"""Kingdomino, the game with tiles, for two to four players."""
