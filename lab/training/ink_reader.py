"""The ink reader, which reads marks from ink on a known print: network, batches, loss, figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.picture import FLAT_MARGIN, Network
from kdscan.rules.duel.board import CELLS, COATS, COLS, MAX_CROSSES
from kdscan.templates.ink_reader import (
    CELL_PX,
    FLIPS,
    MAX_CIRCLES,
    ORDER,
    SIZE_WH,
    PrintedCells,
    inputs,
    reduced,
)
from lab.synth.fields import F64, U8, Rng, rotation, u8
from lab.training.ink_sheets import InkSheet
from lab.training.networks import Attention, Residual, conv
from lab.training.task import Batch, Task

STRIDE = 16
"""Pixels of a crop for each pixel of its feature map."""


WRONG = 0.08
"""Share of views with wrong circles, as prints are learned wrongly at times."""


class InkReaderNet(nn.Module):
    """`Inputs` of sheets → logits of coats (S, 34, 7), of crosses (S, 34, 5), and that each circle
    is crossed out (S, 34, 4)."""

    def __init__(self) -> None:
        super().__init__()
        stem, narrow, wide, width, circle = 32, 64, 128, 128, 64
        self.stem = nn.Conv2d(2, stem, 8, 4, 2, bias=False)
        self.shared = nn.Conv2d(4, stem, 8, 4, 2, bias=False)
        self.norm = nn.BatchNorm2d(stem)
        self.trunk = nn.Sequential(
            conv(stem, stem),
            *(conv(stem, narrow, 2), Residual(narrow)),
            *(conv(narrow, wide, 2), Residual(wide)),
        )
        self.circle = nn.Sequential(
            conv(3, 16, 2, kernel=4, padding=1), conv(16, 32, 2), conv(32, 64)
        )
        self.circle_token = nn.Linear(2 * 64 + 2, circle)
        self.circle_attention = Attention(circle)
        self.token = nn.Linear(4 * wide + 2 * circle + 2, width)
        self.attention = nn.Sequential(Attention(width), Attention(width))
        self.last = nn.Sequential(nn.LayerNorm(width), nn.Dropout(0.1))
        self.coat, self.crosses = nn.Linear(width, len(COATS)), nn.Linear(width, MAX_CROSSES + 1)
        self.crossed = nn.Sequential(nn.Linear(circle + width, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(
        self, cells: Tensor, shared: Tensor, rounds: Tensor, near: Tensor, about: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        sheets, shields = cells.shape[:2]
        exists, sizes = about[:, :MAX_CIRCLES] > 0.5, about[:, MAX_CIRCLES:]
        common = self.shared(torch.cat([shared, cells[:, :, 0].mean(1, keepdim=True)], 1))
        flat = cells.flatten(0, 1).contiguous(memory_format=torch.channels_last)
        x = self.stem(flat).unflatten(0, (sheets, shields)) + common[:, None]
        x = torch.relu(self.norm(x.flatten(0, 1).contiguous(memory_format=torch.channels_last)))
        x = self.trunk(x).flatten(2).unflatten(0, (sheets, shields)).float()
        # Where to look: in the shield, and at the circles.
        masks = F.avg_pool2d(shared[:, :2], STRIDE).flatten(2) + 1e-4
        inside = x @ (masks / masks.sum(2, keepdim=True)).transpose(1, 2)[:, None]
        of_cell = [x.mean(-1), x.amax(-1), inside.transpose(2, 3).flatten(2)]

        planes = [rounds, rounds.mean(1, keepdim=True), near[:, None]]
        y = torch.stack([plane.expand_as(rounds) for plane in planes], 3).flatten(0, 2)
        y = self.circle(y.contiguous(memory_format=torch.channels_last)).flatten(2).float()
        y = torch.cat([y.mean(2), y.amax(2)], 1).unflatten(0, (sheets, shields, MAX_CIRCLES))
        sized = sizes[:, None].expand(-1, shields, -1)
        y = self.circle_token(torch.cat([y, sized[:, :, None].expand(-1, -1, MAX_CIRCLES, -1)], -1))
        there = exists[:, None].expand(-1, shields, -1)
        circles = self.circle_attention(y.flatten(1, 2), there.flatten(1)).view_as(y)
        marked = circles * there[..., None]

        tokens = [*of_cell, marked.sum(2), marked.amax(2), sized]
        token = self.last(self.attention(self.token(torch.cat(tokens, -1))))
        both = [circles, token[:, :, None].expand(-1, -1, MAX_CIRCLES, -1)]
        crossed = self.crossed(torch.cat(both, -1))[..., 0].float()
        # how probable it is that so many of these independent events happen
        chances = torch.sigmoid(crossed) * there
        number = F.pad(torch.ones_like(chances[..., :1]), (0, MAX_CROSSES))
        for chance in chances.split(1, -1):
            number = number * (1 - chance) + F.pad(number[..., :-1], (1, 0)) * chance
        crosses = torch.log(number * 0.995 + 1e-3) + self.crosses(token).float()
        return self.coat(token).float(), crosses, crossed


def batch(rng: Rng, sheets: list[InkSheet]) -> Batch:
    """Inputs of random views; coats and crosses (S, 34), whether each circle is crossed out
    (S, 34, 4), -1 if unknown, and which shields are labelled (S, 34)."""
    samples = [_sample(rng, sheet) for sheet in sheets]
    return tuple(torch.from_numpy(np.stack(parts)) for parts in zip(*samples, strict=True))


def _sample(rng: Rng, sheet: InkSheet) -> tuple[np.ndarray, ...]:
    flip = FLIPS[int(rng.integers(len(FLIPS)))]
    x, y = flip
    ink = _random_view(rng, np.ascontiguousarray(sheet.ink_picture()[::y, ::x]))
    printed, crossed = _misplaced(rng, sheet.printed().mirrored(flip)), sheet.crossed
    if rng.random() < WRONG:
        printed, crossed = _with_wrong_circles(rng, printed), np.full_like(crossed, -1)
    order = ORDER[flip]
    labels = (part[order] for part in (sheet.coat, sheet.crosses, crossed, sheet.labelled))
    return *inputs(ink, printed), *labels


def _misplaced(rng: Rng, printed: PrintedCells) -> PrintedCells:
    """The print with geometry that was measured a little wrong."""
    near, radius = printed.circles, printed.radius
    near = near + rng.normal(0, 0.06 * radius, near.shape) + rng.normal(0, 0.05 * radius, 2)
    shield = printed.shield * np.exp(rng.normal(0, 0.02)) + rng.normal(0, 0.006, 2)
    radius *= float(np.exp(rng.normal(0, 0.05)))
    return replace(printed, circles=near, shield=shield, radius=radius)


def _with_wrong_circles(rng: Rng, printed: PrintedCells) -> PrintedCells:
    """The print with a circle too few, one too many, or all of them off."""
    circles, way = printed.circles, rng.random()
    if way < 0.35 and len(circles) > 1:
        circles = np.delete(circles, int(rng.integers(len(circles))), 0)
    elif way < 0.6 and len(circles) < MAX_CIRCLES:
        circles = np.concatenate([circles, rng.uniform(-0.45, 0.45, (1, 2))])
    else:
        circles = circles + rng.normal(0, printed.radius, 2)
    return replace(printed, circles=circles)


def _random_view(rng: Rng, ink: U8) -> U8:
    """Ink, reduced, with small errors of registration, blur, another strength, noise."""
    scale = ink.shape[1] / (COLS + 2 * FLAT_MARGIN) / CELL_PX
    turn = scale * rotation(rng.normal(0, 0.004)) @ np.diag(np.exp(rng.normal(0, 0.006, 2)))
    size = np.array(SIZE_WH)
    middle = (np.array(ink.shape[::-1]) - 1) / 2 + rng.normal(0, 0.008, 2) * scale * CELL_PX
    to_ink = np.column_stack([turn, middle - turn @ ((size - 1) / 2)])
    if rng.random() < 0.3:
        small = _bent(rng, ink, to_ink, scale)
    else:
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        small = u8(cv2.warpAffine(ink, to_ink, SIZE_WH, flags=flags))
    if rng.random() < 0.25:
        small = u8(cv2.GaussianBlur(small, (0, 0), rng.uniform(0.4, 1.0)))
    if rng.random() < 0.5:
        gain, floor = np.exp(rng.normal(0, 0.25)), max(0.0, rng.normal(0, 0.04))
        curve = np.linspace(0, 1, 256) ** np.exp(rng.normal(0, 0.2)) * gain - floor
        small = u8(cv2.LUT(small, np.clip(curve * 255, 0, 255).astype(np.uint8)))
    if rng.random() < 0.3:
        grain = int(rng.integers(1, 3))
        rough = rng.normal(0, rng.uniform(2, 18), -(-size[::-1] // grain)).astype(np.float32)
        noise = cv2.resize(rough, SIZE_WH)
        small = np.clip(small + noise, 0, 255).astype(np.uint8)
    return small


def _bent(rng: Rng, ink: U8, to_ink: F64, scale: float) -> U8:
    """Ink seen through a smooth random displacement of up to 0.012 cells."""
    w, h = SIZE_WH
    across, down = np.meshgrid(np.arange(w), np.arange(h))
    waves, most = int(rng.integers(4, 16)), rng.uniform(0, 0.012) * scale * CELL_PX
    maps = []
    for along_x, along_y, start in to_ink:
        noise = rng.normal(0, most, (waves, waves + 2)).astype(np.float32)
        bend = cv2.resize(noise, SIZE_WH, interpolation=cv2.INTER_CUBIC)
        maps.append((along_x * across + along_y * down + start + bend).astype(np.float32))
    return u8(cv2.remap(ink, maps[0], maps[1], cv2.INTER_LINEAR))


def loss(out: tuple[Tensor, ...], of_batch: Batch) -> dict[str, Tensor]:
    """Cross entropies of coats and crosses of labelled shields, and of known circles."""
    coat, crosses, crossed = out
    true_coat, true_crosses, true_crossed, labelled = of_batch[5:]
    weight = labelled.float().flatten()

    def of_shields(logits: Tensor, true: Tensor) -> Tensor:
        each = F.cross_entropy(logits.flatten(0, 1), true.flatten(), reduction="none")
        return (each * weight).sum() / weight.sum().clamp(min=1)

    known = (true_crossed >= 0).float() * labelled[..., None]
    circles = F.binary_cross_entropy_with_logits(
        crossed, true_crossed.clamp(min=0), weight=known, reduction="sum"
    )
    return {
        "coat": of_shields(coat, true_coat),
        "crosses": of_shields(crosses, true_crosses),
        "circles": 0.7 * circles / known.sum().clamp(min=1),
    }


TASK = Task(InkReaderNet, batch, loss, n_inputs=5)


def figures(net: Network, sheets: Sequence[InkSheet]) -> dict[str, float]:
    """Log losses and accuracies of coats and crosses on labelled shields, in one upright view."""
    losses, right, boards = np.zeros(2), np.zeros((2, 0), bool), []
    for sheet in sheets:
        *pictures, about = inputs(reduced(sheet.ink_picture()), sheet.printed())
        logits = net(*(np.asarray(p[None], np.float32) / 255 for p in pictures), about[None])
        sure = []
        for n, (values, true) in enumerate(zip(logits, (sheet.coat, sheet.crosses), strict=False)):
            log_p = torch.from_numpy(values[0]).double().log_softmax(-1).numpy()
            losses[n] -= log_p[np.arange(len(CELLS)), true][sheet.labelled].sum()
            sure.append((log_p.argmax(-1) == true)[sheet.labelled])
        right = np.concatenate([right, sure], 1)
        boards.append(np.all(sure))
    coat, crosses = losses / right.shape[1]
    return {
        "coat_loss": float(coat),
        "crosses_loss": float(crosses),
        "coat": float(right[0].mean()),
        "crosses": float(right[1].mean()),
        "boards": float(np.mean(boards)),
        "sheets": len(sheets),
    }
