"""The font of everything that is printed: Vollkorn, embedded, so that each printer shows it alike.

Vollkorn by Friedrich Althausen, SIL Open Font License 1.1 (OFL.txt beside this file): a sturdy
old-style face with Polish and Cyrillic letters that stays legible at 6 points on a bad printer.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files

from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

SERIF, ITALIC = "Vollkorn-Regular", "Vollkorn-Italic"
"""Names to give to reportlab once `load_fonts` has run."""

CAPITAL = 0.676
"""Height of a capital as a share of the font's size (OS/2 sCapHeight of both faces)."""


@lru_cache(maxsize=1)
def load_fonts() -> None:
    """Make both faces known to reportlab, once a process."""
    for name in (SERIF, ITALIC):
        with as_file(files(__name__) / f"{name}.ttf") as path:
            registerFont(TTFont(name, str(path)))
