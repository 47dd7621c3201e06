"""Path-traced photos of drawn sheets, and the generator's photos of the same sheets for comparison.

    pip install mitsuba       (it wants LLVM too: apt install libllvm19)
    python -m lab.benchmarks.traced data/traced --count 40 --surfaces SURFACES
    python -m lab.benchmarks.accuracy data/traced/traced
    python -m lab.benchmarks.accuracy data/traced/generator

Training photos are painted, not traced. If a path tracer's photos (soft shadows, light reflected by
the table, a lens with a real aperture, its own tone and noise) are read as well as the generator's,
the camera is not what remains to be learned. About 15 s per photo on two cores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from lab.benchmarks.shared import parser
from lab.synth.fields import any_of
from lab.synth.own import any_look, own_page
from lab.synth.photo.camera import HAND_HELD, LEVELS, Level
from lab.synth.photo.lens import Camera, PageMap, aim, corners_of, frame, middle, net
from lab.synth.photo.paper import bent_sheet, flat_sheet
from lab.synth.scene import DrawnPage, SynthPhoto, draw_page, save_photo, shoot

mi.set_variant("llvm_ad_rgb")
T = mi.ScalarTransform4f
Scene = dict[str, Any]
UP = np.array((1.0, -1.0, 1.0))
"""Converts from the generator's world, with y down the page, to a path tracer's right-handed
one."""


def rgb(value: Sequence[float] | NDArray[np.float64] | float) -> Scene:
    """A colour or an amount of light."""
    return {
        "type": "rgb",
        "value": value if isinstance(value, float) else [float(v) for v in value],
    }


def warm(rng: np.random.Generator, mean: float) -> NDArray[np.float64]:
    """A white with mean 1, from candle to sky, (3,) RGB."""
    warmth = rng.normal(mean, 0.4)
    white = np.exp(warmth * np.array((0.35, 0.0, -0.5)))
    return np.asarray(white / white.mean())


def paper(page: DrawnPage, view: PageMap, rng: np.random.Generator) -> Any:
    """The bent sheet as a mesh, coloured by the page."""
    sheet = view.sheet
    rows, cols = sheet.xyz.shape[:2]
    texture = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(page.bgr[..., ::-1]))}
    coated = {
        "type": "roughplastic",
        "diffuse_reflectance": texture,
        "alpha": rng.uniform(0.25, 0.6),
    }
    matt = {"type": "diffuse", "reflectance": texture}
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(
        {"type": "twosided", "front": matt if rng.random() < 0.6 else coated}
    )
    corners = np.arange(rows * cols).reshape(rows, cols)
    a, b, c, d = (
        part.ravel()
        for part in (corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:])
    )
    mesh = mi.Mesh(
        "paper",
        rows * cols,
        2 * len(a),
        has_vertex_texcoords=True,
        has_vertex_normals=True,
        props=props,
    )
    uv = np.meshgrid(sheet.x_mm / sheet.x_mm[-1], sheet.y_mm / sheet.y_mm[-1])
    parts = mi.traverse(mesh)
    parts["vertex_positions"] = (sheet.xyz * UP).astype(np.float32).ravel()
    parts["vertex_texcoords"] = np.stack(uv, -1).astype(np.float32).ravel()
    parts["vertex_normals"] = (sheet.normals * UP).astype(np.float32).ravel()
    parts["faces"] = np.concatenate((np.stack((a, c, b), 1), np.stack((b, c, d), 1))).ravel()
    parts.update()
    return mesh


def pose(
    rng: np.random.Generator, page: DrawnPage, level: Level, size: tuple[int, int]
) -> tuple[Camera, PageMap, float]:
    """A camera, the bent page in it, and the severity, 0..1."""
    conditions = LEVELS[level]
    severity = conditions.severity * float(rng.uniform(0.45, 1))
    grid_mm, page_mm = page.layout.grid_rect, page.layout.page_mm
    tilt = float(np.deg2rad(rng.uniform(*conditions.tilt_deg)))
    roll = float(rng.uniform(0, 2 * np.pi))
    if rng.random() > conditions.turned:
        roll = float(rng.integers(4) * np.pi / 2 + rng.normal(0, 0.12))
    focal = max(size) * float(rng.uniform(0.72, 1.1))
    camera = Camera(np.zeros(3), aim(rng, tilt, roll), focal, size, 0.0)
    share, spread = float(rng.uniform(0.4, 0.95)), float(rng.uniform(0, 1))
    at = middle(grid_mm)
    for attempt in range(6):
        bend = severity * 0.6**attempt
        sheet = bent_sheet(page_mm, at, rng, bend) if attempt < 5 else flat_sheet(page_mm, at)
        points = sheet.at(net(grid_mm, 9)), sheet.at(corners_of(grid_mm))
        seen = frame(rng, camera, *points, share, 0.012, spread)
        view = PageMap.through(seen, sheet)
        if view.is_seen_whole():
            break
    return seen, view, severity


def lights(rng: np.random.Generator, severity: float) -> Scene:
    """A lamp, a window, a lit ceiling, lamp and window, or an overcast sky; and the room."""
    kind = rng.choice(("lamp", "window", "ceiling", "both", "sky"))
    scene: Scene = {}
    around = rng.uniform(0, 2 * np.pi)

    def away(height: float, distance: float) -> NDArray[np.float64]:
        flat = math.cos(height) * distance
        return np.array(
            (flat * math.cos(around), flat * math.sin(around), math.sin(height) * distance)
        )

    if kind in ("lamp", "both"):
        far, radius = rng.uniform(450, 1100), rng.uniform(15, 70)
        light = 0.9 * far**2 / (radius**2 * np.pi) * warm(rng, 0.4)
        at = away(math.radians(rng.uniform(75 - 45 * severity, 85)), far)
        emitter = {"type": "area", "radiance": rgb(light)}
        scene["lamp"] = {
            "type": "sphere",
            "center": at.tolist(),
            "radius": radius,
            "emitter": emitter,
        }
        around += rng.uniform(1, 5)
    if kind in ("window", "both", "ceiling"):
        high = kind == "ceiling"
        at = away(math.radians(rng.uniform(15, 45)), rng.uniform(1000, 2200))
        if high:
            at = np.array((*rng.uniform(-900, 900, 2), rng.uniform(1400, 1900)))
        half = rng.uniform(100, 500, 2) if high else rng.uniform(250, 600, 2)
        strength = (1.0 if high else 1.8) * float(at @ at) / (4 * half.prod())
        facing = T().look_at(
            origin=at.tolist(), target=[0, 0, 0], up=[0, 1, 0] if high else [0, 0, 1]
        )
        scene["window"] = {
            "type": "rectangle",
            "to_world": facing.scale([*half.tolist(), 1]),
            "emitter": {
                "type": "area",
                "radiance": rgb(strength * warm(rng, 0.2 if high else -0.4)),
            },
        }
    ambient = 1.0 if kind == "sky" else rng.uniform(0.05, 0.6)
    scene["room"] = {"type": "constant", "radiance": rgb(ambient / np.pi * warm(rng, 0.0))}
    return scene


def things(rng: np.random.Generator, page: DrawnPage, severity: float) -> Scene:
    """Dice, pencils, cups and balls around the grid."""
    half = np.array(page.layout.grid_rect[2:]) / 2
    scene: Scene = {}
    for i in range(int(rng.integers(0, 3 + round(6 * severity)))):
        kind = rng.choice(("die", "pencil", "cup", "ball"))
        clear = {"die": 15, "pencil": 85, "cup": 130, "ball": 20}[kind]
        at = rng.uniform(-1, 1, 2) * (half + 160)
        if np.hypot(*np.maximum(np.abs(at) - half, 0)) < clear:
            continue
        x, y = (float(v) for v in at)
        color, alpha = rgb(rng.uniform(0.03, 0.85, 3)), rng.uniform(0.05, 0.4)
        plastic = {"type": "roughplastic", "diffuse_reflectance": color, "alpha": alpha}
        turn = rng.uniform(0, 360)
        along = 70 * np.array((math.cos(turn), math.sin(turn)))
        shape: Scene = {"type": "sphere", "center": [x, y, 14.0], "radius": 14.0}
        if kind == "die":
            stands = T().translate([x, y, 8.2]).rotate([0, 0, 1], turn).scale(8)
            shape = {"type": "cube", "to_world": stands}
        elif kind == "pencil":
            ends = {"p0": [*(at - along).tolist(), 4.5], "p1": [*(at + along).tolist(), 4.5]}
            shape = {"type": "cylinder", "radius": 4.0} | ends
        elif kind == "cup":
            ends = {"p0": [x, y, 0.0], "p1": [x, y, rng.uniform(60, 110)]}
            shape = {"type": "cylinder", "radius": 38.0} | ends
        scene[f"thing{i}"] = shape | {"bsdf": {"type": "twosided", "outside": plastic}}
    return scene


def desk(rng: np.random.Generator, surfaces: Sequence[Path]) -> Scene:
    """A table top, matt or shiny."""
    color: Scene = rgb(rng.uniform(0.05, 0.7, 3))
    if surfaces:
        picture = cv2.imread(str(surfaces[int(rng.integers(len(surfaces)))]))
        pixels = np.ascontiguousarray(np.asarray(picture, np.uint8)[..., ::-1])
        often = rng.uniform(6, 30)
        color = {"type": "bitmap", "bitmap": mi.Bitmap(pixels), "wrap_mode": "mirror"}
        color["to_uv"] = T().scale([often, often, 1])
    matt = {"type": "diffuse", "reflectance": color}
    shiny = {"type": "roughplastic", "diffuse_reflectance": color, "alpha": rng.uniform(0.05, 0.35)}
    bsdf = matt if rng.random() < 0.5 else shiny
    return {"type": "rectangle", "to_world": T().scale(1500), "bsdf": bsdf}


def trace(
    rng: np.random.Generator,
    page: DrawnPage,
    level: Level,
    size: tuple[int, int],
    surfaces: Sequence[Path],
    samples: int,
) -> tuple[NDArray[np.float64], PageMap, float]:
    """Light on the sensor (H, W, 3) RGB, the page in it, and the severity."""
    camera, view, severity = pose(rng, page, level, size)
    eye, ahead, up = camera.eye * UP, camera.axes[2] * UP, -camera.axes[1] * UP
    width, height = size
    film = {"type": "hdrfilm", "width": width, "height": height, "pixel_format": "rgb"}
    sensor = {
        "type": "thinlens",
        "fov": math.degrees(2 * math.atan(width / 2 / camera.focal)),
        "fov_axis": "x",
        "aperture_radius": rng.uniform(0.2, 1.6),
        "focus_distance": float(np.linalg.norm(eye)) * rng.normal(1, 0.04 + 0.04 * severity),
        "to_world": T().look_at(origin=eye.tolist(), target=(eye + ahead).tolist(), up=up.tolist()),
        "near_clip": 1.0,
        "far_clip": 1e5,
        "film": film,
        "sampler": {"type": "independent", "sample_count": samples},
    }
    scene = {"type": "scene", "integrator": {"type": "path", "max_depth": 4}, "sensor": sensor}
    scene |= {"desk": desk(rng, surfaces)} | lights(rng, severity)
    around = things(rng, page, severity)
    if rng.random() < 0.7:  # the photographer blocks some light
        hand = eye - ahead * 40 + camera.axes[0] * UP * rng.uniform(-60, 60)
        skin = {"type": "diffuse", "reflectance": rgb((0.5, 0.33, 0.25))}
        scene["hand"] = {"type": "sphere", "center": hand.tolist(), "radius": 25.0, "bsdf": skin}
    scene["paper"] = paper(page, view, rng)
    world = mi.load_dict(scene | around)
    ways = view.sheet.at(page.nodes_mm.reshape(-1, 2)) * UP - eye
    far = np.linalg.norm(ways, axis=1)
    rays = mi.Ray3f(eye.tolist(), mi.Vector3f((ways / far[:, None]).T.astype(np.float32)))
    if (np.array(world.ray_intersect(rays).t) < far - 4).any():  # an object hides the map
        world = mi.load_dict(scene)
    light = mi.render(world, spp=samples, seed=int(rng.integers(2**31)))
    return np.nan_to_num(np.array(light, np.float64), posinf=10.0), view, severity


def develop(
    rng: np.random.Generator, light: NDArray[np.float64], severity: float
) -> NDArray[np.uint8]:
    """A phone's processing of the light: white balance, exposure, noise, tone, smoothing."""
    height, width = light.shape[:2]
    middle = light[height // 5 : -height // 5, width // 5 : -width // 5]
    white = np.median(middle.reshape(-1, 3), axis=0)
    light = light * (white / white.mean()) ** -rng.uniform(0.2, 0.9)
    gain = rng.uniform(0.42, 0.75) * math.exp(rng.normal(0, 0.1 + 0.2 * severity))
    light = light * gain / max(float(np.percentile(middle.mean(axis=-1), 70)), 1e-4)
    full = 10 ** rng.uniform(2.6, 4.2 - 0.7 * severity)
    light = rng.normal(
        light, np.sqrt(np.maximum(light, 0) / full + (0.002 + 0.004 * severity) ** 2)
    )
    light = np.clip(light, 0, None)
    stored = np.where(
        light < 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055
    )
    stored = np.clip(stored, 0, 1)
    stored += rng.uniform(-0.1, 0.5) * (stored - 0.5) * stored * (1 - stored) * 2
    bgr = (np.clip(stored, 0, 1)[..., ::-1] * 255 + 0.5).astype(np.uint8)
    if rng.random() < 0.6:
        bgr = np.asarray(cv2.bilateralFilter(bgr, 5, 12, 2), np.uint8)
    if rng.random() < 0.6:
        soft = cv2.GaussianBlur(bgr, (0, 0), 1.1)
        bgr = np.asarray(cv2.addWeighted(bgr, 1.6, soft, -0.6, 0), np.uint8)
    return bgr


def main() -> None:
    """Write FOLDER/traced and FOLDER/generator: NUMBER.jpg and NUMBER.json for each seed."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--count", type=int, default=40)
    options.add_argument("--first", type=int, default=50_000_000, help="seed of the first one")
    options.add_argument("--own", action="store_true", help="our own sheet, in any of its looks")
    options.add_argument("--surfaces", type=Path, help="folder with pictures of table tops")
    options.add_argument("--samples", type=int, default=32, help="paths a pixel")
    args = options.parse_args()
    surfaces = sorted(args.surfaces.rglob("*.[jp][pn]g")) if args.surfaces else []
    for seed in range(args.first, args.first + args.count):
        rng = np.random.default_rng([seed, 5])
        level = any_of(rng, HAND_HELD)
        size = (2016, 1512) if rng.random() < 0.5 else (1512, 2016)
        page = draw_page(rng, page=own_page(look=any_look(rng)) if args.own else None)
        own = np.random.default_rng([seed, 77])
        light, view, severity = trace(own, page, level, size, surfaces, args.samples)
        about = (page.board, page.castle_used, page.layout.name, level)
        traced = SynthPhoto(
            develop(own, light, severity), view.page_to_photo(page.nodes_mm), *about
        )
        name = f"{seed:08d}.jpg"
        quality = int(own.integers(round(88 - 25 * severity), 95))
        truth = {"seed": seed} | traced.truth()
        save_photo(args.folder / "traced" / name, traced.bgr, truth, quality)
        again = shoot(np.random.default_rng([seed, 6]), page, level, size_wh=size)
        truth = {"seed": seed} | again.truth()
        save_photo(args.folder / "generator" / name, again.bgr, truth)
        print(name, level, flush=True)


if __name__ == "__main__":
    main()
