"""Names of the families of grounds, how often each is drawn, and which are held out."""

from __future__ import annotations

from kdscan.errors import UsageError
from kdscan.synth.fields import Rng, any_of, weighted

PALE = "paper"
"""Plain or faintly illustrated paper: the family that `page_decor.bare_paper` draws."""

PALE_SHARE = 0.45
"""Share of designs drawn at random that are `PALE`; some of the others are pale as well."""

PAINTED = {
    "painted": 3.0,
    "cartoon": 1.2,
    "watercolour": 1.5,
    "relief": 1.0,
    "provinces": 1.2,
    "patchwork": 1.2,
}
ENGRAVED = {"engraved": 3.0, "etched": 1.5, "portolan": 1.2, "charted": 1.2}
PHOTOGRAPHED = {"parchment": 1.0, "surface": 0.7}
"""Families by group, with the weights by which they are drawn."""
HELD_OUT = ("mosaic", "contours", "woodcut")
"""A fifth of the fifteen families: never drawn unless asked for by name, so that what a reader
makes of a ground of a kind that it never saw can be measured."""

TRAINED = PAINTED | ENGRAVED | PHOTOGRAPHED

GROUPS = {
    "pale": (PALE,),
    "painted": tuple(PAINTED),
    "sepia": tuple(PAINTED),
    "engraved": tuple(ENGRAVED),
    "photographed": tuple(PHOTOGRAPHED),
    "held-out": HELD_OUT,
}
"""What can be asked for: a group's families; sepia are painted ones in browns."""


_COLOURS = {"painted": "full", "sepia": "sepia"}
"""The kind of palette of a group that has one of its own."""


def asked_for(rng: Rng, ground: str | None) -> tuple[str | None, str | None]:
    """A family of a group, or of that name, and the kind of its palette; None: at random.

    Raises UsageError where there is no such ground.
    """
    if ground in GROUPS:
        return any_of(rng, GROUPS[ground]), _COLOURS.get(ground)
    known = (*GROUPS, *TRAINED, *HELD_OUT)
    if ground is not None and ground not in known:
        raise UsageError(f"no ground {ground}; there are {', '.join(known)}")
    return ground, None


def random_family(rng: Rng) -> str:
    """A family at random, never one that is held out."""
    return PALE if rng.random() < PALE_SHARE else weighted(rng, TRAINED)
