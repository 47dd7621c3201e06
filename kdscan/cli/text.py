"""A sheet as text: the board with its domains outlined, the sum explained, the doubts named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kdscan.game.duel.board import LETTERS
from kdscan.game.duel.coats import Coat
from kdscan.game.grid import Cell, cell_name
from kdscan.locale import Words, words
from kdscan.plain import percent
from kdscan.problem_words import SEVERITIES, told
from kdscan.records import CASTLE, COLS, ROWS, CellReading, Found, SheetReading
from kdscan.report import MOST_NAMED, domain_colors, doubts

_GLYPHS = {
    Coat.DOT: "● ",
    Coat.DOUBLE_DOT: "●●",
    Coat.LINE: "──",
    Coat.DOUBLE_LINE: "══",
    Coat.FILLED: "██",
    Coat.CHECKED: "▚▚",
}

# Box drawing by the four strokes that meet in a corner: up 1, right 2, down 4, left 8.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII_CORNERS = "".join(
    " " if n == 0 else "|" if n in (1, 4, 5) else "-" if n in (2, 8, 10) else "+" for n in range(16)
)

# The colours of Okabe and Ito (2008), told apart by colour-blind people, as the nearest
# of the 256 colours of terminals; black text is readable on all of them.
COLORS = (214, 117, 36, 227, 32, 166, 175)

WIDTH = 9
"""Characters inside a cell of a drawn board."""


@dataclass(frozen=True)
class Style:
    """What the terminal can show. unicode: box drawing and symbols. color: ANSI colours.

    words: the language that is spoken there.
    """

    unicode: bool = True
    color: bool = False
    words: Words = field(default_factory=lambda: words("en"))

    def coat(self, coat: Coat | None) -> str:
        """Two characters for a coat; the letters of the text form where there is no Unicode."""
        if coat is None:
            return "· " if self.unicode else ". "
        return _GLYPHS[coat] if self.unicode else f"{LETTERS[coat]:2}"

    @property
    def cross(self) -> str:
        return "×" if self.unicode else "+"

    def marks(self, coat: Coat | None, crosses: int) -> str:
        if not self.unicode:
            return token(coat, crosses)
        return (self.coat(coat).rstrip() + " " + self.cross * crosses).rstrip()

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.color else text

    def filled(self, text: str, color: int | None) -> str:
        if not self.color or color is None:
            return text
        return f"\x1b[30;48;5;{COLORS[color]}m{text}\x1b[0m"


def sheet_text(sheet: SheetReading, style: Style) -> str:
    """The whole answer for one map, for people; ends without a newline."""
    if sheet.hidden:
        return "\n\n".join([explain_hidden(sheet, style), draw_board(sheet, style)])
    parts = [draw_board(sheet, style), explain_score(sheet, style)]
    unsure = explain_doubts(sheet, style)
    return "\n\n".join([*parts, unsure] if unsure else parts)


def explain_hidden(sheet: SheetReading, style: Style) -> str:
    """What to do where the picture's edge cuts off shields: nobody can tell the total."""
    t, tn = style.words.t, style.words.tn
    what = tn(
        "{n} shield lies at the picture's edge or beyond it, so there is no total.",
        "{n} shields lie at the picture's edge or beyond it, so there is no total.",
        len(sheet.hidden),
    )
    return f" {style.bold(t('Photograph again'))}: {what}"


def draw_board(sheet: SheetReading, style: Style) -> str:
    """The board; lines part domains, `?` marks a shield to look at."""
    colors = domain_colors(sheet.score, len(COLORS))
    cells = {(c.row, c.col): c for c in sheet.reading.cells}

    def content(cell: Cell) -> str:
        if cell == CASTLE:
            return _castle(sheet, style)
        return style.filled(_cell(cells[cell], style), colors.get(cell))

    return draw_grid(ROWS, COLS, [d.cells for d in sheet.score.domains], content, style)


def draw_grid(
    rows: int,
    cols: int,
    domains: Sequence[Sequence[Cell]],
    content: Callable[[Cell], str],
    style: Style,
    width: int = WIDTH,
) -> str:
    """Any board with its columns named by letters; lines part domains.

    content: what a cell shows, `width` characters wide.
    """
    region = _regions(rows, cols, domains)
    header = "   " + "".join(f"{chr(ord('A') + col):^{width + 1}}" for col in range(cols))
    lines = [header.rstrip()]
    for row in range(rows):
        lines.append("  " + _rule(row, cols, region, style, width))
        lines.append(f"{row + 1} " + _row(row, cols, region, content, style))
    lines.append("  " + _rule(rows, cols, region, style, width))
    return "\n".join(lines)


def _regions(
    rows: int, cols: int, domains: Sequence[Sequence[Cell]]
) -> Callable[[int, int], object]:
    """Cells of one domain share a value; every other cell has its own."""
    of = {cell: n for n, cells in enumerate(domains) for cell in cells}

    def region(row: int, col: int) -> object:
        if not (0 <= row < rows and 0 <= col < cols):
            return "outside"
        return of.get((row, col), (row, col))

    return region


def _rule(
    row: int, cols: int, region: Callable[[int, int], object], style: Style, width: int
) -> str:
    """The line above `row`: strokes where two different regions meet."""
    corners = _CORNERS if style.unicode else _ASCII_CORNERS
    line = ""
    for col in range(cols + 1):
        nw, ne = region(row - 1, col - 1), region(row - 1, col)
        sw, se = region(row, col - 1), region(row, col)
        line += corners[(nw != ne) + 2 * (ne != se) + 4 * (sw != se) + 8 * (nw != sw)]
        if col < cols:
            line += ((corners[10]) if ne != se else " ") * width
    return line.rstrip()


def _row(
    row: int,
    cols: int,
    region: Callable[[int, int], object],
    content: Callable[[Cell], str],
    style: Style,
) -> str:
    bar = "│" if style.unicode else "|"
    line = ""
    for col in range(cols + 1):
        line += bar if region(row, col - 1) != region(row, col) else " "
        if col < cols:
            line += content((row, col))
    return line


def _cell(cell: CellReading, style: Style) -> str:
    doubt = "?" if cell.review else " "
    if style.unicode:
        return f" {style.coat(cell.coat)} {style.cross * cell.crosses:<4}{doubt}"
    return f" {token(cell.coat, cell.crosses):<7}{doubt}"


def _castle(sheet: SheetReading, style: Style) -> str:
    used = {True: style.words.t("used"), False: "", None: "?"}[sheet.reading.castle_used]
    return f" {'♜' if style.unicode else '##'} {used}".ljust(WIDTH)[:WIDTH]


def explain_score(sheet: SheetReading, style: Style) -> str:
    """Each domain that scores as shields × crosses = points, then the total."""
    times = "×" if style.unicode else "x"
    scoring = sorted((d for d in sheet.score.domains if d.points), key=lambda d: -d.points)
    t, tn = style.words.t, style.words.tn
    first, coat = t("from"), t("coat")
    counts = t("shields"), t("crosses"), t("points")
    head = f"   {first:<5} {coat:<17}{counts[0]:>7}{counts[1]:>10}{counts[2]:>8}"
    lines = [head] if scoring else []
    for domain in scoring:
        name = f"{style.coat(domain.coat)} {t(domain.coat.value.replace('_', ' '))}"
        lines.append(
            f"   {cell_name(domain.cells[0]):<5} {name:<17}{len(domain.cells):>6}  {times}"
            f"{domain.crosses:>7}  ={domain.points:>6}"
        )
    idle = len(sheet.score.domains) - len(scoring)
    if idle:
        none = tn(
            "{n} domain without a cross: 0 points", "{n} domains without a cross: 0 points", idle
        )
        lines.append(f"   {none}")
    if sheet.score.wizard:
        paid = t("the wizard of the filled coat: {points}", points=sheet.score.wizard)
        lines.append(f"   {paid}")
    low, high = sheet.total_range
    between = ""
    if sheet.review and low < high:
        between = " " + t("between {low} and {high}", low=low, high=high) + ","
    lines.append(explain_total(sheet, sheet.score.total, style, between))
    return "\n".join(lines)


def explain_total(found: Found, total: int, style: Style, between: str = "") -> str:
    """The total and how far to trust it."""
    t = style.words.t
    sure = t("{sure} sure", sure=percent(found.confidence))
    check = f",{between} " + t("please check") if found.review else ""
    points = style.bold(t("total {points}", points=total))
    return f"   {points}  ({sure}{check})"


def explain_problems(found: Found, style: Style) -> list[str]:
    """What is wrong with a sheet or kingdom, a line each."""
    lines = []
    for problem in found.problems:
        named = problem.cells if len(problem.cells) <= MOST_NAMED else ()
        where = " ".join(cell_name(cell) for cell in named)
        severity = style.words.t(SEVERITIES[problem.severity])
        what = told(problem, style.words)
        lines.append(f" {severity}: {what}" + (f" ({where})" if where else ""))
    return lines


def explain_doubts(sheet: SheetReading, style: Style) -> str:
    """Problems of the board, then the shields to look at with what else they may be."""
    dash, t = "–" if style.unicode else "-", style.words.t
    lines = explain_problems(sheet, style)
    found = doubts(sheet)
    if found:
        lines.append(" " + t("Look at:"))
    for doubt in found:
        cell = doubt.cell
        line = f"   {cell_name((cell.row, cell.col))}  {style.marks(cell.coat, cell.crosses)}"
        line += f" ({percent(cell.confidence)})"
        others = [f"{style.marks(*marks)} ({percent(p)})" for marks, p in doubt.alternatives]
        if others:
            line += f" {dash} " + t("or") + f" {', '.join(others)}"
        lines.append(line)
    if found:
        cell = found[0].cell
        marks = found[0].alternatives[0][0] if found[0].alternatives else (cell.coat, cell.crosses)
        example = f"{cell_name((cell.row, cell.col))}={token(*marks)}"
        lines.append(" " + t("If one is wrong, say what it is:") + f" --set {example}")
    return "\n".join(lines)


def token(coat: Coat | None, crosses: int) -> str:
    """The shield in the text form of boards, as `--set` takes it."""
    return "." if coat is None else LETTERS[coat] + "+" * crosses
