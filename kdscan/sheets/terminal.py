"""Text output for terminals, shared by all kinds: boards, signs, totals, problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kdscan.i18n import ENGLISH, Words
from kdscan.i18n.problems import problem_line
from kdscan.rules.duel.board import GLYPHS, LETTERS, Coat, Shield, shown
from kdscan.rules.grid import Cell, cell_name
from kdscan.rules.winner import AnyDomain
from kdscan.sheets.board import CellLook
from kdscan.sheets.common import (
    MAX_NAMED,
    BoardReading,
    SheetReading,
    domain_colors,
    percent,
)

# Box drawing by the four strokes that meet in a corner: up 1, right 2, down 4, left 8.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII_CORNERS = " |-+||++-+-+++++"

# The colours of Okabe and Ito (2008), which colour-blind people can tell apart, approximated by the
# 256 colours of terminals; black text is readable on all of them.
COLORS = (214, 117, 36, 227, 32, 166, 175)


BOARD_COLUMNS = 73
"""Width of a map's board."""


@dataclass(frozen=True)
class Style:
    """A terminal's abilities. unicode: box drawing and symbols. color: ANSI colours. words: its
    language. address: how `--set` names the sheet, where a cell alone would mean another one.
    columns: the terminal's width.
    """

    unicode: bool = True
    color: bool = False
    words: Words = ENGLISH
    address: str = ""
    columns: int = 80

    @property
    def narrow(self) -> bool:
        """Whether a board has room for four characters a cell only, with digits for crosses."""
        return self.columns < BOARD_COLUMNS

    def coat(self, coat: Coat | None) -> str:
        """Two characters for a coat; without Unicode the letters of the boards' text form."""
        if coat is None:
            return "· " if self.unicode else ". "
        return f"{GLYPHS[coat]:2}" if self.unicode else f"{LETTERS[coat]:2}"

    @property
    def cross(self) -> str:
        return "×" if self.unicode else "+"

    @property
    def crown(self) -> str:
        return "♛" if self.unicode else "+"

    def marks(self, coat: Coat | None, crosses: int) -> str:
        return shown(coat, crosses) if self.unicode else token(coat, crosses)

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.color else text

    def filled(self, text: str, color: int | None) -> str:
        if not self.color or color is None:
            return text
        return f"\x1b[30;48;5;{COLORS[color]}m{text}\x1b[0m"


def draw_grid(content: Mapping[Cell, str], domains: Sequence[AnyDomain], style: Style) -> str:
    """A board with lettered columns and numbered rows; lines separate domains, and those that score
    are coloured. content: the text of each cell, all of one width."""
    rows, cols = (1 + max(axis) for axis in zip(*content, strict=True))
    width = len(content[0, 0])
    # Cells of one domain are one region, every other cell is its own.
    of = {cell: n for n, domain in enumerate(domains) for cell in domain.cells}
    regions = {cell: of.get(cell, cell) for cell in content}
    colors = domain_colors([domain.cells for domain in domains if domain.points], len(COLORS))
    filled = {cell: style.filled(text, colors.get(cell)) for cell, text in content.items()}
    header = "   " + "".join(f"{chr(ord('A') + col):^{width + 1}}" for col in range(cols))
    lines = [header.rstrip()]
    corners = _CORNERS if style.unicode else _ASCII_CORNERS
    for row in range(rows + 1):
        rule = line = ""
        for col in range(cols + 1):  # a stroke wherever two regions meet
            nw, ne, sw, se = (regions.get((r, c)) for r in (row - 1, row) for c in (col - 1, col))
            up, right, down, left = nw != ne, ne != se, sw != se, nw != sw
            rule += corners[up + 2 * right + 4 * down + 8 * left] + corners[10 * right] * width
            line += corners[5 * down] + filled.get((row, col), "")
        lines += ["  " + rule.rstrip(), f"{row + 1} {line}"]
    return "\n".join(lines[:-1])


def explain_board(
    board: BoardReading,
    look: CellLook,
    content: Mapping[Cell, str],
    more: Iterable[str],
    style: Style,
    between: str = "",
) -> str:
    """A board; its domains that score, the best first, each as cells × crosses or crowns = points,
    below the columns' heads; what else counts, the total, its confidence; and what to check.

    content: see `draw_grid`. more: what else counts, a line each. between: the range of the total.
    """
    t, narrow, times = style.words.t, style.narrow, "×" if style.unicode else "x"
    where, what, cells, marks, points = t("from"), *map(t, look.heads), t("points")
    scoring = [domain for domain in board.score.domains if domain.points]
    lines = [f"   {where:<5} {what:<17}{cells:>7}{marks:>10}{points:>8}"]
    if narrow:
        lines = [f" {where}, {what}: {cells} {times} {marks} = {points}"]
    for domain in sorted(scoring, key=lambda domain: -domain.points):
        first, name = cell_name(domain.cells[0]), look.domain(style, domain)
        size, total = len(domain.cells), domain.points
        each = total // size
        lines.append(
            f" {first} {name}: {size} {times} {each} = {total}"
            if narrow
            else f"   {first:<5} {name:<17}{size:>6}  {times}{each:>7}  ={total:>6}"
        )
    if not scoring:
        lines = []
    if idle := len(board.score.domains) - len(scoring):
        more = [look.idle(style.words, idle), *more]
    confidence = t("{sure} sure", sure=percent(board.confidence))
    check = f",{between} " + t("please check") if board.review else ""
    total_points = style.bold(t("total {points}", points=board.score.total))
    lines += [f"   {line}" for line in (*more, f"{total_points}  ({confidence}{check})")]
    drawn = draw_grid(content, board.score.domains, style)
    parts = drawn, "\n".join(lines), explain_doubts(board, look, style)
    return "\n\n".join(filter(None, parts))


def explain_problems(reading: SheetReading, style: Style) -> list[str]:
    """The problems of a sheet or kingdom, one a line."""
    lines = []
    for problem in reading.problems:
        named = problem.cells if len(problem.cells) <= MAX_NAMED else ()
        where = " ".join(cell_name(cell) for cell in named)
        what = problem_line(problem, style.words)
        lines.append(f" {what}" + (f" ({where})" if where else ""))
    return lines


def explain_doubts(board: BoardReading, look: CellLook, style: Style) -> str:
    """Problems of a board, then its doubtful cells with their alternatives."""
    dash, t = "–" if style.unicode else "-", style.words.t
    either, lines, doubts = t("or"), explain_problems(board, style), look.doubts(board)
    if not doubts:
        return "\n".join(lines)
    lines.append(" " + t("Look at:"))
    for doubt in doubts:
        choices = look.choices(doubt, partial(look.sign, style), style.words)
        first, *others = [f"{text} ({percent(p)})" for text, p in choices]
        rest = f" {dash} {either} {', '.join(others)}" if others else ""
        lines.append(f"   {cell_name(doubt.cell.at)}  {first}{rest}")
    doubt = next((doubt for doubt in doubts if doubt.options[1:]), doubts[0])
    content, *_ = doubt.options[:2][-1]  # what was read needs no correction
    example = f"{style.address}{cell_name(doubt.cell.at)}={look.token(*content)}"
    lines.append(" " + t("If one is wrong, say what it is:") + f" --set {example}")
    return "\n".join(lines)


def token(coat: Coat | None, crosses: int) -> str:
    """A shield in the text form of boards, which is the syntax of `--set`."""
    return "." if coat is None else str(Shield(coat, crosses))
