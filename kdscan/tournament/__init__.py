"""The tournament desk: many photos, the store that keeps them, games and standings."""
