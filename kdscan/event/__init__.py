"""The tournament desk: many photos, the store for them, games and standings."""
