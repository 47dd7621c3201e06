"""Ways to play Kingdomino, for tests."""

from __future__ import annotations

from hypothesis import strategies as st

from kdscan.rules.kingdomino.kingdom import PLAIN, Variants

variants = st.sampled_from(
    [
        (2, PLAIN),
        (3, Variants(harmony=True)),
        (4, Variants(middle_kingdom=True, harmony=True)),
        (2, Variants(great_duel=True, middle_kingdom=True)),
        (2, Variants(demo=True)),
    ]
)
"""How many play, by which rules."""
