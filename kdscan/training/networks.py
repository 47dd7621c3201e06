"""The networks, small enough for a laptop core. PyTorch lives in this package alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.records import CELLS, COATS, COLS, KINDS, MAX_CROSSES, ROWS
from kdscan.training.augment import PLACES


def conv(cin: int, cout: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, batch norm, ReLU."""
    layer = nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two convolutions beside a short cut (He et al., arXiv:1512.03385)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = conv(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class LocateNet(nn.Module):
    """A U-Net from a thumbnail to votes: on the grid?, where in it?, how sure?

    (B, 3, H, W) 0..1 → (B, 1, H/8, W/8), (B, 2, H/8, W/8), (B, 1, H/8, W/8).
    """

    def __init__(self, width: int = 12, outputs: int = 4) -> None:
        super().__init__()
        w = width
        self.to4 = nn.Sequential(conv(3, w, 2), conv(w, 2 * w, 2))
        self.to8 = nn.Sequential(conv(2 * w, 3 * w, 2), Residual(3 * w))
        self.to16 = nn.Sequential(conv(3 * w, 5 * w, 2), Residual(5 * w))
        self.to32 = nn.Sequential(conv(5 * w, 6 * w, 2), Residual(6 * w))
        self.to64 = nn.Sequential(conv(6 * w, 8 * w, 2), Residual(8 * w), Residual(8 * w))
        self.up32 = conv(14 * w, 6 * w)
        self.up16 = conv(11 * w, 5 * w)
        self.up8 = conv(8 * w, 4 * w)
        self.head = nn.Conv2d(4 * w, outputs, 1)

    def votes(self, x: Tensor) -> Tensor:
        """(B, 3, H, W) 0..1 → (B, outputs, H/8, W/8)."""
        s8 = self.to8(self.to4(x - 0.5))
        s16 = self.to16(s8)
        s32 = self.to32(s16)
        y = self.to64(s32)
        for skip, merge in ((s32, self.up32), (s16, self.up16), (s8, self.up8)):
            y = F.interpolate(y, size=skip.shape[2:], mode="nearest")
            y = merge(torch.cat([y, skip], 1))
        voted: Tensor = self.head(y)
        return voted

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        out = self.votes(x)
        return out[:, :1], out[:, 1:3], out[:, 3:]


class TilesNet(LocateNet):
    """The same from a thumbnail to votes of tiles: on a square?, its centre?, how sure?, how laid?

    (B, 3, H, W) 0..1 → (B, 1, h, w) logits, (B, 2, h, w) from the patch to the square's
    centre in patches, (B, 1, h, w) log of its expected error, (B, 3, h, w) cosine and sine
    of four times the angle of the square's side and the log of its length in patches.
    """

    def __init__(self, width: int = 8) -> None:
        super().__init__(width, outputs=7)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        out = self.votes(x)
        return out[:, :1], out[:, 1:3], out[:, 3:4], out[:, 4:]


class RefineNet(nn.Module):
    """A coarse view of the grid → where each cell really is, and which way is up.

    (B, 3, 224, 288) 0..1 → offsets (B, 2, 5, 7) in cells, logits (B, 1, 5, 7) that a
    cell is there, logit (B, 1) that the view is upright.
    """

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        w = width
        self.body = nn.Sequential(
            conv(3, w, 2),
            conv(w, 2 * w, 2),
            conv(2 * w, 3 * w, 2),
            Residual(3 * w),
            conv(3 * w, 4 * w, 2),
            Residual(4 * w),
            conv(4 * w, 6 * w, 2),
            Residual(6 * w),
        )
        self.context = nn.Sequential(
            conv(6 * w, 4 * w, 2), nn.Flatten(), nn.Linear(4 * w * 20, 64), nn.ReLU()
        )
        self.mix = nn.Sequential(nn.Conv2d(6 * w + 64, 6 * w, 1), nn.ReLU(), nn.Conv2d(6 * w, 3, 1))
        self.up = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = self.body(x - 0.5)
        whole = self.context(y)
        wide = whole[:, :, None, None].expand(-1, -1, ROWS, COLS)
        out = self.mix(torch.cat([y[:, :, 1:-1, 1:-1], wide], 1))
        return out[:, :2], out[:, 2:], self.up(whole)


class Shared(nn.Module):
    """Each cell beside what all shields of its sheet have in common, how they vary, and how
    the shields along each edge of the map look: what lies between two cells belongs to the
    one on whose side it is seen along an edge as well.

    (S, 35, C, H, W), (S, 4, 34) of `rims_of` → the first one's shape; the castle, last, looks on
    but is not counted.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.sheet = conv(2 * channels, channels, kernel=1)
        self.rims = nn.Conv2d(4 * channels, channels, 1)
        nn.init.zeros_(self.rims.weight)
        self.mix = conv(2 * channels, channels, kernel=1)
        self.out = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )
        nn.init.zeros_(self.out[1].weight)

    def forward(self, x: Tensor, rims: Tensor) -> Tensor:
        shields = x[:, :-1]
        mean = shields.mean(1)
        spread = (shields - mean[:, None]).square().mean(1).add(1e-4).sqrt()
        along = (rims @ shields.flatten(2)).view(x.shape[0], -1, *x.shape[3:])
        sheet = self.sheet(torch.cat([mean, spread], 1)) + self.rims(along)
        common = sheet[:, None].expand_as(x)
        y = self.out(self.mix(torch.cat([x, common], 2).flatten(0, 1)))
        return torch.relu(x + y.view_as(x))


class Attention(nn.Module):
    """Shields of one sheet look at one another (Vaswani et al., arXiv:1706.03762): (S, N, D)."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.give = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU())
        self.say = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        s, n, d = x.shape
        parts = self.ask(self.before(x)).view(s, n, 3, self.heads, d // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        weight = torch.softmax(q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5, -1)
        x = x + self.give((weight @ v).transpose(1, 2).reshape(s, n, d))
        return x + self.say(self.think(self.after(x)))


def cell_places() -> Tensor:
    """`PLACES` of a sheet that lies as it was drawn."""
    return torch.tensor(PLACES)


def rims_of(places: Tensor) -> Tensor:
    """(S, 34, 2) places → (S, 4, 34): the mean of the shields along the left edge, the right
    one, the upper and the lower one, as weights of the shields."""
    low, high = places.amin(1, keepdim=True), places.amax(1, keepdim=True)
    on = torch.cat([places == low, places == high], 2)[:, :, [0, 2, 1, 3]].float()
    return (on / on.sum(1, keepdim=True)).transpose(1, 2)


class Astray(nn.Module):
    """How far each crop's cell lies from the crop's middle: its own picture beside the mean of
    all shields and of those along each edge, for on a sheet without lines one shield does not
    say whose the circles beside it are.

    (S, 35, C, 10, 10), (S, 4, 34) of `rims_of` → (S, 35, 2) in cells, x before y; of smaller crops
    (S, 35, C, H, W) is stretched.
    """

    def __init__(self, channels: int, side: int = 10) -> None:
        super().__init__()
        few, known = 8, 64
        self.side = side
        self.few = nn.Conv2d(channels, few, 1)
        self.own = nn.Linear(few * side * side, known)
        self.sheet = nn.Linear(5 * few * side * side, known)
        self.say = nn.Linear(known, 2)
        nn.init.zeros_(self.say.weight)

    def forward(self, x: Tensor, rims: Tensor) -> Tensor:
        sheets, cells = x.shape[:2]
        seen = torch.relu(self.few(x.flatten(0, 1)))
        if seen.shape[-1] != self.side:
            seen = F.interpolate(seen, (self.side, self.side), mode="bilinear")
        few = seen.reshape(sheets, cells, -1)
        shields = few[:, :-1]
        sheet = torch.cat([shields.mean(1, keepdim=True), rims @ shields], 1)
        known = self.own(few) + self.sheet(sheet.flatten(1))[:, None]
        astray: Tensor = self.say(torch.relu(known))
        return astray


def _at(table: Tensor, own: Tensor, places: Tensor) -> Tensor:
    """(34, D) of shields that lie at `own` (34, 2) → (S, 34, D) of shields at these places; 0 where
    there is none."""
    same = (places[:, :, None] == own).all(-1)
    return same.to(table.dtype) @ table


class MarksNet(nn.Module):
    """All crops of a sheet at once → coats, crosses, whether the castle's roof is coloured, and
    how far the cells lie from where they were cut.

    (S, 35, 3, 160, 160), the castle last → logits (S, 34, 7) in the order of COATS,
    (S, 34, 5) for 0..4 crosses, (S, 1), (S, 35, 2) in cells, true place minus guess, x before y,
    and logits (S, 34, 1, 20, 20) that a cross lies there, which training alone needs. A shield
    is read beside the others of its sheet: first its picture beside what they share, then what
    was understood of it beside the rest. Only the ink, the first channel, is looked at in full
    detail. How far cells lie off is learned from what the rest sees, and bends nothing of it.

    places: (S, 34, 2), see `cell_places`, of sheets that were turned or mirrored; a sheet turned
    by a quarter has edges, but its shields do not know where they lie.
    """

    def __init__(self, channels: int = 3, width: int = 16) -> None:
        super().__init__()
        w = width
        m = w + w // 2
        self.fine = conv(1, w, 2, kernel=5)
        # Not one convolution of both together: 19 channels fall out of onnxruntime's fast layout.
        self.coarse40 = nn.Conv2d(channels, m, 3, 2, 1, bias=False)
        self.fine40 = nn.Sequential(nn.Conv2d(w, m, 3, 2, 1, bias=False), nn.BatchNorm2d(m))
        self.to20 = nn.Sequential(conv(m, 2 * w, 2), Residual(2 * w), Residual(2 * w))
        self.share20 = Shared(2 * w)
        self.to10 = nn.Sequential(conv(2 * w, 4 * w, 2), Residual(4 * w), Residual(4 * w))
        self.share10 = Shared(4 * w)
        self.to5 = nn.Sequential(conv(4 * w, 8 * w, 2), Residual(8 * w))
        self.spots = nn.Conv2d(2 * w, 1, 1)
        nn.init.constant_(self.spots.bias, -4.0)
        self.astray = Astray(4 * w)
        self.drop = nn.Dropout(0.1)
        known = 16 * w + 8 * w + 1
        self.token = nn.Linear(known, 6 * w)
        self.place = nn.Parameter(torch.zeros(len(CELLS), 6 * w))
        self.register_buffer("places", cell_places(), persistent=False)
        self.register_buffer("rims", rims_of(cell_places()[None]), persistent=False)
        self.talk = nn.Sequential(Attention(6 * w), Attention(6 * w))
        self.coat = nn.Linear(known + 6 * w, len(COATS))
        self.crosses = nn.Linear(known + 6 * w, MAX_CROSSES + 1)
        self.castle = nn.Linear(16 * w, 1)

    def forward(self, x: Tensor, places: Tensor | None = None) -> tuple[Tensor, ...]:
        sheets, cells = x.shape[:2]
        rims = self.rims if places is None else rims_of(places)
        where = self.place if places is None else _at(self.place, self.places, places)

        def per_cell(y: Tensor) -> Tensor:
            return y.reshape(sheets, cells, *y.shape[1:])

        seen = x.flatten(0, 1)
        both = self.coarse40(F.avg_pool2d(seen, 2)) + self.fine40(self.fine(seen[:, :1]))
        at20 = self.share20(per_cell(self.to20(torch.relu(both))), rims)
        at10 = self.share10(per_cell(self.to10(at20.flatten(0, 1))), rims)
        # What reads the marks is not to bend to this: learning both at once read worse.
        astray = self.astray(at10.detach(), rims)
        at5 = per_cell(self.to5(at10.flatten(0, 1)))
        spots = per_cell(self.spots(at20.flatten(0, 1)))[:, :-1]
        near = torch.cat([at5.mean((3, 4)), at5.amax((3, 4))], 2)
        fine = torch.cat([at10.mean((3, 4)), at10.amax((3, 4))], 2)[:, :-1]
        count = torch.sigmoid(spots).sum((3, 4)) / 4
        known = self.drop(torch.cat([near[:, :-1], fine, count], 2))
        told = torch.cat([known, self.talk(self.token(known) + where)], 2)
        return self.coat(told), self.crosses(told), self.castle(near[:, -1]), astray, spots


class SquaresNet(nn.Module):
    """A crop of a kingdom → what lies there, in the order of `KINDS`.

    (B, 3, 80, 80) BGR 0..1 → logits (B, K).
    """

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        w = width
        self.body = nn.Sequential(
            conv(3, w, 2),
            conv(w, 2 * w, 2),
            Residual(2 * w),
            conv(2 * w, 4 * w, 2),
            Residual(4 * w),
            conv(4 * w, 8 * w, 2),
            Residual(8 * w),
        )
        self.drop = nn.Dropout(0.2)
        self.kind = nn.Linear(16 * w, len(KINDS))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = self.body(x - 0.5)
        pooled = self.drop(torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1))
        return (self.kind(pooled),)
