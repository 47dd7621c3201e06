"""A pen that draws on a PDF page in millimetres, x right, y down from the top left corner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from kdscan.paper.fonts import SERIF, load_fonts
from kdscan.paper.layout import Point
from kdscan.paper.style import THEMES, Color, Theme

LEAST_MM = 1.6
"""Size of the smallest letters that can be read at a table, 4.5 points."""

_POINTS_PER_MM = 72 / 25.4

load_fonts()


class Document:
    """A PDF of pages of one size, in millimetres, y down; the same drawing gives the same bytes.

    canvas: reportlab's. size_mm: width and height.
    """

    def __init__(self, title: str, size_mm: tuple[float, float]) -> None:
        self._out, self._height_mm = BytesIO(), size_mm[1]
        size = tuple(mm * _POINTS_PER_MM for mm in size_mm)
        self.canvas = Canvas(self._out, pagesize=size, invariant=True, pageCompression=1)
        self.canvas.setTitle(title)
        self.canvas.setCreator("kdscan")

    @contextmanager
    def page(self, theme: Theme = THEMES["plain"]) -> Iterator[Pen]:
        """The pen for the next page."""
        self.canvas.translate(0, self._height_mm * _POINTS_PER_MM)
        self.canvas.scale(_POINTS_PER_MM, -_POINTS_PER_MM)
        yield Pen(self.canvas, theme)
        self.canvas.showPage()

    def save(self) -> bytes:
        """The whole file."""
        self.canvas.save()
        return self._out.getvalue()


@dataclass(frozen=True)
class Pen:
    """Draws on `canvas`, a reportlab canvas already scaled to mm with y down.

    theme: the style in which it draws everything.
    """

    canvas: Any
    theme: Theme = THEMES["plain"]

    def shape(
        self,
        outlines: Iterable[Sequence[Point]],
        *,
        line: Color | None = None,
        width: float = 0.25,
        fill: Color | None = None,
        closed: bool = True,
        dash: tuple[float, ...] = (),
    ) -> None:
        """Draw outlines as one path, so that touching areas show no seam."""
        path = self._path(outlines, closed)
        self._paint(line, width, fill, dash)
        self.canvas.drawPath(path, stroke=int(line is not None), fill=int(fill is not None))

    def polygon(self, points: Sequence[Point], **style: Any) -> None:
        self.shape([points], **style)

    def lines(self, *pairs: tuple[Point, Point], **style: Any) -> None:
        """Draw straight lines, each from one point to another."""
        self.shape(pairs, closed=False, **style)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        *,
        line: Color = "line",
        width: float = 0.25,
        corner: float = 0.0,
        ground: bool = False,
    ) -> None:
        """Draw a rectangle; corner: radius of its corners; ground: people write in it."""
        fill = self.theme.ground if ground else None
        self._paint(line, width, fill, ())
        self.canvas.roundRect(x, y, w, h, corner, stroke=1, fill=int(fill is not None))

    def circle(
        self,
        center: Point,
        radius: float,
        *,
        line: Color | None = None,
        width: float = 0.25,
        fill: Color | None = None,
    ) -> None:
        self._paint(line, width, fill, ())
        stroke, filled = int(line is not None), int(fill is not None)
        self.canvas.circle(*center, radius, stroke=stroke, fill=filled)

    def text(
        self,
        at: Point,
        text: str,
        size: float,
        *,
        font: str = SERIF,
        color: Color = "ink",
        align: Literal["left", "middle", "right"] = "left",
        spacing: float = 0.0,
        room: float | None = None,
    ) -> None:
        """Set text of `size` mm, or of less to fit in `room` mm, with its baseline at `at`;
        `spacing` mm between letters."""
        size = fitting(text, size, room, font)
        shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[align]
        x = at[0] - shift * text_width(text, size, font, spacing)
        self.canvas.saveState()
        self.canvas.setFillColorRGB(*self.theme.rgb(color))
        self.canvas.setFont(font, size)
        self.canvas.translate(x, at[1])
        self.canvas.scale(1, -1)
        self.canvas.drawString(0, 0, text, charSpace=spacing)
        self.canvas.restoreState()

    def veil(
        self, points: Sequence[Point], color: Color, alpha: float, line: float | None = None
    ) -> None:
        """Draw a translucent polygon, or its outline if `line` gives a width in mm."""
        self.canvas.saveState()
        self.canvas.setFillAlpha(alpha)
        self.canvas.setStrokeAlpha(alpha)
        if line is None:
            self.polygon(points, fill=color)
        else:
            self.polygon(points, line=color, width=line)
        self.canvas.restoreState()

    @contextmanager
    def clipped(self, points: Sequence[Point]) -> Iterator[None]:
        """Draw only inside a polygon."""
        self.canvas.saveState()
        self.canvas.clipPath(self._path([points]), stroke=0, fill=0)
        yield
        self.canvas.restoreState()

    def _path(self, outlines: Iterable[Sequence[Point]], closed: bool = True) -> Any:
        path = self.canvas.beginPath()
        for points in outlines:
            path.moveTo(*points[0])
            for point in points[1:]:
                path.lineTo(*point)
            if closed:
                path.close()
        return path

    def _paint(
        self, line: Color | None, width: float, fill: Color | None, dash: tuple[float, ...]
    ) -> None:
        if line is not None:
            self.canvas.setStrokeColorRGB(*self.theme.rgb(line))
            self.canvas.setLineWidth(width * self.theme.thin)
            self.canvas.setDash(list(dash))
        if fill is not None:
            self.canvas.setFillColorRGB(*self.theme.rgb(fill))


def fitting(text: str, size: float, room: float | None, font: str = SERIF) -> float:
    """The size, or a smaller one at which the text is no wider than `room` mm; None: no limit."""
    width = text_width(text, size, font)
    return size if room is None or width <= max(room, 0) else size * max(room, 0) / width


def fitted(text: str, size: float, room: float) -> tuple[str, float]:
    """The text and its size, at most `size`, at which it is no wider than `room` mm.

    A text too long to be read at such a size is cut off, with `…` at its end.
    """
    while len(text) > 1 and fitting(text, size, room) < LEAST_MM:
        text = text[:-2].rstrip() + "…"
    return text, fitting(text, size, room)


def text_width(text: str, size: float, font: str = SERIF, spacing: float = 0.0) -> float:
    """Width in mm of text set by `Pen.text`, from the left of the first letter to the right of the
    last."""
    return float(stringWidth(text, font, size)) + spacing * max(0, len(text) - 1)
