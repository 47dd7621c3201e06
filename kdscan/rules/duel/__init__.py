"""Kingdomino Duel, the roll-and-write game."""
