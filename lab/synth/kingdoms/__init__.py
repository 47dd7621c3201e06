"""Photos of kingdoms of tiles."""
