"""kdscan: photograph a finished sheet of Kingdomino Duel, get its score."""
