"""A whole table in one photo: both maps of a simulated game, and their spellbook.

The sheets lie side by side or overlap each other's margins, each at its own angle. Everything
that must be read stays in view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import cv2
import numpy as np

from kdscan.paper.book import BookLayout, marked_places
from kdscan.rules import outcome
from kdscan.rules.duel.board import COLS
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from kdscan.rules.duel.spellbook import spellbook_json
from lab.synth.fields import F64, I64, U8, Rng, Size, f32, plain_random, rotation
from lab.synth.hands.book import draw_spellbook
from lab.synth.hands.hand import draw_board
from lab.synth.hands.sketch import Hand
from lab.synth.photo.camera import LEVELS, Level, develop
from lab.synth.photo.exposure import expose
from lab.synth.photo.lens import (
    Camera,
    PageMap,
    Rect,
    Sheet,
    aim,
    bent_sheet,
    corners_of,
    frame,
    middle,
    net,
)
from lab.synth.photo.scenery import random_scenery
from lab.synth.scene import Page, map_truth, random_page

_GAP_MM = (-16.0, 45.0)
"""Distance between neighbouring pages; negative if one overlaps the other's margin."""


@dataclass(frozen=True, eq=False)
class SynthTable:
    """A photo of a table and its ground truth.

    bgr: (H, W, 3) uint8. centers_xy: for each map (5, 7, 2) float64, photo frame.
    places_xy: (N, 2) float64, photo frame, the spellbook's places in the order of `marked_places`.
    marked: what is marked on the spellbook, as in `draw_spellbook`. game: as it was played.
    level: how hard the photo is.
    """

    bgr: U8
    centers_xy: tuple[F64, F64]
    places_xy: F64
    marked: dict[str, bool]
    game: Game
    level: Level

    def truth(self) -> dict[str, Any]:
        """The ground truth to store beside the photo, as plain JSON values."""
        scores = self.game.scores()
        result = outcome(scores)
        book = self.game.spellbook
        maps = [
            {
                "kind": "duel_map",
                **map_truth(board, xy),
                "castle_used": used,
                "score": score.domain_points,
                "wizard": score.wizard,
            }
            for board, xy, used, score in zip(
                self.game.maps, self.centers_xy, self.game.castle_used, scores, strict=True
            )
        ]
        lines = spellbook_json(book)["players"]
        chosen = [book.chosen_by(player) for player in (0, 1)]
        return {
            "level": self.level,
            "maps": maps,
            "spellbook": {
                "players": [
                    {"lines": side, "chosen_coat": str(coat) if coat else None}
                    for side, coat in zip(lines, chosen, strict=True)
                ],
                "pixels": [[round(float(v), 1) for v in xy] for xy in self.places_xy],
                "marked": self.marked,
            },
            "winner": result.winner,
            "decided_by": result.decided_by,
            "size": [self.bgr.shape[1], self.bgr.shape[0]],
        }


def make_table(
    seed: int,
    level: Level,
    *,
    book_page: tuple[BookLayout, U8, float],
    page: Page | None = None,
    messiness: float | None = None,
    size_wh: Size = (2016, 1512),
) -> SynthTable:
    """Make the photo of `seed`; the same arguments give the same bytes.

    book_page: a spellbook's layout, its print and pixels per mm. page: the same for the maps;
        None for a random design.
    messiness: as in `lab.synth.scene.make_photo`.
    """
    rng = np.random.default_rng([seed, 11])
    player = greedy_player if rng.random() < 0.5 else random_player
    game = play_game(plain_random(rng), (player, player))
    untidy = rng.uniform(0, 1) if messiness is None else messiness
    hands = Hand.random(rng), Hand.random(rng)
    page = page or random_page(rng)
    layout = page[0]
    drawn = [
        draw_board(rng, page, (board, used), hand, untidy)
        for board, used, hand in zip(game.maps, game.castle_used, hands, strict=True)
    ]
    book, book_blank, book_px = book_page
    written, marked = draw_spellbook(
        book_blank, book, game.spellbook, rng, px_per_mm=book_px, messiness=untidy, hands=hands
    )
    # the required part of a spellbook: everything that players mark, and the markers
    size = book.markers.size_mm / 2 + 1
    at = np.array([place.center_mm for place in book.markers.places])
    (x0, y0), (x1, y1) = at.min(0) - size, at.max(0) + size
    sheets = [
        *((sheet.bgr, layout.page_mm, layout.grid_rect) for sheet in drawn),
        (written, book.page_mm, (float(x0), float(y0), float(x1 - x0), float(y1 - y0))),
    ]
    bgr, to_photo = photograph_table(rng, sheets, level, size_wh)
    centers = [to_photo[k](drawn[k].centers_mm) for k in (0, 1)]
    places = to_photo[2](np.array([center for _, center, _ in marked_places(book)]))
    return SynthTable(bgr, (centers[0], centers[1]), places, marked, game, level)


ToPhoto = Callable[[F64], F64]


def photograph_table(
    rng: Rng,
    sheets: Sequence[tuple[U8, tuple[float, float], Rect]],
    level: Level,
    size_wh: Size,
) -> tuple[U8, list[ToPhoto]]:
    """Photograph several sheets at once.

    sheets: for each its flat page, its size and the part that must be visible, in mm.
    Returns the photo, and for each sheet the mapping from mm on its page to photo pixels.
    """
    conditions = LEVELS[level]
    severity = conditions.severity * rng.uniform(0.45, 1)
    order = rng.permutation(len(sheets))  # from the lowest up
    poses = _arranged(rng, [(page_mm, rect) for _, page_mm, rect in sheets], order)
    meshes = []
    for k, (_, page_mm, rect) in enumerate(sheets):
        flat = bent_sheet(page_mm, middle(rect), rng, 0.4 * severity)
        # rotated and moved to its place, a little above those below it
        pose = poses[k]
        c, s = np.cos(pose.turn), np.sin(pose.turn)
        turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
        xyz = flat.xyz @ turn + (pose.x, pose.y, 0.4 * np.flatnonzero(order == k)[0])
        meshes.append(replace(flat, xyz=xyz, normals=flat.normals @ turn))
    camera = _aimed(rng, conditions.tilt_deg, meshes, [rect for *_, rect in sheets], size_wh)
    maps = [PageMap.through(camera, mesh) for mesh in meshes]
    top = int(order[-1])
    paper = f32(sheets[top][0][::16, ::16].reshape(-1, 3).mean(0))
    lying = [(maps[k], sheets[k][2]) for k in (top, *order[:-1])]
    scenery = random_scenery(rng, camera, lying, severity, paper)
    below = [(sheets[k][0], maps[k]) for k in order[:-1]]
    image = expose(rng, sheets[top][0], maps[top], camera, scenery, severity, below)
    corners = maps[top].page_to_photo(corners_of(sheets[top][2]))
    detail = float(np.linalg.norm(corners[1] - corners[0])) / COLS
    return develop(rng, image, severity, detail), [each.page_to_photo for each in maps]


@dataclass(frozen=True)
class _Pose:
    """Where the middle of a page's required part is on the desk, in mm, and the page's rotation."""

    x: float
    y: float
    turn: float

    def place(self, points: F64) -> F64:
        """(K, 2) mm from that middle to (K, 2) mm on the desk."""
        return np.asarray(points @ rotation(self.turn).T + (self.x, self.y))


def _arranged(
    rng: Rng, pages: Sequence[tuple[tuple[float, float], Rect]], order: I64
) -> list[_Pose]:
    """Poses in which no page covers the required part of one below it."""
    for attempt in range(400):
        loose = 1 + attempt / 80  # apart, if it will not work otherwise
        # pages in a row, in a column, or two above one, slightly out of line
        (w, h), count = pages[0][0], len(pages)
        gap = rng.uniform(*_GAP_MM, 2) * loose
        step = np.array([w + gap[0], h + gap[1]])
        places = np.array([(0.0, float(k)) for k in range(count)])
        if rng.random() < 0.5:
            places = np.array([(-0.5 + k % 2, float(k // 2)) for k in range(count)])
            places[count // 2 * 2 :, 0] = 0.0
        elif rng.random() < 0.4:
            places = places[:, ::-1]
        places = places[rng.permutation(count)]
        poses = []
        for at in places * step:
            turn = rng.normal(0, 0.12) + pi * (rng.random() < 0.3)
            shift = rng.normal(0, 8 * loose, 2)
            poses.append(_Pose(float(at[0] + shift[0]), float(at[1] + shift[1]), turn))
        if not any(
            _covers(pages[upper], poses[upper], pages[lower], poses[lower])
            for n, upper in enumerate(order)
            for lower in order[:n]
        ):
            return poses
    raise RuntimeError("the sheets cannot be laid on one table")


def _covers(
    upper: tuple[tuple[float, float], Rect],
    pose: _Pose,
    lower: tuple[tuple[float, float], Rect],
    there: _Pose,
) -> bool:
    (w, h), rect = upper
    page = pose.place(corners_of((0, 0, w, h)) - middle(rect))
    seen = there.place(corners_of(lower[1]) - middle(lower[1]))
    area, _ = cv2.intersectConvexConvex(f32(page), f32(seen))
    return float(area) > 0


def _aimed(
    rng: Rng,
    tilt_deg: tuple[float, float],
    meshes: Sequence[Sheet],
    rects: Sequence[Rect],
    size_wh: Size,
) -> Camera:
    """A camera that sees the required part of every sheet."""
    seen_of = zip(meshes, rects, strict=True)
    must_see = np.concatenate([mesh.at(net(rect, 6)) for mesh, rect in seen_of])
    middle = must_see.mean(0) * (1, 1, 0)
    low, high = must_see.min(0), must_see.max(0)
    box = np.array(
        [(low[0], low[1], 0), (high[0], low[1], 0), (high[0], high[1], 0), (low[0], high[1], 0)]
    )
    roll = rng.choice([0, 0, 1, 2, 3]) * pi / 2 + rng.normal(0, 0.15)
    tilt = np.deg2rad(rng.uniform(tilt_deg[0], 0.7 * tilt_deg[1]))
    focal = max(size_wh) * rng.uniform(0.7, 1.4)
    camera = Camera(np.zeros(3), aim(rng, tilt, roll), focal, size_wh, rng.normal(0, 0.02))
    share, spread = rng.uniform(0.75, 0.98), rng.uniform(0, 1)
    seen = frame(rng, camera, must_see - middle, box - middle, share, 0.012, spread)
    return replace(seen, eye=seen.eye + middle)
