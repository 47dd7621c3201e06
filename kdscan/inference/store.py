"""Models by name: found, checked against their checksum, loaded on first use.

`models/manifest.json` names the version in use of each model, with the SHA-256 of
its file. The file's own metadata carry labels and version; a file that does not
match either is refused rather than trusted.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kdscan.errors import ModelError
from kdscan.records import COATS, KINDS
from kdscan.records.arrays import Network
from kdscan.records.book import StruckBy
from kdscan.sheet.layout import layouts

FORMAT = "kdscan-models/3"

MARKS = [str(c) if c else "empty" for c in COATS]
"""What the networks that read marks say, in this order."""

NETWORKS = ("locate", "refine", "marks", "cover", "ink", "spellbook", "tiles", "squares")
"""The models that reading needs."""

MAPS_NEED = ("locate", "refine", "marks", "cover")
"""The models that every map is read by, in the order in which they are asked."""

ANY, OWN = "any", "own"
"""Sheets of any design, and those that kdscan prints: how far a total may be believed differs."""


def calibrated_as(layout: str) -> str:
    """`OWN` for layouts that kdscan prints, else `ANY`."""
    return OWN if layout in layouts() else ANY


def models_folder() -> Path:
    """Where the models lie: inside the installed package, else beside a checkout's."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "models", package.parent / "models"):
        if (folder / "manifest.json").is_file():
            return folder
    raise ModelError(
        "the models are missing; install kdscan again: pip install --force-reinstall kdscan"
    )


@dataclass(frozen=True)
class Models:
    """The `NETWORKS`, seven for sheets and two for kingdoms; each session is made on first use."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        try:
            manifest: dict[str, Any] = json.loads(
                (self.folder / "manifest.json").read_text("utf-8")
            )
        except (OSError, ValueError) as error:
            raise ModelError(
                "the list of models cannot be read ({why}); install kdscan again", why=error
            ) from error
        if manifest.get("format") != FORMAT:
            raise ModelError(
                "these models are of format {found}, not {known}; install kdscan again",
                found=manifest.get("format"),
                known=FORMAT,
            )
        return manifest

    def check(self) -> None:
        """Raise `ModelError` for the first model that is missing, corrupt or of another version."""
        for name in NETWORKS:
            self._checked(name)

    @cached_property
    def version(self) -> str:
        """The models in use, `locate-1 marks-1 refine-1 3f2a…`: equal only for equal files."""
        used = sorted(self.manifest["models"].values(), key=lambda entry: str(entry["file"]))
        names = " ".join(str(entry["file"]).split("/")[0] for entry in used)
        together = hashlib.sha256("".join(str(entry["sha256"]) for entry in used).encode())
        return f"{names} {together.hexdigest()[:12]}"

    def path(self, name: str) -> Path:
        """Where a model lies; raises ModelError if the manifest names none."""
        entry = self.manifest["models"].get(name)
        if entry is None:
            raise ModelError("no model is named {name}; install kdscan again", name=name)
        return self.folder / str(entry["file"])

    @cached_property
    def locate(self) -> Network:
        return self._network("locate")

    @cached_property
    def refine(self) -> Network:
        return self._network("refine")

    @cached_property
    def cover(self) -> Network:
        """Sees what hides shields: flat sheets (B, 3, 336, 464) BGR 0..1 → logits (B, 5, 7)."""
        return self._network("cover")

    @cached_property
    def ink(self) -> Network:
        """Tells ink from print: flat sheets (B, 3, 672, 928) BGR 0..1 → logits (B, 1, 672, 928)."""
        return self._network("ink")

    @cached_property
    def marks(self) -> Network:
        return self._labelled("marks", MARKS)

    @cached_property
    def spellbook(self) -> Network:
        return self._spellbook[0]

    @cached_property
    def struck_by(self) -> StruckBy:
        """How strokes through squares tell of a struck line."""
        try:
            return StruckBy.from_json(self._spellbook[1].get("struck_by", ""))
        except (ValueError, TypeError) as error:
            raise ModelError(
                "the model spellbook does not say how lines are struck; install kdscan again"
            ) from error

    @cached_property
    def _spellbook(self) -> tuple[Network, dict[str, str]]:
        return self._session("spellbook")

    def calibration(self, layout: str, looks: int) -> NDArray[np.float64]:
        """(2,): slope and offset of what is said of totals, see `MarkProbs.calibration`.

        layout: what the sheet is, see `kdscan.detection.layout`. looks: taken at its marks; what
        more of them say is surer than it sounds.
        """
        known = self.manifest.get("trust", {}).get(calibrated_as(layout), {})
        return np.array(known.get("total", {}).get(str(looks), (1.0, 0.0)), np.float64)

    @cached_property
    def tiles(self) -> Network:
        return self._network("tiles")

    @cached_property
    def squares(self) -> Network:
        return self._labelled("squares", [f"{terrain} {crowns}" for terrain, crowns in KINDS])

    def _labelled(self, name: str, labels: list[str]) -> Network:
        """A model that says these labels, in this order."""
        network, metadata = self._session(name)
        known = json.loads(metadata.get("labels", "null"))
        if known != labels:
            raise ModelError(
                "the model {name} knows other labels ({labels}); install kdscan again",
                name=name,
                labels=known,
            )
        return network

    def _network(self, name: str) -> Network:
        return self._session(name)[0]

    def open_beside(self, threads: int = 1) -> None:
        """Open what every map needs in a thread, while this one imports and decodes; what goes
        wrong is raised when the network is asked for.

        threads: that each of them computes in; what they say does not depend on it.
        """
        thread = ThreadPoolExecutor(1)
        for name in MAPS_NEED:
            if name in self.__dict__:  # open already
                continue
            self._opening[name] = thread.submit(self._open, name, threads)
        thread.shutdown(wait=False)

    @cached_property
    def _opening(self) -> dict[str, Future[tuple[Network, dict[str, str]]]]:
        return {}

    def _session(self, name: str) -> tuple[Network, dict[str, str]]:
        """A model ready to run, and the metadata inside its file."""
        opening = self._opening.pop(name, None)
        return opening.result() if opening else self._open(name)

    def _open(self, name: str, threads: int = 1) -> tuple[Network, dict[str, str]]:
        data = self._checked(name)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises classes of its own, all alike here
            raise ModelError(
                "the model {name} cannot be loaded ({why}); install kdscan again",
                name=name,
                why=error,
            ) from error
        given = [one.name for one in session.get_inputs()]

        def network(*batches: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
            return tuple(session.run(None, dict(zip(given, batches, strict=True))))

        return network, dict(session.get_modelmeta().custom_metadata_map)

    def _checked(self, name: str) -> bytes:
        """The model's bytes, if they are those that the manifest promises."""
        path = self.path(name)
        try:
            data: bytes = path.read_bytes()
        except OSError as error:
            raise ModelError(
                "the model {name} is missing ({why}); install kdscan again", name=name, why=error
            ) from error
        if hashlib.sha256(data).hexdigest() != self.manifest["models"][name]["sha256"]:
            raise ModelError(
                "the model {name} is damaged (checksum differs); install kdscan again", name=name
            )
        return data


@cache
def default_models() -> Models:
    """The models that ship with kdscan."""
    return Models(models_folder())
