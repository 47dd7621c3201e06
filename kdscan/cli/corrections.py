"""What a person says of sheets on the command line: the syntax of `--set`, questions of `--ask`.

    [PHOTO[.SHEET]:]CELL=MARKS                  `C2=f++`: a shield, or a square of a kingdom
    [PHOTO[.SHEET]:]SIDE.COAT=FILLED[x][u]      `left.dot=3x`: a line of a spellbook
    [PHOTO[.SHEET]:]SIDE=COAT                   the coat that the side chose, or `.` for none

CELL is a column letter and a row number (`A1` top left, `D3` the castle) or row and
column from 0 as in the JSON (`0,0`). MARKS is a coat in short or long form (`d dd l
ll f c`, `double_dot`), with a `+` for each cross or their number (`f++`, `f+2`), or
`.` for an empty shield. Of a kingdom of tiles MARKS is a terrain in short or long form
(`w f l g s m`, `wheat`) with its crowns likewise, `##` for the castle or `.` for no tile;
the photo decides which is meant. SIDE is `left` or `right`, as the page lies upright; FILLED are
the squares filled, x: struck, u: power used. PHOTO counts from 1 in the order of the output,
pages included; SHEET likewise when one photo holds several maps.

Questions are those of the page, in the same order, one at a time: a map's are in the JSON
(`questions`, then `open_reasons`). All of them go to stderr, so that results may go to a file.
Pictures are drawn with half blocks, two pixels a character, which every terminal with colours can
show; protocols for pictures are not needed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2

from kdscan.cli.shared import error_message
from kdscan.errors import UsageError
from kdscan.i18n import mark
from kdscan.imaging.picture import FLAT_PX, Bgr
from kdscan.marks.crops import CROP_PX
from kdscan.rules import Cell, cell_name
from kdscan.rules.duel.spellbook import COATS, SIDES
from kdscan.rules.kingdomino.kingdom import LETTERS as TERRAIN_LETTERS
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, R, kind_named, kind_of
from kdscan.sheets.board import Style
from kdscan.sheets.common import field_of, percent
from kdscan.sheets.kingdom.model import KingdomReading

_FORM = (
    r"(?:(?P<photo>\d{1,6})(?:\.(?P<sheet>\d{1,6}))?:)?"
    r"(?:(?P<side>left|right)"
    r"(?:\.(?P<line>[a-z_]+)=(?P<filled>\d)(?P<struck>x?)(?P<used>u?)|=(?P<chosen>\.|[a-z_]+))"
    r"|(?:(?P<letter>[a-z])(?P<number>\d{1,6})|(?P<row>\d{1,6}),(?P<col>\d{1,6}))"
    r"=(?P<name>\.|##|[a-z_]+)(?P<count>\++|\+\d)?)"
)
_TERRAINS = {letter: terrain.value for terrain, letter in TERRAIN_LETTERS.items()}
_TERRAINS |= {"##": "castle", ".": "empty"}
_TERRAINS |= {name: name for name in _TERRAINS.values()}
_MARKS = {name: coat.value for name, coat in COATS.items()} | dict.fromkeys((".", "empty"))
LARGEST_KINGDOM = 7
"""Squares along the side of the largest kingdom."""

Field = tuple[str, Any]
"""A field of corrections and its value, as in a store."""


@dataclass(frozen=True)
class Correction:
    """A person's correction of a place. photo and sheet count from 0; None: the only one.

    parts: what the parts of the syntax hold, in lower case; None for those left out.
    """

    text: str
    photo: int | None
    sheet: int
    parts: Mapping[str, str | None]

    @property
    def cell(self) -> Cell:
        """The cell that is meant, if no side of a spellbook is."""
        if letter := self.parts["letter"]:
            return int(self.parts["number"] or 0) - 1, ord(letter) - ord("a")
        return int(self.parts["row"] or 0), int(self.parts["col"] or 0)

    @property
    def count(self) -> int:
        """The number of crosses or crowns."""
        count = self.parts["count"] or ""
        return int(count[1:]) if count[1:].isdigit() else len(count)


def parse_corrections(texts: Iterable[str]) -> tuple[Correction, ...]:
    """Parse corrections, of which one text may contain several, separated by spaces; raise
    `UsageError` for what fits no sheet at all."""
    return tuple(_parse(part) for text in texts for part in text.split())


REFUSED = {
    DUEL_MAP.name: mark(
        "--set {text}: no shield of a map; these go from A1 to G5 without the castle D3, and "
        "hold . or one of d dd l ll f c with up to four +"
    ),
    KINGDOM.name: mark(
        "--set {text}: not a square of Kingdomino; terrains are w f l g s m with a + for "
        "each crown, ## is the castle, . no tile"
    ),
    SPELLBOOK.name: mark(
        "--set {text}: no line of a spellbook; coats are d dd l ll f c, with at most five "
        "squares (c and f three, dd and ll four)"
    ),
}
"""For each kind why a correction of it is refused."""


def meaning_of(
    correction: Correction, kind: str, size: int = LARGEST_KINGDOM, example: str = "1.3:"
) -> Field:
    """The meaning of a correction for a sheet of that kind.

    size: squares along a kingdom's side. example: how a sheet is named. Raises `UsageError` for
    what no such sheet can contain.
    """
    text, parts, of_book = correction.text, correction.parts, kind == SPELLBOOK.name
    side = parts["side"]
    if of_book and not side:
        raise UsageError("--set {text}: that is a spellbook, it has no such cells", text=text)
    if side and not of_book:
        raise UsageError(
            "--set {text}: that is no spellbook; name its sheet, like {example}",
            text=text,
            example=example,
        )
    sheet_type = kind_named(kind) or DUEL_MAP
    value: Any
    try:
        if not side:
            field, content = field_of("cell", *correction.cell), parts["name"] or ""
            value = (
                {"terrain": _TERRAINS[content], "crowns": correction.count}
                if kind == KINGDOM.name
                else {"coat": _MARKS[content], "crosses": correction.count}
            )
        elif line := parts["line"]:
            field = field_of("line", SIDES.index(side), COATS[line])
            value = {name: bool(parts[name]) for name in ("struck", "used")}
            value["filled"] = int(parts["filled"] or 0)
        else:  # the coat that one side chose
            field = field_of("choice", SIDES.index(side))
            value = _MARKS[parts["chosen"] or ""]
        sheet_type.corrections({field: value})
    except (KeyError, ValueError):
        raise UsageError(REFUSED[sheet_type.name], text=text) from None
    if kind == KINGDOM.name and max(correction.cell) >= size:
        raise UsageError(
            "--set {text}: squares of this kingdom go from A1 to {last}",
            text=text,
            last=f"{'ABCDEFG'[size - 1]}{size}",
        )
    return field, value


def corrected(sheet: R, corrections: Iterable[Correction], risk: float) -> R:
    """A sheet with its corrections; raises `UsageError` as `meaning_of` does."""
    size = sheet.variants.size if isinstance(sheet, KingdomReading) else 0
    fields = dict(meaning_of(correction, sheet.kind, size) for correction in corrections)
    return kind_of(sheet).correct_fields(sheet, fields, risk) if fields else sheet


def _parse(text: str) -> Correction:
    match = re.fullmatch(_FORM, text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise UsageError(
            "--set {text}: write cell=coat and crosses, like C2=f++ or C2=. (empty); for a "
            "spellbook left.dot=3x (three squares, struck) or right=line (the chosen coat)",
            text=text,
        )
    parts = {name: part and part.lower() for name, part in match.groupdict().items()}
    photo = int(parts["photo"]) - 1 if parts["photo"] else None
    sheet = int(parts["sheet"] or 1) - 1
    if -1 in (photo, sheet):
        raise UsageError("--set {text}: photos and sheets count from 1", text=text)
    correction = Correction(text, photo, sheet, parts)
    refusals = []
    for kind in (SPELLBOOK,) if parts["side"] else (DUEL_MAP, KINGDOM):  # it must fit one of them
        try:
            meaning_of(correction, kind.name)
            return correction
        except UsageError as error:
            refusals.append(error)
    of_terrain = parts["name"] in _TERRAINS.keys() - _MARKS.keys()
    raise refusals[-1 if of_terrain else 0]


# Questions

CELL_COLUMNS, SHEET_COLUMNS = 40, 76
"""Characters across pictures of a shield and of a whole map."""


def ask_about(sheet: Any, style: Style, risk: float) -> Any:
    """A map or kingdom with a person's answers: asks until its total is accepted, nothing is left
    to ask, or the person stops. Other sheets are not asked about."""
    t, kind = style.words.t, kind_of(sheet)
    if kind.questions is None or kind.look is None:
        return sheet
    for line in kind.look.retake(sheet, style.words):
        _say(line)
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
