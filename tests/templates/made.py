"""Arbitrary known prints, quickly made."""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.paper.layout import Castle
from kdscan.templates.template import COVERAGE_STEP, TEMPLATE_WH, CellGeometry, Template

SHIELD = ((-0.3, -0.3), (0.3, -0.3), (0.0, 0.35))
ROOF = ((-0.2, 0.0), (0.2, 0.0), (0.0, -0.25))


def made_template(name: str = "club", seed: int = 1) -> Template:
    w, h = TEMPLATE_WH
    lot = np.random.default_rng(seed)
    coarse = lot.integers(60, 256, (23, 31, 3), np.uint8)
    return Template(
        name,
        np.asarray(cv2.resize(coarse, (w, h), interpolation=cv2.INTER_CUBIC), np.uint8),
        lot.random((h // COVERAGE_STEP, w // COVERAGE_STEP), np.float32),
        CellGeometry(SHIELD, ((-0.2, 0.42), (0.2, 0.42)), 0.06),
        Castle((ROOF,), (SHIELD,)),
        "dashed",
        1.04,
        0.003,
        5,
    )
