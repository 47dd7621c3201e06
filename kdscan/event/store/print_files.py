"""Files of known prints; they are stored among the photos, where every worker finds them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kdscan.errors import LayoutError, StoreError
from kdscan.event.store.files import PhotoFiles
from kdscan.templates.library import Damaged, StoredTemplate, parse_template
from kdscan.templates.template import SUFFIX


def load_prints(
    root: str, wanted: Iterable[str], damaged: Damaged = lambda _: None
) -> tuple[StoredTemplate, ...]:
    """Prints by the SHA-256 of their files; missing or damaged ones are reported and skipped.

    root: see `PhotoFiles`. Each is opened once per process.
    """
    found = []
    for sha256 in wanted:
        try:
            found.append(_load(root, sha256))
        except (LayoutError, StoreError) as error:
            damaged(error)
    return tuple(found)


@lru_cache(maxsize=100)
def _load(root: str, sha256: str) -> StoredTemplate:
    return parse_template(PhotoFiles(root).get(sha256, SUFFIX), sha256[:12] + SUFFIX)
