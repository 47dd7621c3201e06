"""Maps of Kingdomino Duel."""
