"""Photos with ground truth, from people's confirmations and corrections, for training and testing.

One picture and one truth per sheet, `NAME.jpg` and `NAME.json`, in the format of samples, so that
they can be used wherever samples can. The truth also lists the shields that a person has checked
(`seen`): all of a confirmed sheet, else the corrected ones. `lab.training` uses only those. A
kingdom's truth is the JSON of `kdscan score`, as `lab.training make --photos` takes it; only
confirmed kingdoms are written, because all of their squares are used.
"""

from __future__ import annotations

import json
from pathlib import Path

from kdscan.document import SCHEMA
from kdscan.errors import PhotoError, StoreError
from kdscan.event.events import current_sheets, find_event
from kdscan.event.sheets import ReadSheet, firm_values
from kdscan.event.store import Store
from kdscan.event.store.schema import PhotoRow
from kdscan.files import Json
from kdscan.files.write import write_file
from kdscan.imaging.formats import jpeg, png
from kdscan.imaging.photo import decode
from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.sheets.base import DUEL_MAP, KINGDOM, evidence_from
from kdscan.sheets.common import cell_values
from kdscan.sheets.duel_map.model import MapEvidence

JPEGS = (".jpg", ".jpeg")
COPIED_SUFFIXES = (*JPEGS, ".png", ".webp")
"""Photos with these suffixes are copied; a page of any other file becomes a PNG."""

QUALITY = 95
"""Quality of the JPEGs of kingdoms, 0 to 100."""


def save_labels(store: Store, name: str, folder: Path) -> tuple[int, int]:
    """Write the sheets of an event that people looked at; returns the numbers of sheets and
    shields.

    Raises `UsageError` for an unknown event, `StoreError` if the folder cannot be written or a
    photo is missing.
    """
    written = shields = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with store.read() as db:
            event = find_event(db, name)
            corrected = [n for n, sheet in event.sheets.items() if sheet.brief.corrected]
            for sheet_id, sheet in current_sheets(db, event, corrected).items():
                label = None if sheet_id in event.said.ignored else truth(sheet)
                if label:
                    _write(store, event.photos[sheet.photo_id], sheet, label, folder)
                    written, shields = written + 1, shields + len(label["seen"])
    except OSError as error:
        why = error.strerror or error
        raise StoreError("{path} cannot be written ({why})", path=folder, why=why) from error
    return written, shields


def truth(sheet: ReadSheet) -> Json | None:
    """The truth for a photo; None if no person has checked any shield of it."""
    now, values = sheet.current, firm_values(sheet.current)
    confirmed = values.get("confirmed") is True
    if sheet.kind == KINGDOM.name and confirmed:
        squares = [cell for cell in now["cells"] if cell["terrain"] != "empty"]
        return {
            "schema": SCHEMA,
            "photos": [{"sheets": [now]}],
            "seen": [f"{cell['row']},{cell['col']}" for cell in squares],
        }
    checked = CELLS if confirmed else sorted(cell_values(values))
    if sheet.kind != DUEL_MAP.name or sheet.kept is None or not checked:
        return None
    _, evidence = evidence_from(sheet.kept)
    assert isinstance(evidence, MapEvidence)
    centers = evidence.rectified.centers_xy.tolist()
    return {
        "board": {
            f"{cell['row']},{cell['col']}": [cell["coat"], cell["crosses"]]
            for cell in now["cells"]
            if cell["coat"] is not None
        },
        "pixels": {f"{row},{col}": centers[row][col] for row, col in CELLS},
        "castle_pixel": centers[CASTLE[0]][CASTLE[1]],
        "score": now["score"]["domains"],
        "castle_used": now["castle_bonus_used"],
        "level": "event",
        "design": now["layout"],
        "seen": [f"{row},{col}" for row, col in checked],
    }


def _write(store: Store, photo: PhotoRow, sheet: ReadSheet, label: Json, folder: Path) -> None:
    """Write a sheet's picture, for kingdoms always as JPEG, and its truth."""
    name = f"{photo.sha256[:16]}-{sheet.page + 1}-{sheet.number + 1}"
    data, suffix = store.photos.get(photo.sha256, photo.suffix), photo.suffix
    as_jpeg = sheet.kind == KINGDOM.name
    if as_jpeg and suffix == ".jpeg":
        suffix = ".jpg"
    elif suffix not in (JPEGS if as_jpeg else COPIED_SUFFIXES):
        try:
            picture = decode(data)[sheet.page].bgr
        except PhotoError as error:
            raise StoreError(
                "the photo {name} cannot be decoded any more", name=photo.sha256[:12]
            ) from error
        suffix, data = (".jpg", jpeg(picture, QUALITY)) if as_jpeg else (".png", png(picture))
    write_file(folder / f"{name}{suffix}", data)
    write_file(folder / f"{name}.json", (json.dumps(label, indent=1) + "\n").encode())
