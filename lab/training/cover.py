"""The occlusion network: detects objects on a sheet that are neither print nor ink nor paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.picture import FLAT_MARGIN, Network
from kdscan.marks.crops import half_size
from kdscan.marks.network import COVER_PX
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from lab.synth.fields import F32, U8, Rng, f32, gaussian, u8
from lab.synth.patches import with_things
from lab.training.dataset import Example
from lab.training.networks import conv
from lab.training.sheet_views import random_view
from lab.training.task import Batch, Task

STRIDE = 4
"""Pixels per cell of the network's finest feature map."""

CENTER_SHARE = 6 / 8
"""Central share of a cell's width and height that contains shield and circles."""

MAX_CLEAR, MIN_HIDDEN = 0.02, 0.12
"""Hidden shares of that centre: a shield counts as clear up to the first and as hidden from the
second on; shields in between are ignored."""


class CellContext(nn.Module):
    """Adds to each pixel of a feature map (B, C, h, w), with `side` pixels per cell, the mean and
    standard deviation at the same place of all cells: whatever they share is print."""

    def __init__(self, channels: int, side: int) -> None:
        super().__init__()
        self.side, self.rim = side, round(FLAT_MARGIN * side)
        self.mix = nn.Conv2d(3 * channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        n, rim, channels = self.side, self.rim, x.shape[1]
        inner = x[:, :, rim : rim + ROWS * n, rim : rim + COLS * n]
        cells = inner.reshape(x.shape[0], channels, ROWS, n, COLS, n)
        mean = cells.mean((2, 4))
        spread = (cells - mean[:, :, None, :, None]).square().mean((2, 4)).add(1e-4).sqrt()
        # What all cells share is mixed for one of them, and then repeated.
        own, of_common = self.mix.weight.split([channels, 2 * channels], 1)
        common = F.conv2d(torch.cat([mean, spread], 1), of_common, self.mix.bias)
        tiled = common.repeat(1, 1, ROWS + 2, COLS + 2)
        start = n - rim
        shared = tiled[:, :, start : start + x.shape[2], start : start + x.shape[3]]
        return torch.relu(x + F.conv2d(x, own) + shared)


class CoverNet(nn.Module):
    """Rectified sheets (B, 3, 336, 464) BGR 0..1 → logits (B, 5, 7) that an object hides the cell's
    shield; in training also logits (B, 1, 42, 58) of objects, pixel by pixel."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = 20, 32, 48, 48
        side = COVER_PX // STRIDE
        stem = conv(3, a, STRIDE, kernel=3 * STRIDE, padding=STRIDE)
        self.to4 = nn.Sequential(stem, CellContext(a, side))
        self.to8 = nn.Sequential(conv(a, b, 2), CellContext(b, side // 2), conv(b, b))
        self.to16 = nn.Sequential(conv(b, c, 2), conv(c, c))
        self.to32 = nn.Sequential(conv(c, d, 2), conv(d, d))
        self.up16 = conv(d + c, c, kernel=1)
        self.up8 = nn.Sequential(conv(c + b, b, kernel=1), conv(b, b))
        self.out = nn.Conv2d(b, 1, 1)
        self.cells = nn.Sequential(conv(2 * b + 2, 32, kernel=1), nn.Conv2d(32, 1, 1))
        nn.init.constant_(self.out.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        light = torch.log(x + 0.04)
        s4 = self.to4(light - light.mean((2, 3), keepdim=True))
        s8 = self.to8(s4)
        s16 = self.to16(s8)
        y = self.to32(s16)
        for skip, merge in ((s16, self.up16), (s8, self.up8)):
            y = F.interpolate(y, size=skip.shape[2:], mode="nearest")
            y = merge(torch.cat([y, skip], 1))
        there = self.out(y)
        known = _cell_centers(torch.cat([y, there], 1), COVER_PX // (2 * STRIDE))
        pooled = torch.cat([known.mean((3, 5)), known.amax((3, 5))], 1)
        cells: Tensor = self.cells(pooled)[:, 0]
        return (cells, there) if self.training else cells


def _cell_centers(x: Tensor, side: int) -> Tensor:
    """(B, C, 5, n, 7, n): the cells' centres in a feature map (B, C, H, W) with `side` pixels
    per cell."""
    margin, off = round(FLAT_MARGIN * side), round((1 - CENTER_SHARE) / 2 * side)
    inner = x[:, :, margin : margin + ROWS * side, margin : margin + COLS * side]
    cells = inner.reshape(x.shape[0], x.shape[1], ROWS, side, COLS, side)
    return cells[:, :, :, off : side - off, :, off : side - off]


def cover_sample(rng: Rng, example: Example, other: Example) -> tuple[U8, F32]:
    """A rectified sheet with objects on it, (336, 464, 3) uint8, and their mask, (336, 464)."""
    flat = half_size(random_view(rng, example)[0])
    looks = half_size(random_view(rng, other)[0]) if rng.random() < 0.3 else flat
    seen, hidden = with_things(rng, flat, looks, COVER_PX)
    if rng.random() < 0.5:
        seen = gaussian(seen, rng.uniform(0.3, 1.0))
    if rng.random() < 0.5:
        grain = rng.normal(0, rng.uniform(0, 6), seen.shape)
        seen = u8(np.clip(seen + grain, 0, 255))
    down, across = (int(rng.choice((1, -1))) for _ in range(2))
    return (
        np.ascontiguousarray(seen[::down, ::across]),
        np.ascontiguousarray(hidden[::down, ::across]),
    )


def batch(rng: Rng, examples: list[Example]) -> Batch:
    """Rectified sheets (B, 3, 336, 464) uint8 and masks of objects (B, 1, 336, 464) uint8."""
    others = [*examples[1:], examples[0]]
    seen, hidden = zip(*map(cover_sample, [rng] * len(examples), examples, others), strict=True)
    pictures = np.ascontiguousarray(np.stack(seen).transpose(0, 3, 1, 2))
    masks = u8(np.round(np.stack(hidden)[:, None] * 255))
    return torch.from_numpy(pictures), torch.from_numpy(masks)


def hidden_shares(masks: Tensor) -> Tensor:
    """(B, 5, 7), 0..1: hidden share of each cell's centre, from masks (B, 1, 336, 464) uint8."""
    return _cell_centers(masks.float() / 255, COVER_PX).mean((1, 3, 5))


def loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropies of hidden shields and of objects' pixels."""
    cells, there = (o.float() for o in out)
    share = hidden_shares(batch[1])
    weight = ((share < MAX_CLEAR) | (share > MIN_HIDDEN)).float() * (
        1 + (share > MIN_HIDDEN).float()
    )
    mask = F.avg_pool2d(batch[1].float() / 255, 2 * STRIDE)
    hidden = F.binary_cross_entropy_with_logits(
        cells, (share > MIN_HIDDEN).float(), weight=weight, reduction="sum"
    )
    return {
        "hidden": 2 * hidden / weight.sum().clamp(min=1),
        "there": F.binary_cross_entropy_with_logits(there, mask),
    }


TASK = Task(CoverNet, batch, loss)


def cover_figures(net: Network, examples: Sequence[Example]) -> dict[str, float]:
    """Recall of shields hidden by more than `MIN_HIDDEN`, at the threshold at which one in a
    hundred clear sheets raises a false alarm."""
    rng = np.random.default_rng(0)
    found, open_ones = [], []
    for example, other in zip(examples, [*examples[1:], examples[0]], strict=True):
        seen, hidden = cover_sample(rng, example, other)
        logits = net(f32(seen.transpose(2, 0, 1)[None]) / 255)[0][0]
        share = hidden_shares(torch.from_numpy(u8(hidden * 255))[None, None])[0]
        shares = share.numpy()
        found += [logits[at] for at in CELLS if shares[at] > MIN_HIDDEN]
        if all(shares[at] < MAX_CLEAR for at in CELLS):
            open_ones.append(max(logits[at] for at in CELLS))
    alarm = float(np.quantile(open_ones, 0.99))
    return {
        "found_at_1_percent": float(np.mean(np.array(found) > alarm)),
        "shields": len(found),
        "sheets": len(examples),
    }
