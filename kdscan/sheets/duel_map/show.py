"""A map for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

from kdscan.detection.locate import CUT_OFF
from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.files import Json
from kdscan.i18n import Words, mark
from kdscan.imaging.pens import draw_marks, marks_width
from kdscan.rules.duel.board import CASTLE, Coat, spoken
from kdscan.sheets.board import CellLook, Style, draw_grid, explain_board, token
from kdscan.sheets.common import board_json, options_json
from kdscan.sheets.duel_map.interpret import (
    COVERED,
    EMPTY,
    doubts,
    open_reasons,
    questions,
    retake_reasons,
)
from kdscan.sheets.duel_map.model import MapReading

# Names

NAMES = (
    *(mark("dot"), mark("double dot"), mark("line"), mark("double line")),
    *(mark("filled"), mark("checked")),
)
"""The names of coats, see `spoken`."""


def coat_name(words: Words, coat: Coat | None) -> str:
    """The name of a coat, or of an empty shield."""
    return words.t(spoken(coat) if coat else "empty")


def coat_sign(style: Style, coat: Coat) -> str:
    """A coat's sign and name in a terminal."""
    return f"{style.coat(coat)} {coat_name(style.words, coat)}"


RETAKE = {
    "dark": mark("The picture is dark: switch on a light."),
    "blurred": mark("The picture is blurred: hold the camera still and let it focus."),
    "far": mark("The shields are small: go closer until the map fills the picture."),
    COVERED: mark("Objects or glare cover shields: clear the sheet, or turn it out of the light."),
    "doubtful": mark("Many shields are hard to read: photograph from above, in even light."),
}
"""What is wrong with a photo, by the codes of `retake_reasons`, and what to do about it."""


def retake(sheet: MapReading, words: Words) -> list[str]:
    """What takes the place of a map's total: a title, and what to do; [] if the total counts."""
    reasons, t = retake_reasons(sheet), words.t
    if reasons == (EMPTY,):
        teach = t(
            "If it is blank, it can teach kdscan its pad: {command}",
            command="kdscan template learn PHOTO --name NAME",
        )
        lines = [t("This sheet looks empty"), t("Nobody seems to have played on it.")]
        return [*lines, teach] if sheet.layout == UNKNOWN_LAYOUT else lines
    beyond = words.tn(
        "{n} shield lies at the picture's edge or beyond it, so there is no total.",
        "{n} shields lie at the picture's edge or beyond it, so there is no total.",
        len(sheet.clipped),
    )
    lines = [beyond if code == CUT_OFF else t(RETAKE[code]) for code in reasons]
    return [t("Photograph again"), *lines] if lines else []


LOOK = CellLook(
    heads=(mark("coat"), mark("shields"), mark("crosses")),
    domain=lambda style, domain: coat_sign(style, domain.coat),
    idle=lambda words, count: words.tn(
        "{n} domain without a cross: 0 points", "{n} domains without a cross: 0 points", count
    ),
    doubts=doubts,
    name=lambda words, coat, crosses: f"{coat_name(words, coat)} {'×' * crosses}".rstrip(),
    sign=Style.marks,
    token=token,
    draw=draw_marks,
    width=marks_width,
    marked=lambda marks: marks[0] is not None,
    retake=retake,
)


# JSON


def to_json(sheet: MapReading) -> Json:
    """A map's JSON.

    range is null and photograph_again true where the picture cuts off shields. questions: the fixed
    set that settles the total, in the order in which they are asked, with what each shield may
    hold, the likeliest first. open_reasons: codes of what remains to be settled after that. retake:
    codes of the reasons to photograph the map again rather than answer; the total is not to be
    shown then. An option's total is the map's, if the other shields are as read.
    """
    names = "coat", "crosses"
    asked = [
        {
            "row": question.cell.at[0],
            "col": question.cell.at[1],
            "options": options_json(names, question.options),
            "answered": question.answered,
        }
        for question in questions(sheet)
    ]
    low, high = sheet.wizard_range
    return board_json(
        sheet,
        names,
        doubts(sheet),
        layout=sheet.layout,
        castle_bonus_used=sheet.castle_used,
        chosen_coat=sheet.evidence.wizard_coat,
        range=None if sheet.clipped else sheet.total_range,
        photograph_again=bool(sheet.clipped),
        questions=asked,
        open_reasons=() if sheet.evidence.corrections.confirmed else open_reasons(sheet.evidence),
        retake=retake_reasons(sheet),
        **({"wizard_range": (low, high)} if low < high else {}),
    )


# Text


def to_text(sheet: MapReading, style: Style) -> str:
    """The result as text for a terminal; lines separate domains, `?` marks doubtful shields."""
    t, content = style.words.t, {}
    for cell in sheet.cells:
        coat, crosses = cell.content
        if style.narrow:
            text = f"{style.coat(coat)}{crosses or ' '}"
        elif style.unicode:
            text = f" {style.coat(coat)} {style.cross * crosses:<4}"
        else:
            text = f" {token(coat, crosses):<7}"
        content[cell.at] = text + ("?" if cell.review else " ")
    used = {True: t("used"), False: "", None: "?"}[sheet.castle_used]
    text, width = f"{'♜' if style.unicode else '##'} {used}", len(content[0, 0])
    content[CASTLE] = (text if style.narrow else f" {text}").ljust(width)[:width]
    if again := retake(sheet, style.words):
        title, *lines = again
        if not sheet.clipped:
            left = sum(not question.answered for question in questions(sheet))
            lines.append(
                style.words.tn(
                    "Or answer {n} question with --ask.",
                    "Or answer {n} questions with --ask.",
                    left,
                )
            )
        heading = "\n   ".join([f" {style.bold(title)}", *lines])
        return f"{heading}\n\n{draw_grid(content, sheet.score.domains, style)}"
    wizard, (low, high), between = sheet.score.wizard, sheet.total_range, ""
    more = [t("the wizard of the filled coat: {points}", points=wizard)] if wizard else []
    if low < high:
        between = " " + t("between {low} and {high}", low=low, high=high) + ","
    return explain_board(sheet, LOOK, content, more, style, between)
