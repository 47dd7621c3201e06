"""The network that finds circles, shield and lines in what a print's cells share: its examples,
batches, loss and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from msgspec import structs
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.picture import Network
from kdscan.paper.layout import Layout
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from kdscan.templates.features import PATTERN_MARGIN, PERIOD_PX, Pattern, pattern_of, period_of
from kdscan.templates.geometry import circles_in, outline_in, see_cell
from lab.synth.fields import F32, F64, U8, Canvas, Rng, any_of, blur, f32, noise, shade, u8
from lab.synth.sheets.designs import PrintStyle, random_layout, random_style
from lab.synth.sheets.grounds.draw import asked_for
from lab.synth.sheets.page import print_page
from lab.training.dataset import jpeg, unpack
from lab.training.ink import add_shadow
from lab.training.ink_sheets import GROUNDS
from lab.training.networks import Residual, conv
from lab.training.task import Batch, Task

SIDE = PERIOD_PX // 2
"""Pixels of the network's maps along a period."""

SPREAD = 1.0
"""Pixels of these maps: standard deviation of a circle's centre in the target."""

STEPS = 42.0
"""Levels of a stored period for each unit."""

JITTERS = 3
"""Sets of cells taken from the flat sheet of each pad."""

STYLES = ("none", "ruled", "broken")
"""Kinds of lines between cells that are told apart."""


@dataclass(frozen=True, eq=False)
class GeometryExample:
    """A pad's periods, and what is printed; lengths in cells from a cell's centre.

    periods: (N, 8, 96, 96) int8, in `STEPS`. offsets: (N, 2), where a period's centre lies;
    NaN if its cells do not fit together, so that nothing is to be found.
    """

    periods: np.ndarray
    offsets: F64
    shield: F64
    circles: F64
    radius: float
    lines: int


def random_print(rng: Rng) -> tuple[Layout, PrintStyle]:
    """A design, at times with other circles than pads have: none, a single one, or anywhere."""
    family, colours = asked_for(rng, any_of(rng, GROUNDS))
    layout = random_layout(rng)
    style = random_style(rng, family, colours)
    size = np.array(layout.cell_mm)
    room = size / 2 - layout.circle_radius_mm
    circles, shield = np.array(layout.circles), np.array(layout.shield)
    way = rng.random()
    if way < 0.1:
        circles = circles[: int(rng.integers(0, 2))]
    elif way < 0.2:  # anywhere
        circles = rng.uniform(-room, room, circles.shape)
    elif way < 0.35:
        circles = circles + rng.normal(0, 0.03, 2) * size
    if rng.random() < 0.2:  # beside the middle, perhaps under circles
        shield = shield + rng.normal(0, 0.06, 2) * size
        shield = np.clip(shield, -0.49 * size, 0.49 * size)
    apart = np.hypot(*(circles[:, None] - circles[None]).T) + 9 * np.eye(len(circles)) * size[0]
    if len(circles) and apart.min() < 1.9 * layout.circle_radius_mm:
        circles = np.array(layout.circles)
    circles = np.clip(circles, -room, room)
    points = [tuple(map(tuple, part.tolist())) for part in (circles, shield)]
    return structs.replace(layout, circles=points[0], shield=points[1]), style


def example(seed: int) -> GeometryExample:
    """The example of a seed; call `dataset.init_worker` first."""
    rng = np.random.default_rng([seed, 9])
    layout, style = random_print(rng)
    px_per_mm = rng.uniform(90, 140) / layout.cell_mm[0]
    drawable = layout
    if not layout.circles:  # one too small to be seen, as a print needs one
        drawable = structs.replace(layout, circles=((0.0, 0.0),), circle_radius_mm=0.02)
    page = print_page(drawable, style, px_per_mm)
    if rng.random() < 0.2 and layout.circles:  # what is left of other sheets' ink
        page = _with_ink(rng, layout, page, px_per_mm)
    off = rng.normal(0, 0.1, 2).clip(-0.25, 0.25)
    pattern = pattern_of(_seen(rng, _flat(page, layout, px_per_mm, off)))
    periods, offsets = [], []
    for _ in range(JITTERS):
        lost = rng.random() < 0.03
        stored = np.round(period_of(_jittered(rng, pattern, lost)).transpose(2, 0, 1) * STEPS)
        periods.append(np.clip(stored, -127, 127).astype(np.int8))
        offsets.append(np.full(2, np.nan) if lost else off)
    cell = np.array(layout.cell_mm)
    shown = layout.lines != "none", style.cell_fill in ("boxes", "checker")
    broken = layout.lines in ("dashed", "dotted") and style.cell_fill != "boxes"
    return GeometryExample(
        np.stack(periods),
        np.array(offsets),
        np.array(layout.shield) / cell,
        np.array(layout.circles).reshape(-1, 2) / cell,
        layout.circle_radius_mm / float(np.sqrt(cell.prod())),
        STYLES.index("broken" if broken else "ruled" if any(shown) else "none"),
    )


def _with_ink(rng: Rng, layout: Layout, blank: U8, px_per_mm: float) -> U8:
    """A page with some people's strokes in and around shields and circles, mostly faint."""
    canvas = Canvas(blank.copy(), px_per_mm)
    pen = shade(rng, (0, 0.9), (0, 0.5))
    opacity = float(rng.choice([rng.uniform(0.03, 0.4), 1.0], p=[0.7, 0.3]))
    size = np.array(layout.cell_mm)
    spots = np.array([*layout.circles, *layout.shield, (0, 0)])
    for at in CELLS:
        for _ in range(int(rng.integers(0, 6))):
            start = spots[rng.integers(len(spots))] * rng.uniform(0, 1)
            way = rng.normal(0, 0.08, (3, 2)).cumsum(0) * size
            points = layout.center_mm(*at) + start + way
            canvas.line(points, pen, rng.uniform(0.2, 0.8), opacity)
    return canvas.page


def _flat(page: U8, layout: Layout, px_per_mm: float, off: F64) -> U8:
    """A page, flattened as `pattern_of` wants it, with its lattice `off` cells away."""
    size = np.array(layout.cell_mm) * px_per_mm
    step = size / PERIOD_PX
    low = np.array(layout.grid_mm) * px_per_mm + (off - PATTERN_MARGIN) * size + 0.5 * step - 0.5
    back = np.array([[step[0], 0, low[0]], [0, step[1], low[1]]])
    wh = tuple(round((n + 2 * PATTERN_MARGIN) * PERIOD_PX) for n in (COLS, ROWS))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return u8(cv2.warpAffine(page, back, wh, flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _seen(rng: Rng, flat: U8) -> U8:
    """A flat sheet as a camera shows it: coarser, soft, lit, noisy, compressed."""
    h, w = flat.shape[:2]
    scale = rng.uniform(0.65, 1.15)
    small = flat
    if not 0.95 < scale < 1.05:
        small = u8(cv2.resize(flat, (round(w * scale), round(h * scale))))
    small = u8(np.clip(blur(f32(small), float(rng.uniform(0.2, 1.2))), 0, 255))
    light = 1 + 0.12 * noise(rng, small.shape[:2], rng.uniform(1, 4))
    tint = f32(rng.uniform(0.8, 1.05) * np.exp(rng.normal(0, 0.05, 3)))
    small = add_shadow(rng, u8(np.clip(f32(small) * light[..., None] * tint, 0, 255)))
    grain = rng.normal(0, rng.uniform(0.5, 6), small.shape).astype(np.float32)
    small = u8(np.clip(f32(small) + grain, 0, 255))
    return u8(cv2.resize(unpack(jpeg(small)), (w, h)))


def _jittered(rng: Rng, pattern: Pattern, lost: bool) -> F32:
    """(N, 96, 96, 4): a pattern's cells, most of them, each a little out of place."""
    sigma = 0.3 * PERIOD_PX if lost else rng.choice([0.0, 0.5, 0.9, 1.6])
    most = round(0.6 * PERIOD_PX)
    cells = [CELLS[i] for i in rng.permutation(len(CELLS))[: int(rng.integers(22, 35))]]
    by = rng.normal(0, sigma, (len(cells), 2)).clip(-most, most).round().astype(int)
    corners = np.round((np.array(cells) + PATTERN_MARGIN) * PERIOD_PX).astype(int) + by
    return np.stack([pattern.channels[y:, x:][:PERIOD_PX, :PERIOD_PX] for y, x in corners])


def batch(rng: Rng, examples: list[GeometryExample]) -> Batch:
    """Periods (B, 8, 96, 96), maps of circles' centres and of the shield's inside (B, 2, 48, 48),
    the log of the circles' radius (B,), the kind of lines (B,), and where those between columns and
    between rows are (B, 2, 48); each period mirrored and shifted at random."""
    samples = [_sample(rng, example) for example in examples]
    return tuple(torch.from_numpy(np.stack(parts)) for parts in zip(*samples, strict=True))


def _sample(rng: Rng, example: GeometryExample) -> tuple[np.ndarray, ...]:
    number = int(rng.integers(len(example.periods)))
    off = example.offsets[number]
    lost = bool(np.isnan(off).any())
    period = example.periods[number].astype(np.float32) / np.float32(STEPS)
    flip = np.where(rng.random(2) < 0.5, -1, 1)
    period = period[:, :: flip[1], :: flip[0]]
    by = rng.integers(0, PERIOD_PX, 2)
    period = np.roll(period, (by[1], by[0]), (1, 2))
    if rng.random() < 0.5:
        period = period * np.exp(rng.normal(0, 0.12, (len(period), 1, 1)))
    if rng.random() < 0.3:
        period = period + rng.normal(0, rng.uniform(0, 0.12), period.shape)
    lines = 0 if lost else example.lines

    def placed(points: F64) -> F64:
        return np.asarray((points - off) * flip + by / PERIOD_PX)

    maps, phases = np.zeros((2, SIDE, SIDE), np.float32), np.zeros((2, SIDE), np.float32)
    if not lost:
        maps[:] = centres(placed(example.circles)), inside(placed(example.shield))
    if lines:
        phases[:] = [_bump(at - 0.5) for at in placed(np.zeros(2))]
    radius = np.array(np.log(example.radius), np.float32)
    return np.ascontiguousarray(period, np.float32), maps, radius, np.array(lines), phases


def _bump(at: float) -> F32:
    """(48,): how near each pixel of a map is to a place of a period, in cells from its centre."""
    away = (np.arange(SIDE) + 0.5) / SIDE - 0.5 - at
    away = ((away + 0.5) % 1 - 0.5) * SIDE
    return f32(np.exp(-((away / SPREAD) ** 2) / 2))


def centres(points: F64) -> F32:
    """(48, 48): how near each pixel is to one of some points (N, 2)."""
    nearest = np.zeros((SIDE, SIDE))
    for x, y in points:
        nearest = np.maximum(nearest, np.outer(_bump(y), _bump(x)))
    return f32(nearest)


def inside(polygon: F64) -> F32:
    """(48, 48): how much of each pixel lies in a polygon (N, 2), which may cross the borders."""
    if not len(polygon):
        return np.zeros((SIDE, SIDE), np.float32)
    fine = 4 * SIDE
    wide = np.zeros((3 * fine, 3 * fine), np.uint8)
    middle = np.round(polygon.mean(0))
    at = np.round(((polygon - middle + 1.5) * fine - 0.5) * 16).astype(np.int32)
    cv2.fillPoly(wide, [at], 1, cv2.LINE_8, 4)
    folded = wide.reshape(3, fine, 3, fine).max((0, 2)).astype(np.float32)
    return f32(cv2.resize(folded, (SIDE, SIDE), interpolation=cv2.INTER_AREA))


WRAP = 16
"""Pixels of a period that are repeated beyond its borders, so that convolutions up to a quarter of
its resolution see what lies there; coarser ones wrap their maps themselves."""


def _wrapped(x: Tensor, by: int) -> Tensor:
    return F.pad(x, (by,) * 4, mode="circular")


def _cropped(x: Tensor, by: int) -> Tensor:
    return x[..., by:-by, by:-by]


def _ring(cin: int, cout: int) -> nn.Sequential:
    """As `conv`, on a map that continues at its borders."""
    layer = nn.Conv2d(cin, cout, 3, 1, 1, bias=False, padding_mode="circular")
    return nn.Sequential(layer, nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class GeometryNet(nn.Module):
    """A U-Net (Ronneberger et al., arXiv:1505.04597) on a period, which continues at its borders.

    (B, 8, 96, 96) → maps (B, 3, 48, 48): logits of circles' centres and of the shield's inside,
    and the log of the circles' radius; logits (B, 3) of `STYLES`; logits (B, 2, 48) of where lines
    between columns and between rows are.
    """

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = 16, 32, 48, 48
        self.to64 = nn.Sequential(conv(8, a, 2, kernel=4, padding=1), conv(a, a))
        self.to32 = nn.Sequential(nn.AvgPool2d(2), conv(a, b), Residual(b))
        self.to16 = nn.Sequential(_ring(b, c), _ring(c, c), _ring(c, c))
        self.to8 = nn.Sequential(nn.AvgPool2d(2), _ring(c, d), _ring(d, d), _ring(d, d))
        self.up16, self.up32, self.up64 = _ring(c + d, d), conv(b + d, 24), conv(a + 24, 20)
        self.head = nn.Conv2d(20, 5, 1)
        self.style = nn.Sequential(nn.Linear(2 * d, 32), nn.ReLU(), nn.Linear(32, len(STYLES)))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        s64 = self.to64(_wrapped(x, WRAP))
        s32 = self.to32(s64)
        s16 = self.to16(_cropped(F.avg_pool2d(s32, 2), WRAP // 8))
        s8 = self.to8(s16)
        style = self.style(torch.cat([s8.mean((2, 3)), s8.amax((2, 3))], 1))
        y = self.up16(torch.cat([_twice(s8), s16], 1))
        y = self.up32(torch.cat([_twice(_wrapped(y, WRAP // 8)), s32], 1))
        y = self.up64(torch.cat([_twice(y), s64], 1))
        maps = self.head(_cropped(y, WRAP // 2)).float()
        phases = torch.stack([maps[:, 3].mean(1), maps[:, 4].mean(2)], 1)
        return maps[:, :3], style.float(), 4 * phases


def _twice(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


def loss(out: tuple[Tensor, ...], shown: Batch) -> dict[str, Tensor]:
    """Cross entropies of centres, inside, style and phases; L1 of the log of the radius."""
    maps, style, phases = out
    _, true, radius, lines, places = shown
    heat, there = true[:, 0], (lines > 0).float()
    off = (maps[:, 2] - radius[:, None, None]).abs()
    spread = places / places.sum(2, keepdim=True).clamp(min=1e-6)
    phase = -(spread * phases.log_softmax(2)).sum((1, 2)) * there
    return {
        "circles": SIDE**2 / 8 * F.binary_cross_entropy_with_logits(maps[:, 0], heat),
        "shield": 6 * F.binary_cross_entropy_with_logits(maps[:, 1], true[:, 1]),
        "radius": 2 * (off * heat).sum() / heat.sum().clamp(min=1),
        "style": 0.5 * F.cross_entropy(style, lines),
        "phase": 0.3 * phase.sum() / there.sum().clamp(min=1),
    }


TASK = Task(GeometryNet, batch, loss)

MAX_OFF, MIN_OVERLAP = 0.02, 0.85
"""Cells by which a right circle may be off, and least intersection over union of a right shield."""


def figures(net: Network, examples: Sequence[GeometryExample]) -> dict[str, float]:
    """Shares of periods whose circles, shield and lines are right, in one view of each pad."""
    right = []
    for example in examples:
        off = example.offsets[0]
        if np.isnan(off).any():
            continue
        period = example.periods[0].transpose(1, 2, 0).astype(np.float32) / np.float32(STEPS)
        maps = see_cell(period, net)
        circles, _ = circles_in(maps.centres)
        away = circles[:, None] - (example.circles - off)
        away = np.hypot(*np.moveaxis((away + 0.5) % 1 - 0.5, 2, 0))
        near = bool((away.min(0, initial=1) < MAX_OFF).all())
        shown = inside(np.array(outline_in(maps.inside, np.zeros(2))[0]))
        true = inside(example.shield - off)
        overlap = np.minimum(shown, true).sum() / np.maximum(shown, true).sum()
        same, kind = len(circles) == len(example.circles), maps.style.argmax() == example.lines
        right.append((same and near, overlap > MIN_OVERLAP, kind))
    shares = np.mean(right, axis=0).tolist()
    return dict(zip(("circles", "shields", "lines"), shares, strict=True)) | {"pads": len(right)}
