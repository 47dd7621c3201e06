"""The networks that see all crops of a sheet at once: one reads marks, the other distinguishes ink
from print on the same features.

Names of modules and parameters are keys of the weight files in `lab/weights`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.marks.crops import CHANNELS
from kdscan.rules.duel.board import CASTLE, CELLS, COATS, MAX_CROSSES
from lab.training.networks import Attention, Residual, conv


class OneSheet(nn.Module):
    """`MarksNet` as it is published, for the crops of one sheet: (35, 1, 128, 128) ink and
    (35, 3, 64, 64) coarse planes → its outputs but the last."""

    def __init__(self, net: MarksNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, ink: Tensor, coarse: Tensor) -> tuple[Tensor, ...]:
        return self.net(ink[None], coarse[None])[:-1]  # type: ignore[no-any-return]


class SheetContext(nn.Module):
    """Adds context to each cell's features: mean and standard deviation over all shields of its
    sheet, and the means along each edge of the map. (It is ambiguous to which cell marks between
    two cells belong; those of cells on an edge show it.)

    Cells (S, 35, C, H, W), weights (S, 4, 34) of `edge_weights` → (S, 35, C, H, W). The castle,
    last, receives the context but does not contribute to it.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.sheet = conv(2 * channels, channels, kernel=1)
        self.edges = nn.Conv2d(4 * channels, channels, 1)
        nn.init.zeros_(self.edges.weight)
        self.mix = conv(2 * channels, channels, kernel=1)
        self.out = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )
        nn.init.zeros_(self.out[1].weight)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        shields = x[:, :-1]
        mean = shields.mean(1)
        spread = (shields - mean[:, None]).square().mean(1).add(1e-4).sqrt()
        along = (edges @ shields.flatten(2)).view(x.shape[0], -1, *x.shape[3:])
        sheet = self.sheet(torch.cat([mean, spread], 1)) + self.edges(along)
        common = sheet[:, None].expand_as(x)
        y = self.out(self.mix(torch.cat([x, common], 2).flatten(0, 1)))
        return torch.relu(x + y.view_as(x))


def shield_positions() -> Tensor:
    """(34, 2): columns and rows of the shields of an unflipped sheet, relative to the castle."""
    return torch.tensor([(col - CASTLE[1], row - CASTLE[0]) for row, col in CELLS]).float()


def edge_weights(places: Tensor) -> Tensor:
    """Positions (S, 34, 2) → (S, 4, 34): weights that average the shields along the left, right,
    upper and lower edge."""
    low, high = places.amin(1, keepdim=True), places.amax(1, keepdim=True)
    on_edge = torch.cat([places == low, places == high], 2)[:, :, [0, 2, 1, 3]].float()
    return (on_edge / on_edge.sum(1, keepdim=True)).transpose(1, 2)


class OffsetHead(nn.Module):
    """Predicts the offset of each cell from its crop's centre, using its own features and the means
    of all shields and of those along each edge. On a sheet without lines, a single shield does not
    show to which cell the circles beside it belong.

    Cells (S, 35, C, 8, 8), weights (S, 4, 34) of `edge_weights` → (S, 35, 2) in cells, x before y.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        squeezed, side, hidden = 8, 8, 64
        self.squeeze = nn.Conv2d(channels, squeezed, 1)
        self.cell = nn.Linear(squeezed * side * side, hidden)
        self.sheet = nn.Linear(5 * squeezed * side * side, hidden)
        self.out = nn.Linear(hidden, 2)
        nn.init.zeros_(self.out.weight)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        sheets, cells = x.shape[:2]
        own = torch.relu(self.squeeze(x.flatten(0, 1))).reshape(sheets, cells, -1)
        shields = own[:, :-1]
        sheet = torch.cat([shields.mean(1, keepdim=True), edges @ shields], 1)
        hidden = self.cell(own) + self.sheet(sheet.flatten(1))[:, None]
        offsets: Tensor = self.out(torch.relu(hidden))
        return offsets


def _lookup(table: Tensor, positions: Tensor, at: Tensor) -> Tensor:
    """Look up rows of a table (34, D), which belong to `positions` (34, 2), for shields at other
    positions (S, 34, 2): (S, 34, D), 0 where no position matches."""
    same = (at[:, :, None] == positions).all(-1)
    return same.to(table.dtype) @ table


class CellFeatures(nn.Module):
    """Feature maps of all crops of a sheet, each cell in the context of its sheet.

    Ink (S, 35, 1, 128, 128) and coarse planes (S, 35, 3, 64, 64) of `CellCrops`, the castle last →
    maps of a quarter, an eighth and a sixteenth of the ink's resolution, (S * 35, C, 32, 32),
    (S, 35, C, 16, 16) and (S, 35, C, 8, 8).
    """

    edges: Tensor

    def __init__(self, w: int) -> None:
        super().__init__()
        m = w + w // 2
        self.fine = conv(1, w, 2, kernel=5)
        # Two convolutions: concatenated, 27 channels would not fit onnxruntime's blocked layout.
        self.coarse4 = nn.Conv2d(len(CHANNELS), m, 3, 2, 1, bias=False)
        self.fine4 = nn.Sequential(nn.Conv2d(w, m, 3, 2, 1, bias=False), nn.BatchNorm2d(m))
        self.to8 = nn.Sequential(conv(m, 2 * w, 2), Residual(2 * w), Residual(2 * w))
        self.context8 = SheetContext(2 * w)
        self.to16 = nn.Sequential(conv(2 * w, 4 * w, 2), Residual(4 * w), Residual(4 * w))
        self.context16 = SheetContext(4 * w)
        self.register_buffer("edges", edge_weights(shield_positions()[None]), persistent=False)

    def maps(self, ink: Tensor, coarse: Tensor, edges: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The three maps; edges: (S, 4, 34), see `edge_weights`."""
        sheets, cells = ink.shape[:2]

        def per_cell(y: Tensor) -> Tensor:
            return y.reshape(sheets, cells, *y.shape[1:])

        both = self.coarse4(coarse.flatten(0, 1)) + self.fine4(self.fine(ink.flatten(0, 1)))
        at4 = torch.relu(both)
        at8 = self.context8(per_cell(self.to8(at4)), edges)
        return at4, at8, self.context16(per_cell(self.to16(at8.flatten(0, 1))), edges)


class MarksNet(CellFeatures):
    """All crops of a sheet at once → coats, crosses, whether the castle's roof is coloured, and the
    cells' offsets from their crops.

    Ink (S, 35, 1, 128, 128) and coarse planes (S, 35, 3, 64, 64) of `CellCrops` → logits (S, 34, 7)
    in the order of `COATS`, logits (S, 34, 5) for 0..4 crosses, logit (S, 1) of the roof, offsets
    (S, 35, 2) in cells (true place minus crop's centre, x before y), and logits (S, 34, 1, 16, 16)
    of a cross's position, an auxiliary output for training only. Each shield is classified in the
    context of its sheet: its feature maps by `SheetContext`, its feature vector by `Attention`. The
    offsets are predicted from detached features.

    places: (S, 34, 2), positions of the shields (`shield_positions`) on sheets that were rotated or
    mirrored. A sheet rotated by 90° still has edges, but no learned positions match.
    """

    def __init__(self, width: int = 24) -> None:
        super().__init__(width)
        w, tokens = width, 96
        self.to32 = nn.Sequential(conv(4 * w, 8 * w, 2), Residual(8 * w))
        self.spots = nn.Conv2d(2 * w, 1, 1)
        nn.init.constant_(self.spots.bias, -4.0)
        self.offset = OffsetHead(4 * w)
        self.drop = nn.Dropout(0.1)
        features = 16 * w + 8 * w + 1
        self.token = nn.Linear(features, tokens)
        self.position = nn.Parameter(torch.zeros(len(CELLS), tokens))
        self.register_buffer("places", shield_positions(), persistent=False)
        self.attention = nn.Sequential(Attention(tokens), Attention(tokens))
        self.coat = nn.Linear(features + tokens, len(COATS))
        self.crosses = nn.Linear(features + tokens, MAX_CROSSES + 1)
        self.castle = nn.Linear(16 * w, 1)

    def forward(
        self, ink: Tensor, coarse: Tensor, places: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        edges = self.edges if places is None else edge_weights(places)
        position = self.position if places is None else _lookup(self.position, self.places, places)
        _, at8, at16 = self.maps(ink, coarse, edges)
        # Detached: with gradients from the offsets marks were read worse.
        offsets = self.offset(at16.detach(), edges)
        at32 = self.to32(at16.flatten(0, 1)).unflatten(0, ink.shape[:2])
        spots = self.spots(at8.flatten(0, 1)).unflatten(0, ink.shape[:2])[:, :-1]
        near = torch.cat([at32.mean((3, 4)), at32.amax((3, 4))], 2)
        fine = torch.cat([at16.mean((3, 4)), at16.amax((3, 4))], 2)[:, :-1]
        count = torch.sigmoid(spots).sum((3, 4)) / 4
        features = self.drop(torch.cat([near[:, :-1], fine, count], 2))
        combined = torch.cat([features, self.attention(self.token(features) + position)], 2)
        return self.coat(combined), self.crosses(combined), self.castle(near[:, -1]), offsets, spots


class InkNet(CellFeatures):
    """Segmentation of the ink in all crops of a sheet: the decoder of a U-Net (Ronneberger et al.,
    arXiv:1505.04597) on the frozen feature maps of a marks network. A network that reads coats on
    any print knows where the ink is.

    Ink (S, 35, 1, 128, 128) and coarse planes (S, 35, 3, 64, 64) of `CellCrops`, the castle last →
    logits (S, 35, 128, 128).
    """

    def __init__(self) -> None:
        w, c, pixels = 24, 32, 16
        super().__init__(w)
        self.requires_grad_(False)
        self.up16 = conv(4 * w, c, kernel=1)
        self.up8 = conv(2 * w + c, c)
        self.pixels = conv(pixels, c)  # of the crop itself, 4 × 4 a place
        self.up4 = nn.Sequential(conv(w + w // 2 + 2 * c, c), conv(c, c))
        self.out = nn.Conv2d(c, pixels, 3, padding=1)
        nn.init.constant_(self.out.bias, -2.0)

    def forward(self, ink: Tensor, coarse: Tensor) -> Tensor:
        at4, at8, at16 = self.maps(ink, coarse, self.edges)
        y = _doubled(self.up16(at16.flatten(0, 1)))
        y = _doubled(self.up8(torch.cat([y, at8.flatten(0, 1)], 1)))
        pixels = self.pixels(F.pixel_unshuffle(ink.flatten(0, 1), 4))
        y = self.out(self.up4(torch.cat([y, at4, pixels], 1)))
        return F.pixel_shuffle(y, 4)[:, 0].unflatten(0, ink.shape[:2])


def _doubled(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2.0, mode="nearest")
