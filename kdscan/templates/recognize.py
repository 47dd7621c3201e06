"""Which template does a sheet have? Candidates are ranked by thumbnails and verified by alignment.

A thumbnail of eight pixels per cell is compared with those of all prints, upright and upside down,
shifted by up to half a cell. The few most similar prints are aligned with the sheet. A print is
accepted if its structure is found in the photo place by place, which does not happen with another
print, however similar its colours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.find import turned
from kdscan.imaging.picture import Floats, Photo, finest_decoded, flatten
from kdscan.templates.align import Aligned, align
from kdscan.templates.cells import smoothed
from kdscan.templates.template import TEMPLATE_MARGIN, THUMB_PX, Template, normalize_colors

SURELY = 0.3
"""Likeness, see `Aligned.likeness`, from which a print is accepted as the sheet's own. Of 120
sheets of twelve pads 108 have more with their own print; of 6,120 others none has more than 0.2."""
CANDIDATES = 3
"""Most prints that are aligned with a sheet: the right one of 16 was among the first two for all of
96 sheets."""
LEAST_ALIKE = 0.08
"""Correlation of thumbnails below which a print is not tried."""

MIN_RELATIVE = 0.5
"""A recognised print is aligned a second time, mirrored or the other way up. This is abandoned if
its likeness after coarse alignment is less than this share of the first one's; where the second way
was right, it never was."""

_SHIFT = 4  # thumbnail pixels, half a cell, by which thumbnails are shifted


def recognize(photo: Photo, centers_xy: Floats, templates: Sequence[Template]) -> Aligned | None:
    """The template of a sheet, aligned with it; None if it is none of them.

    centers_xy: (5, 7, 2) photo frame, approximate centres of the sheet's cells; it may be upside
    down.
    """
    if not templates:
        return None
    candidates = ranked(photo, centers_xy, templates)[:CANDIDATES]
    for template, upside_down in candidates:
        aligned = align(template, photo, turned(centers_xy) if upside_down else centers_xy)
        if aligned.likeness >= SURELY:
            if (template, not upside_down) not in candidates:
                return aligned
            # Thumbnails of regular prints look similar either way up, and up to half of their
            # structure is found upside down.
            least = MIN_RELATIVE * aligned.likeness
            other = align(template, photo, turned(aligned.centers_xy), least)
            return max(aligned, other, key=lambda way: way.likeness)
    return None


def shows_mirrored(
    photo: Photo, centers_xy: Floats, templates: Sequence[Template], plain: Aligned | None
) -> bool:
    """Whether a sheet bears a template, mirrored.

    plain: what `recognize` returned for the same sheet. Prints are nearly symmetrical, so that many
    are recognised in a mirror too; but the correct orientation has the higher likeness.
    """
    if plain is None:
        return recognize(photo, centers_xy[:, ::-1], templates) is not None
    least = MIN_RELATIVE * plain.likeness
    mirrored = align(plain.template, photo, plain.centers_xy[:, ::-1], least)
    return mirrored.likeness > plain.likeness


def ranked(
    photo: Photo, centers_xy: Floats, templates: Sequence[Template]
) -> list[tuple[Template, bool]]:
    """Prints whose thumbnails resemble the sheet's, and whether upside down, the most similar
    first."""
    margin = TEMPLATE_MARGIN + _SHIFT / THUMB_PX
    centers = smoothed(centers_xy)
    seen = normalize_colors(flatten(photo, centers, THUMB_PX, margin, finest_decoded(photo)))
    known = np.stack([template.signature for template in templates])
    ways = [(template, upside_down) for upside_down in (False, True) for template in templates]
    alike = _alike(seen, np.concatenate([known, known[..., ::-1]]))
    return [ways[at] for at in np.argsort(-alike) if alike[at] >= LEAST_ALIKE]


def _alike(seen: NDArray[np.float32], known: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N,): weighted correlation of a view's channels with those of N signatures, (N, 3, 2852) of
    zero mean, at the best of all shifts."""
    h, w = (n - 2 * _SHIFT for n in seen.shape[1:])
    total = np.zeros(((2 * _SHIFT + 1) ** 2, len(known)), np.float32)
    for channel, theirs in zip(seen, known.transpose(1, 0, 2), strict=True):
        parts = np.lib.stride_tricks.sliding_window_view(channel, (h, w)).reshape(len(total), -1)
        varied = np.einsum("ij,ij->i", parts, parts) - parts.sum(1) ** 2 / (h * w)
        total += (parts @ theirs.T) / (np.sqrt(np.maximum(varied, 0)) + 1e-3)[:, None]
    return np.asarray(total.max(0))
