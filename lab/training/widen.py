"""Initial weights of a wider marks network that computes the same function as a narrower one.

The old channels come first and read no new ones. The new channels read everything, and their
outgoing weights start at zero (a case of Net2Net, Chen et al., arXiv:1511.05641).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from lab.training.marks_networks import MarksNet

POOLED = {
    "token": (8, 8, 4, 4),
    "coat": (8, 8, 4, 4),
    "crosses": (8, 8, 4, 4),
    "castle": (8, 8),
    "context8.sheet": (2, 2),
    "context8.edges": (2, 2, 2, 2),
    "context8.mix": (2, 2),
    "context16.sheet": (4, 4),
    "context16.edges": (4, 4, 4, 4),
    "context16.mix": (4, 4),
}
"""Layers that read several concatenated feature maps: the maps' channels, as multiples of the
network's width. The inputs after them (counts, tokens) do not depend on the width."""

_GRID = "offset.cell.weight"


def widen(net: MarksNet, narrow: Mapping[str, Tensor]) -> None:
    """Load the weights of a narrower network, in place.

    The head that predicts offsets reads whole grids of features: if the narrower network saw crops
    of another size (marks 18: 160 pixels), it keeps its initial weights. Raises ValueError for
    weights that are not those of a `MarksNet` with fewer channels.
    """
    wide = net.state_dict()
    width, old = len(wide["fine.0.weight"]), len(narrow["fine.0.weight"])
    if narrow[_GRID].shape != wide[_GRID].shape:
        narrow = {name: w for name, w in narrow.items() if not name.startswith("offset.")}
    for name, weights in narrow.items():
        own = wide.get(name)
        if own is None or any(a < b for a, b in zip(own.shape, weights.shape, strict=True)):
            raise ValueError(f"{name} does not fit into a network of width {width}")
        if own.shape == weights.shape:
            own.copy_(weights)
            continue
        if own.ndim == 1:
            own[: len(weights)] = weights
            continue
        layer = name.removesuffix(".weight").removesuffix(".0")
        columns = _columns(POOLED.get(layer, ()), weights.shape[1], old, width)
        own[: len(weights)] = 0
        own[: len(weights), columns] = weights
    net.load_state_dict(wide)


def _columns(maps: Sequence[int], count: int, old: int, width: int) -> list[int]:
    """The columns of a wide layer for the `count` columns of the narrow one."""
    out: list[int] = []
    start = 0
    for channels in maps:
        out += range(start, start + channels * old)
        start += channels * width
    return out + list(range(start, start + count - len(out)))
