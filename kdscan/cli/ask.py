"""`kdscan score --ask`: the questions about a map, one at a time, in a terminal.

They are those of the JSON (`questions`, then `open_reasons`), in the same order. All of it goes to
stderr, so that results may go to a file. Pictures are drawn with half blocks, two pixels a
character, which every terminal with colours can show; protocols for pictures are not needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import cv2

from kdscan.cli.corrections import field_of, parse_corrections
from kdscan.cli.terminal import error_message
from kdscan.errors import UsageError
from kdscan.imaging.picture import Bgr
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.rules.grid import cell_name
from kdscan.sheets.base import DUEL_MAP
from kdscan.sheets.common import percent
from kdscan.sheets.duel_map.interpret import Question, open_reasons, questions, retake_reasons
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.duel_map.show import RETAKE, shield_name
from kdscan.sheets.terminal import Style, token

CELL_COLUMNS, SHEET_COLUMNS = 40, 76
"""Characters across pictures of a shield and of a whole map."""


def ask_about(sheet: MapReading, style: Style, risk: float) -> MapReading:
    """The map with a person's answers: asks until its total is accepted, nothing is left to ask, or
    the person stops."""
    t = style.words.t
    for code in retake_reasons(sheet):
        if code in RETAKE:
            _say(t("Photograph again"), t(RETAKE[code]), sep=": ")
    before: list[MapReading] = []  # for undo
    skipped: list[Question] = []
    announced = 0
    while sheet.review:
        asked = questions(sheet, risk)
        left = [q for q in asked if not q.answered and q.cell not in {s.cell for s in skipped}]
        if not left:
            break
        if announced and len(asked) > announced:
            _say(t("Your answers differ from what was read, so a few more:"))
        announced = len(asked)
        number = t("{n} of {all}", n=announced - len(left) + 1, all=announced)
        answer = _answer(sheet, left[0], number, style)
        if answer is None:
            return sheet
        if answer == "u":
            sheet = before.pop() if before else sheet
            skipped = []
        elif not answer:
            skipped.append(left[0])
        else:
            before.append(sheet)
            sheet = _corrected(sheet, f"{cell_name(left[0].cell)}={answer}", risk) or sheet
    if sheet.review and not skipped and "unsure_place" in open_reasons(sheet.evidence, risk):
        _say(_picture(sheet.rectified.bgr, SHEET_COLUMNS, style))
        answer = _read(t("Does the grid sit on the map?") + " (y/n) ")
        if answer and answer[0] == "y":
            return DUEL_MAP.correct_fields(sheet, {"confirmed": True}, risk)
    return sheet


def _answer(sheet: MapReading, question: Question, number: str, style: Style) -> str | None:
    """What a person says of a shield, as marks in the syntax of `--set`, "" to skip it, u to undo;
    None to stop."""
    t, tn = style.words.t, style.words.tn
    row, col = question.cell
    side = round((1 + 2 * FLAT_MARGIN) * FLAT_PX)
    top, left = row * FLAT_PX, col * FLAT_PX
    crop = sheet.rectified.bgr[top : top + side, left : left + side]
    what = t("What does {cell} hold?", cell=cell_name(question.cell))
    _say(_picture(crop, CELL_COLUMNS, style), f"{number}: {what}", sep="\n")
    for n, (marks, p, total) in enumerate(question.options, 1):
        points = tn("{n} point", "{n} points", total)
        name = shield_name(style.words, *marks)
        _say(f"   {n}  {style.marks(*marks):<6} {name} ({percent(p)}): {points}")
    hint = t("Number, or marks like ll++ or . (empty); Enter skips, u undoes, q stops:")
    answer = _read(f"{hint} ")
    if answer is None or answer == "q":
        return None
    if answer.isdigit() and 1 <= int(answer) <= len(question.options):
        return token(*question.options[int(answer) - 1][0])
    return answer


def _corrected(sheet: MapReading, text: str, risk: float) -> MapReading | None:
    """The map with one correction in the syntax of `--set`; None, with a message, if it is none."""
    try:
        (correction,) = parse_corrections([text])
        return DUEL_MAP.correct_fields(sheet, dict([field_of(correction, sheet.kind)]), risk)
    except UsageError as error:
        _say(error_message(error))
    except ValueError:  # several words
        _say("?")
    return None


def _say(*texts: str, sep: str = " ") -> None:
    print(*filter(None, texts), sep=sep, file=sys.stderr, flush=True)


def _read(prompt: str) -> str | None:
    """A line of stdin without surrounding blanks, in lower case; None at its end."""
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip().lower() if line else None


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
