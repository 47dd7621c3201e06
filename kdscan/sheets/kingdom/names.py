"""Names of squares for people."""

from __future__ import annotations

from kdscan.i18n import Words, mark

TERRAIN_NAMES = {
    "wheat": mark("wheat"),
    "forest": mark("forest"),
    "lake": mark("lake"),
    "grassland": mark("grassland"),
    "swamp": mark("swamp"),
    "mine": mark("mine"),
    "castle": mark("castle"),
    "empty": mark("empty"),
}


def square_name(words: Words, terrain: str, crowns: int) -> str:
    """A square with its crowns."""
    return f"{words.t(TERRAIN_NAMES[terrain])} {'♛' * crowns}".rstrip()
