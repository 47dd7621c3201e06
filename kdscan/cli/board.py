"""`kdscan board`: from boards in text form to domains, totals and audits.

The boards themselves are in text form, which is the same in every language; all remarks on them are
for people, in the language of the terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from kdscan.cli.options import (
    AsJson,
    Edition,
    GreatDuel,
    Harmony,
    MiddleKingdom,
    OneGame,
    check_game,
)
from kdscan.cli.terminal import terminal_words
from kdscan.errors import UsageError
from kdscan.files import read as files
from kdscan.i18n import Words, mark
from kdscan.i18n.problems import problem_line
from kdscan.rules.duel.audit import Witness, audit_map
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.play import EDITIONS
from kdscan.rules.duel.scoring import score_board
from kdscan.rules.duel.spellbook import COATS, BookTextError, GameNotes, book_problems, read_books
from kdscan.rules.grid import Cell, cell_name, split_blocks
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.legality import KingdomAudit, audit_kingdom, find_problems
from kdscan.rules.kingdomino.scoring import score_kingdom
from kdscan.rules.kingdomino.variants import Variants
from kdscan.rules.report import Audited, audited_json

SCHEMA = "kdscan/1"

WIDTH = 12
"""Width of the column of scored domains, unless a name is longer."""

SOURCES = {
    "wizard": mark("wizard"),
    "middle_kingdom": mark("Middle Kingdom"),
    "harmony": mark("harmony"),
    "total": mark("total"),
}
"""Where points come from, beside domains."""

T = TypeVar("T")


def board(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Boards separated by blank lines; - for standard input."
        ),
    ],
    as_json: AsJson = False,
    chosen_coat: Annotated[
        str | None,
        typer.Option(metavar="COAT", help="The coat chosen for the filled coat's wizard."),
    ] = None,
    castle_used: Annotated[
        bool | None,
        typer.Option("--castle-used/--castle-unused", help="Whether the roofs are coloured."),
    ] = None,
    spellbook: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Spellbooks as written by simulate, one for every two boards; may be the same "
            "FILE.",
        ),
    ] = None,
    edition: Edition = "english",
    game: OneGame = "duel",
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    dynasty: Annotated[
        bool, typer.Option("--dynasty", help="Kingdomino: add up every three boards.")
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Kingdomino: the demo, with its own dominoes.")
    ] = False,
) -> None:
    """A shield is . (empty), ## (castle) or a coat with a + for each cross: d dot, dd double
    dot, l line, ll double line, f filled, c checked. In Kingdomino w f l g s m are terrains,
    each + a crown.

    A spellbook is two lines, `# player 1: castle used; spellbook dot 5 used line 3` and one for
    player 2, optionally followed by `# player 1 chose line`. Among boards these lines are comments.

    Examples:

    $ kdscan board maps.txt --chosen-coat line

    $ kdscan simulate 1 --seed 7 | kdscan board - --spellbook -
    """
    check_game(context, game)
    text = _read(file)
    if game == "kingdomino":
        variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel), demo)
        _print_kingdoms(_parse(file, text, Kingdom.parse), variants, as_json)
        return
    boards = _parse(file, text, Board.parse)
    if chosen_coat is not None and spellbook is not None:
        raise UsageError(
            "--chosen-coat adds points to every board, but only one player of a game can have this "
            "wizard; instead write whose it is in the spellbook: `# player 1 chose line`"
        )
    if chosen_coat is not None and chosen_coat not in COATS:
        raise UsageError(
            "--chosen-coat {name}: choose one of {known}", name=chosen_coat, known=", ".join(Coat)
        )
    coat, rules = COATS.get(chosen_coat or ""), EDITIONS[edition]
    games = _game_notes(spellbook, file, text, len(boards), castle_used)
    sides = [(notes, side) for notes in games for side in (0, 1)]
    maps = [
        Audited(map_, score_board(map_, coat or notes.chosen_by(side)), audit.problems, audit)
        for map_, (notes, side) in zip(boards, sides, strict=False)
        for audit in [
            audit_map(
                map_, notes.castle_used[side], spellbook=notes.book, player=side, edition=rules
            )
        ]
    ]
    books = [book_problems(notes.book) for notes in games if notes.book is not None]
    if as_json:
        answer: dict[str, Any] = {"schema": SCHEMA, "boards": [*map(audited_json, maps)]}
        if books:
            answer["spellbooks"] = [
                {"problems": [asdict(problem) for problem in book]} for book in books
            ]
        print(json.dumps(answer))
        return
    w = terminal_words()
    parts = [_text(audited, n, w) for n, audited in enumerate(maps, 1)]
    for n, problems in enumerate(books, 1):
        title = w.t("spellbook {n}", n=n)
        if problems:
            parts.append("\n".join(f"{title}: {problem_line(problem, w)}" for problem in problems))
    print("\n\n".join(parts))


def _print_kingdoms(kingdoms: Sequence[Kingdom], variants: Variants, as_json: bool) -> None:
    if len(kingdoms) % variants.games:
        raise UsageError("--dynasty: {n} boards cannot be split into threes", n=len(kingdoms))
    audited = [
        Audited(
            kingdom,
            score_kingdom(kingdom, variants),
            find_problems(kingdom, variants),
            None if variants.demo else audit_kingdom(kingdom, variants.size),
        )
        for kingdom in kingdoms
    ]
    totals = [kingdom.score.total for kingdom in audited]
    sums = [sum(totals[at : at + 3]) for at in range(0, len(totals), 3)] if variants.dynasty else []
    if as_json:
        answer: dict[str, Any] = {"schema": SCHEMA, "boards": [*map(audited_json, audited)]}
        if variants.dynasty:
            answer["dynasties"] = sums
        print(json.dumps(answer))
        return
    w = terminal_words()
    parts = [_text(kingdom, n, w) for n, kingdom in enumerate(audited, 1)]
    parts += [w.t("dynasty {n}: {total}", n=n, total=total) for n, total in enumerate(sums, 1)]
    print("\n\n".join(parts))


def _read(file: str) -> str:
    """A file's text, or standard input for `-`; raises UsageError if it cannot be read."""
    try:
        return files.read_text(sys.stdin if file == "-" else Path(file))
    except (OSError, ValueError) as error:
        raise UsageError("{where}: {error}", where=file, error=files.read_error(error)) from error


def _parse(file: str, text: str, parse: Callable[[str], T]) -> list[T]:
    """The boards in a file's text; raises UsageError with the number of an invalid one, or if there
    are none."""
    boards = []
    for number, block in enumerate(split_blocks(text), 1):
        try:
            boards.append(parse(block))
        except UsageError as error:
            raise UsageError("board {number}: {error}", number=number, error=error) from error
    if not boards:
        raise UsageError("{file}: contains no board", file=file)
    return boards


def _game_notes(
    spellbook: str | None, file: str, text: str, boards: int, castle_used: bool | None
) -> list[GameNotes]:
    """What is known of the game of each two boards.

    spellbook: the file that contains it, None without one; `text` is the content of `file`, that of
    the boards. castle_used: for all roofs, from the command line. Raises UsageError.
    """
    games = (boards + 1) // 2
    if spellbook is None:
        return [GameNotes(None, (castle_used, castle_used))] * games
    try:
        books = read_books(text if spellbook == file else _read(spellbook))
    except BookTextError as error:
        where = f"--spellbook {spellbook}"
        raise UsageError("{where}: {error}", where=where, error=error) from error
    if len(books) != games:
        raise UsageError(
            "--spellbook {path}: every two boards, the maps of players 1 and 2, share a "
            "spellbook; boards: {boards}, spellbooks needed: {games}, spellbooks found: {n}",
            path=spellbook,
            n=len(books),
            boards=boards,
            games=games,
        )
    if castle_used is None:
        return books
    return [GameNotes(notes.book, (castle_used, castle_used)) for notes in books]


def _text(audited: Audited, number: int, w: Words) -> str:
    """A map or kingdom, how its points add up, and whether its dominoes can be laid."""
    domains = map(astuple, audited.score.domains)
    rows = [
        (w.t(kind.replace("_", " ")), f" {len(cells):2} x {marks} = {points}")
        for kind, cells, marks, points in domains
        if points
    ]
    _, *extras = audited.score.points.items()
    rows += [
        (w.t(SOURCES[name]), f" {points:8}") for name, points in extras if points or name == "total"
    ]
    width = max(WIDTH, *(len(name) for name, _ in rows))
    parts = ["# " + w.t("board {n}", n=number), str(audited.board), ""]
    parts += [f"{name:{width}}{sum_}" for name, sum_ in rows]
    if isinstance(audited.audit, KingdomAudit):
        parts.append(_lawful(audited.audit.lawful, map(_domino, audited.audit.order), w))
    elif audited.audit:
        steps = _steps(audited.audit.witness or Witness(), w)
        parts.append(_lawful(audited.audit.lawful, steps, w))
    for problem in audited.problems:
        cells = " ".join(map(cell_name, problem.cells))
        parts.append(problem_line(problem, w) + (f" ({cells})" if cells else ""))
    return "\n".join(parts)


def _lawful(lawful: bool | None, steps: Iterable[str], w: Words) -> str:
    """steps: what was laid where, in a possible order."""
    if lawful is None:
        return w.t("lawful: not decided")
    if not lawful:
        return w.t("unlawful: no game leads here")
    return w.t("lawful: {way}", way=", ".join(steps) or w.t("an empty board"))


def _steps(witness: Witness, w: Words) -> Iterator[str]:
    """Dominoes in an order in which they can be drawn, with the help that they needed."""
    for step in witness.order:
        power = step.power and w.t("{coat} wizard", coat=w.t(step.power.replace("_", " ")))
        yield _domino(step.cells) + (f" ({power})" if power else "")
    if witness.castle:
        yield w.t("castle's cross on {cell}", cell=cell_name(witness.castle))
    if witness.wizard:
        yield w.t("wizard's cross on {cell}", cell=cell_name(witness.wizard))
    for idle in witness.idle:
        yield w.tn(
            "no room for the {coat} after {n} domino",
            "no room for the {coat} after {n} dominoes",
            idle.after,
            coat=w.t(idle.coat.replace("_", " ")),
        )


def _domino(cells: Iterable[Cell]) -> str:
    return "-".join(map(cell_name, cells))
