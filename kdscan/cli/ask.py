"""`kdscan score --ask`: the questions about a map or kingdom, one at a time, in a terminal.

They are those of the page, in the same order: a map's are in the JSON (`questions`, then
`open_reasons`). All of it goes to
stderr, so that results may go to a file. Pictures are drawn with half blocks, two pixels a
character, which every terminal with colours can show; protocols for pictures are not needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import cv2

from kdscan.cli.corrections import corrected, parse_corrections
from kdscan.cli.shared import error_message
from kdscan.errors import UsageError
from kdscan.imaging.picture import FLAT_PX, Bgr
from kdscan.marks.crops import CROP_PX
from kdscan.rules.grid import Cell, cell_name
from kdscan.sheets.base import kind_of
from kdscan.sheets.board import Style
from kdscan.sheets.common import percent

CELL_COLUMNS, SHEET_COLUMNS = 40, 76
"""Characters across pictures of a shield and of a whole map."""


def ask_about(sheet: Any, style: Style, risk: float) -> Any:
    """A map or kingdom with a person's answers: asks until its total is accepted, nothing is left
    to ask, or the person stops. Other sheets are not asked about."""
    t, kind = style.words.t, kind_of(sheet)
    if kind.questions is None:
        return sheet
    for advice in kind.advice(sheet, style.words):
        _say(t("Photograph again"), advice, sep=": ")
    before: list[Any] = []  # for undo
    skipped: set[Cell] = set()
    announced = 0
    while sheet.review:
        asked = {q.cell.at: q.options for q in kind.questions(sheet, risk) if not q.answered}
        left = [cell for cell in asked if cell not in skipped]
        if not left:
            break
        done = len(before) + len(skipped)
        count = done + len(left)
        if 0 < announced < count:
            _say(t("Your answers differ from what was read, so a few more:"))
        announced = count
        number = t("{n} of {all}", n=done + 1, all=count)
        answer = _answer(sheet, left[0], asked[left[0]], number, style)
        if answer == "q":
            return sheet
        if answer == "u":
            sheet = before.pop() if before else sheet
            skipped = set()
        elif not answer:
            skipped.add(left[0])
        else:
            try:
                given = parse_corrections([f"{cell_name(left[0])}={answer}"])
                before, sheet = [*before, sheet], corrected(sheet, given[:1], risk)
            except UsageError as error:
                _say(error_message(error))
    if sheet.review and not skipped and "cut_off" not in {p.code for p in sheet.problems}:
        _say(_picture(sheet.rectified.bgr, SHEET_COLUMNS, style))
        if agrees(t("Is the grid in the right place?")):
            return kind.correct_fields(sheet, {"confirmed": True}, risk)
    return sheet


def _answer(sheet: Any, at: Cell, options: Iterable[Any], number: str, style: Style) -> str:
    """What a person says of a shield or square in the syntax of `--set`, "" to skip it, u to undo,
    q to stop."""
    t, tn = style.words.t, style.words.tn
    top, left = (n * FLAT_PX for n in at)
    crop = sheet.rectified.bgr[top : top + CROP_PX, left : left + CROP_PX]
    what = t("What does {cell} hold?", cell=cell_name(at))
    _say(_picture(crop, CELL_COLUMNS, style), f"{number}: {what}", sep="\n")
    texts, look = {}, kind_of(sheet).look
    assert look is not None
    for n, (content, p, total) in enumerate(options, 1):
        text, name = look.token(*content), look.name(style.words, *content)
        texts[str(n)] = text
        points = tn("{n} point", "{n} points", total)
        _say(f"   {n}  {text:<6} {name} ({percent(p)}): {points}")
    answer = read_answer(
        t("Number, or what it holds as for --set; Enter skips, u undoes, q stops:")
    )
    return texts.get(answer, answer)


def _say(*texts: str, sep: str = " ") -> None:
    print(*filter(None, texts), sep=sep, file=sys.stderr, flush=True)


def agrees(question: str) -> bool:
    """Whether a person says yes to a question."""
    return read_answer(f"{question} (y/n)").startswith("y")


def read_answer(prompt: str) -> str:
    """A line of stdin without surrounding blanks, in lower case; q at its end."""
    print(prompt, end=" ", file=sys.stderr, flush=True)
    return (sys.stdin.readline() or "q").strip().lower()


def _picture(bgr: Bgr, columns: int, style: Style) -> str:
    """A picture in half blocks; "" if the terminal has no colours or no block."""
    if not (style.color and style.unicode):
        return ""
    columns = min(columns, style.columns)
    rows = round(columns * bgr.shape[0] / bgr.shape[1] / 2) * 2
    small = cv2.resize(bgr, (columns, rows), interpolation=cv2.INTER_AREA)
    true_color = os.environ.get("COLORTERM") in ("truecolor", "24bit")

    def color(pixel: Sequence[int]) -> str:
        b, g, r = map(int, pixel)
        return f"2;{r};{g};{b}" if true_color else f"5;{232 + (r + g + b) * 23 // 765}"

    return "\n".join(
        "".join(
            f"\x1b[38;{color(upper)};48;{color(lower)}m▀"
            for upper, lower in zip(small[row], small[row + 1], strict=True)
        )
        + "\x1b[0m"
        for row in range(0, rows, 2)
    )
