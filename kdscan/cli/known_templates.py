"""The templates with which commands read."""

from __future__ import annotations

from collections.abc import Sequence

from kdscan.cli.shared import error_message, note
from kdscan.errors import KdscanError
from kdscan.templates.library import StoredTemplate, load_template, own_library
from kdscan.templates.template import folded


def known_templates(files: Sequence[str] = ()) -> list[StoredTemplate]:
    """This user's templates, preceded by those of `files`.

    Damaged ones of the library are reported and skipped; raises LayoutError for others.
    """
    given = [load_template(file, thoroughly=True) for file in files]
    names = {folded(template.name) for template in given}
    return given + [t for t in own_library().load(damaged) if folded(t.name) not in names]


def damaged(error: KdscanError) -> None:
    """Report that a file is skipped."""
    note("{what} (skipped)", what=error_message(error))
