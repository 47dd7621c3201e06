"""Translations of problems' messages, by their stable codes.

In English a problem's own message is shown, with its numbers; in other languages the sentence for
its code. In every language the cells are listed separately.
"""

from __future__ import annotations

from kdscan.i18n import Words, mark
from kdscan.rules import Cell, Problem, Severity

SEVERITIES: dict[Severity, str] = {"error": mark("error"), "warning": mark("warning")}

PROBLEMS: dict[str, str] = {
    # where a sheet lies in the photo
    "unsure_place": mark(
        "the grid may have been found in the wrong place; check the photo, or take another"
    ),
    "cut_off": mark(
        "some shields lie beyond the picture's edge; take the photo again with all of them in view"
    ),
    "mirrored": mark(
        "left and right are swapped, in this picture or in the one from which its template was "
        "learned; take it again without mirroring, or forget the template"
    ),
    "bilevel": mark(
        "the picture is black and white without greys, which loses pencil and filled shields; "
        "compare all shields, or take it in colour or grey"
    ),
    "blurred": mark(
        "the picture is blurred; a sharper one, taken from closer, leaves fewer doubts"
    ),
    "covered": mark(
        "some shields seem to be covered by an object or glare; check the sheet, or photograph "
        "it again"
    ),
    "map_cut_off": mark("another map seems to reach beyond the picture; it was not read"),
    "beyond_limit": mark("squares lie beyond the kingdom's limit and were not counted"),
    # a map
    "odd_shields": mark(
        "an odd number of shields is filled, but every round fills two. The score stands. Is "
        "one missing?"
    ),
    "unpaired_shields": mark(
        "dominoes cannot cover these shields. The score stands. Is one missing, or one too many?"
    ),
    "unconnected_domino": mark("these shields could not be connected to the others"),
    "wizard_too_early": mark("a wizard would have been needed before he could be won"),
    "too_many_crosses": mark("no shield can have so many crosses"),
    "bonus_crosses": mark("so many crosses need more bonuses than the castle and the wizard give"),
    "missing_cross": mark("the roof is coloured or a wizard was used, but no cross shows for it"),
    # a map and its spellbook
    "spellbook": mark("the map and the spellbook contradict each other"),
    "squares_beyond_map": mark("the spellbook has more squares than the map has shields for them"),
    "crosses_beyond_powers": mark("so many crosses need a bonus that this side did not have"),
    "power_without_cross": mark("the checked wizard gave a cross, but the map holds none"),
    "whose_map": mark("it is not certain which side of the spellbook belongs to which player"),
    "spellbook_unsure": mark("the wizard's points rest on lines that are hard to read"),
    "spellbook_alone": mark(
        "maps and spellbook are not compared: a game has two maps and one spellbook"
    ),
    "dice": mark("no known dice make these dominoes"),
    # a spellbook
    "choice_not_won": mark("a coat is named by a side that did not win that wizard"),
    "no_choice": mark(
        "the wizard of the filled coat was won, but no coat, or more than one, is named"
    ),
    "several_choices": mark("several coats are marked as chosen; none of them is paid"),
    "both_filled": mark("both sides filled the same line; only one can win it"),
    "struck_too_soon": mark("a line is struck, but not filled on the other side"),
    "filled_and_struck": mark("a line is filled and struck on the same side"),
    "not_struck": mark("a line is filled on one side, but not struck on the other"),
    "power_not_won": mark("a power is used that was not won"),
    # a kingdom
    "no_tiles": mark(
        "no tile was found around the castle; is this a finished kingdom, and all of it in view?"
    ),
    "no_castle": mark("the castle is missing; set its square"),
    "too_large": mark("the kingdom is larger than its limit"),
    "odd_squares": mark(
        "an odd number of squares holds tiles, but dominoes have two. The score stands. Is one "
        "missing?"
    ),
    "unpaired_squares": mark("half a domino without its other half"),
    "not_in_the_box": mark("the box has fewer squares like this"),
    "not_laid_lawfully": mark(
        "the dominoes of the box cannot make this kingdom. The score stands. Was a square misread, "
        "or is one missing?"
    ),
    "tiles_covered": mark(
        "something seems to lie here; check whether it covers tiles, or take the photo without it"
    ),
    "kingdoms_touch": mark(
        "two castles share these squares; check which of them belong to this kingdom"
    ),
    "kingdom_cut_off": mark(
        "the kingdom lies at the picture's edge or reaches beyond it; unless all of it is in view, "
        "take the photo again"
    ),
    "other_kingdom_cut_off": mark(
        "another kingdom seems to reach beyond the picture; it was not read"
    ),
    "not_from_one_box": mark("one box cannot hold the dominoes of all kingdoms in this picture"),
}

AGAINST_RULES = frozenset(
    (
        *("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early"),
        *("too_many_crosses", "bonus_crosses", "missing_cross"),
        *("too_large", "odd_squares", "unpaired_squares", "not_in_the_box", "not_laid_lawfully"),
    )
)
"""Codes of the problems of boards to which no lawful game leads, on a map or in a kingdom."""


def problem_of(code: str, cells: tuple[Cell, ...] = ()) -> Problem:
    """A warning whose message is the sentence for its code, in English too."""
    return Problem(code, "warning", PROBLEMS[code], cells)


def problem_text(problem: Problem, words: Words) -> str:
    """A problem in that language; ends without a full stop."""
    translated = words.language != "en" and problem.code in PROBLEMS
    return words.t(PROBLEMS[problem.code]) if translated else problem.message


def problem_line(problem: Problem, words: Words) -> str:
    """A problem and its severity."""
    return f"{words.t(SEVERITIES[problem.severity])}: {problem_text(problem, words)}"
