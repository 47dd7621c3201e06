"""`kdscan board`: from boards in text form to domains, totals and audits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.cli.board_maps import audit_maps, game_notes, parse_boards, read_text
from kdscan.cli.board_text import book_text, game_text, kingdom_text, map_text
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

if TYPE_CHECKING:
    from kdscan.rules.duel.coats import Coat
    from kdscan.rules.kingdomino.variants import Variants

SCHEMA = "kdscan/1"


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
    together: Annotated[
        bool, typer.Option("--together", help="Treat every two boards as the maps of one game.")
    ] = False,
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

    $ kdscan simulate 1 --seed 7 | kdscan board - --together --spellbook -
    """
    check_game(context, game)
    text = read_text(file)
    if game == "kingdomino":
        from kdscan.rules.kingdomino.variants import Variants

        variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel), demo)
        _kingdoms(file, text, variants, as_json)
        return
    from kdscan.rules.duel.board import Board
    from kdscan.rules.duel.book_checks import book_problems
    from kdscan.rules.duel.editions import EDITIONS
    from kdscan.rules.duel.report import board_json, pair_json
    from kdscan.rules.problem import problems_json

    boards = parse_boards(file, text, Board.parse)
    if together and len(boards) % 2:
        raise UsageError("--together: {n} boards cannot be split into pairs", n=len(boards))
    if chosen_coat is not None and (together or spellbook is not None):
        raise UsageError(
            "--chosen-coat adds points to every board, but only one player of a game can have this "
            "wizard; instead write whose it is in the spellbook: `# player 1 chose line`"
        )
    coat, rules = _coat(chosen_coat), EDITIONS[edition]
    notes = game_notes(spellbook, file, text, len(boards), castle_used)
    maps, pairs = audit_maps(boards, coat, notes, rules, together)
    books = [book_problems(one.book) for one in notes if one.book is not None]
    if as_json:
        answer: dict[str, Any] = {"schema": SCHEMA, "boards": [*map(board_json, maps)]}
        if together:
            answer["games"] = [*map(pair_json, pairs)]
        if books:
            answer["spellbooks"] = [{"problems": problems_json(book)} for book in books]
        print(json.dumps(answer))
        return
    w = terminal_words()
    parts = [map_text(one, n, w) for n, one in enumerate(maps, 1)]
    parts += [game_text(pair, n, w) for n, pair in enumerate(pairs, 1)]
    parts += [book_text(book, n, w) for n, book in enumerate(books, 1) if book]
    print("\n\n".join(parts))


def _kingdoms(file: str, text: str, variants: Variants, as_json: bool) -> None:
    from kdscan.rules.kingdomino.audit import audit_kingdom
    from kdscan.rules.kingdomino.checks import find_problems
    from kdscan.rules.kingdomino.kingdom import Kingdom
    from kdscan.rules.kingdomino.report import AuditedKingdom, kingdom_json
    from kdscan.rules.kingdomino.scoring import score_kingdom

    found = [
        AuditedKingdom(
            kingdom,
            score_kingdom(kingdom, variants),
            find_problems(kingdom, variants),
            None if variants.demo else audit_kingdom(kingdom, variants.size),
        )
        for kingdom in parse_boards(file, text, Kingdom.parse)
    ]
    if len(found) % variants.games:
        raise UsageError("--dynasty: {n} boards cannot be split into threes", n=len(found))
    totals = [one.score.total for one in found]
    sums = [sum(totals[at : at + 3]) for at in range(0, len(totals), 3)] if variants.dynasty else []
    if as_json:
        answer: dict[str, Any] = {"schema": SCHEMA, "boards": [*map(kingdom_json, found)]}
        if variants.dynasty:
            answer["dynasties"] = sums
        print(json.dumps(answer))
        return
    w = terminal_words()
    parts = [kingdom_text(one, n, w) for n, one in enumerate(found, 1)]
    parts += [w.t("dynasty {n}: {total}", n=n, total=total) for n, total in enumerate(sums, 1)]
    print("\n\n".join(parts))


def _coat(name: str | None) -> Coat | None:
    from kdscan.rules.duel.book_text import COATS
    from kdscan.rules.duel.coats import Coat

    if name is None:
        return None
    if name not in COATS:
        raise UsageError(
            "--chosen-coat {name}: choose one of {known}", name=name, known=", ".join(Coat)
        )
    return COATS[name]
