"""The three networks, small enough for a laptop core. PyTorch lives in this package alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.records import COATS, COLS, MAX_CROSSES, ROWS


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

    def __init__(self, width: int = 12) -> None:
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
        self.head = nn.Conv2d(4 * w, 4, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        s8 = self.to8(self.to4(x - 0.5))
        s16 = self.to16(s8)
        s32 = self.to32(s16)
        y = self.to64(s32)
        for skip, merge in ((s32, self.up32), (s16, self.up16), (s8, self.up8)):
            y = F.interpolate(y, size=skip.shape[2:], mode="nearest")
            y = merge(torch.cat([y, skip], 1))
        out = self.head(y)
        return out[:, :1], out[:, 1:3], out[:, 3:]


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


class MarksNet(nn.Module):
    """A crop → coat, crosses, and (for the castle's crop) whether its roof is coloured.

    (B, C, 80, 80) → logits (B, 7) in the order of COATS, (B, 5) for 0..4 crosses, (B, 1).
    """

    def __init__(self, channels: int = 3, width: int = 16) -> None:
        super().__init__()
        w = width
        self.body = nn.Sequential(
            conv(channels, w, 2),
            conv(w, 2 * w, 2),
            Residual(2 * w),
            conv(2 * w, 4 * w, 2),
            Residual(4 * w),
            conv(4 * w, 8 * w, 2),
            Residual(8 * w),
        )
        self.drop = nn.Dropout(0.1)
        self.coat = nn.Linear(16 * w, len(COATS))
        self.crosses = nn.Linear(16 * w, MAX_CROSSES + 1)
        self.castle = nn.Linear(16 * w, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = self.body(x)
        pooled = self.drop(torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1))
        return self.coat(pooled), self.crosses(pooled), self.castle(pooled)
