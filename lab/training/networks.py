"""The networks for maps and tiles, small enough for one laptop core. Only this package uses
PyTorch.

Names of modules and parameters are keys of the weight files in `lab/weights`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.rules.duel.board import COLS, ROWS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES


def conv(
    cin: int, cout: int, stride: int = 1, kernel: int = 3, padding: int | None = None
) -> nn.Sequential:
    """Convolution, batch norm, ReLU. padding: half the kernel if left out."""
    padding = kernel // 2 if padding is None else padding
    layer = nn.Conv2d(cin, cout, kernel, stride, padding, bias=False)
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
    """A U-Net (Ronneberger et al., arXiv:1505.04597) from a thumbnail to votes of its patches.

    (B, 3, H, W) BGR 0..1 → logits (B, 1, H/8, W/8) of lying on the grid, place (B, 2, H/8, W/8) in
    it, from -1 to 1, and the log of its expected error (B, 1, H/8, W/8).
    """

    def __init__(self, w: int = 12, outputs: int = 4) -> None:
        super().__init__()
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
        votes: Tensor = self.head(y)
        return votes

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        out = self.votes(x)
        return out[:, :1], out[:, 1:3], out[:, 3:]


class TilesNet(LocateNet):
    """The same U-Net for squares of tiles.

    (B, 3, H, W) BGR 0..1 → logits (B, 1, h, w) of lying on a square, offset (B, 2, h, w) to the
    square's centre in patches, the log of its expected error (B, 1, h, w), and (B, 3, h, w): cosine
    and sine of four times the square's angle, and the log of its side in patches.
    """

    def __init__(self) -> None:
        super().__init__(w=8, outputs=7)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        out = self.votes(x)
        return out[:, :1], out[:, 1:3], out[:, 3:4], out[:, 4:]


class RefineNet(nn.Module):
    """A coarse rectified view of the grid → each cell's offset, and which way is up.

    (B, 3, 224, 288) BGR 0..1 → offsets (B, 2, 5, 7) in cells, logits (B, 1, 5, 7) that a cell is in
    place, logit (B, 1) that the view is upright.
    """

    def __init__(self) -> None:
        super().__init__()
        w = 16
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
        context = self.context(y)
        wide = context[:, :, None, None].expand(-1, -1, ROWS, COLS)
        out = self.mix(torch.cat([y[:, :, 1:-1, 1:-1], wide], 1))
        return out[:, :2], out[:, 2:], self.up(context)


class Attention(nn.Module):
    """A transformer block with layer norm first (Vaswani et al., arXiv:1706.03762) among the
    shields of a sheet: (S, N, D) → (S, N, D). there: (S, N), which of them exist."""

    HEADS = 4

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor, there: Tensor | None = None) -> Tensor:
        s, n, d = x.shape
        parts = self.qkv(self.norm1(x)).view(s, n, 3, self.HEADS, d // self.HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        alike = q @ k.transpose(-1, -2) * (d // self.HEADS) ** -0.5
        if there is not None:
            alike = alike.masked_fill(~there[:, None, None], -1e4)
        weight = torch.softmax(alike, -1)
        x = x + self.proj((weight @ v).transpose(1, 2).reshape(s, n, d))
        return x + self.mlp(self.norm2(x))


class SquaresNet(nn.Module):
    """A crop of a square → its kind, in the order of `SQUARE_CLASSES`. (B, 3, 80, 80) BGR 0..1 →
    logits (B, K)."""

    def __init__(self) -> None:
        super().__init__()
        w = 12
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
        self.kind = nn.Linear(16 * w, len(SQUARE_CLASSES))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = self.body(x - 0.5)
        pooled = self.drop(torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1))
        return (self.kind(pooled),)


class Calibrated(nn.Module):
    """Temperature scaling (Guo et al., arXiv:1706.04599): divides each head's logits by a number or
    a tensor. Further outputs are auxiliary, for training only, and are dropped."""

    def __init__(self, net: nn.Module, temperatures: tuple[float | Tensor, ...]) -> None:
        super().__init__()
        self.net, self.temperatures = net, temperatures

    def forward(self, *seen: Tensor) -> tuple[Tensor, ...]:
        return tuple(y / t for y, t in zip(self.net(*seen), self.temperatures, strict=False))
