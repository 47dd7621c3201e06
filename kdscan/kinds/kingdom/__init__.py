"""Kingdoms of tiles: Kingdomino."""
