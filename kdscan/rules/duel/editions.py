"""The differences between the printed rulebooks, each as a named option."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edition:
    """One printed rulebook.

    obtained: whether a coat without a cross fills a square of the spellbook as soon as the domino
        is made, drawn on the map or not.
    round_more: whether one more round is played after the one in which nobody drew.
    """

    name: str = "english"
    obtained: bool = False
    round_more: bool = False


ENGLISH = Edition()
FRENCH = Edition("french", obtained=True, round_more=True)
POLISH = Edition("polish")

EDITIONS: dict[str, Edition] = {edition.name: edition for edition in (ENGLISH, FRENCH, POLISH)}
"""By name, as the command line spells them."""
