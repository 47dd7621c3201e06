"""What is impossible about a finished kingdom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kdscan.rules.grid import alone
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.tiles import SQUARES
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.problem import Problem


def find_problems(kingdom: Kingdom, variants: Variants = PLAIN) -> tuple[Problem, ...]:
    """Violations of size, pairing, contact and the box's contents; others may remain.

    The demo has its own dominoes, so its kingdoms are not checked against the box.
    """
    found = tuple(_problems(kingdom, variants.size))
    return found if variants.demo else (*found, *_not_in_the_box(kingdom))


def _problems(kingdom: Kingdom, size: int) -> Iterator[Problem]:
    everything = tuple(sorted(kingdom.squares))
    if max(kingdom.extent) > size:
        rows, cols = kingdom.extent
        why = f"the kingdom spans {rows} x {cols} squares, where {size} x {size} is the limit"
        yield Problem("too_large", "error", why, everything)
    if len(everything) % 2:
        why = f"{len(everything)} squares cannot be dominoes of two"
        yield Problem("odd_squares", "error", why, everything)
    if lonely := alone(kingdom.squares):
        yield Problem("unpaired_squares", "error", "half a domino without its other half", lonely)


def _not_in_the_box(kingdom: Kingdom) -> Iterator[Problem]:
    everything = sorted(kingdom.squares)
    counts = Counter(kingdom.squares.values())
    for square, count in sorted(counts.items(), key=lambda item: str(item[0])):
        if count > SQUARES[square]:
            cells = tuple(cell for cell in everything if kingdom.squares[cell] == square)
            crowns = f"{square.crowns} crown{'s' * (square.crowns != 1)}"
            why = (
                f"squares of {square.terrain} with {crowns}: {count}, where the box holds "
                f"{SQUARES[square]}"
            )
            yield Problem("not_in_the_box", "error", why, cells)
