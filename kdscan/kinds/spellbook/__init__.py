"""Spellbooks of Kingdomino Duel."""
