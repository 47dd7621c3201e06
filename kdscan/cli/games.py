"""`kdscan board` and `kdscan simulate`: boards and whole games in text form, without photos.

The text form is the same in every language; all remarks are for people, in the language of the
terminal.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

import typer
from msgspec import to_builtins

from kdscan.cli.shared import (
    AsJson,
    Demo,
    Dynasty,
    Edition,
    GreatDuel,
    Harmony,
    MiddleKingdom,
    OneGame,
    check_game,
    terminal_words,
)
from kdscan.errors import UsageError
from kdscan.files import Json, read_error, read_text
from kdscan.i18n import Words, mark
from kdscan.i18n.problems import problem_line
from kdscan.rules import Cell, Problem, TextError, cell_name, outcome, split_blocks
from kdscan.rules.duel import players as duel
from kdscan.rules.duel.audit import Audit, audit_map
from kdscan.rules.duel.board import Board, Coat, Score, score_board
from kdscan.rules.duel.play import EDITIONS, Game
from kdscan.rules.duel.search import Witness
from kdscan.rules.duel.spellbook import (
    COATS,
    GameNotes,
    book_problems,
    read_books,
    spellbook_json,
    write_book,
)
from kdscan.rules.kingdomino import play as kingdomino
from kdscan.rules.kingdomino.kingdom import Kingdom, Variants, score_kingdom
from kdscan.rules.kingdomino.kingdom import Score as KingdomScore
from kdscan.rules.kingdomino.legality import KingdomAudit, audit_kingdom, find_problems
from kdscan.rules.kingdomino.play import match_totals, match_winners

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
        typer.Option(
            metavar="COAT",
            help="The coat whose domains pay 3 points, by the filled coat's wizard.",
        ),
    ] = None,
    castle_used: Annotated[
        bool | None,
        typer.Option(
            "--castle-used/--castle-unused",
            help="Whether roofs are coloured: the castle's cross was used.",
        ),
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
    dynasty: Dynasty = False,
    demo: Demo = False,
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
    text, w = _read(file), terminal_words()
    audited: list[_Audited]
    more: Json = {}
    remarks: list[str] = []
    if game == "kingdomino":
        variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), great_duel, demo)
        kingdoms = _parse(file, text, Kingdom.parse)
        if len(kingdoms) % variants.games:
            raise UsageError("--dynasty: {n} boards cannot be split into threes", n=len(kingdoms))
        audited = [
            _Audited(
                kingdom,
                score_kingdom(kingdom, variants),
                find_problems(kingdom, variants),
                None if demo else audit_kingdom(kingdom, variants.size),
            )
            for kingdom in kingdoms
        ]
        if dynasty:
            totals = [kingdom.score.total for kingdom in audited]
            more["dynasties"] = [sum(totals[at : at + 3]) for at in range(0, len(totals), 3)]
            for n, total in enumerate(more["dynasties"], 1):
                remarks.append(w.t("dynasty {n}: {total}", n=n, total=total))
    else:
        maps = _parse(file, text, Board.parse)
        if chosen_coat is not None and spellbook is not None:
            raise UsageError(
                "--chosen-coat adds points to every board, but only one player of a game can have "
                "this wizard; instead write whose it is in the spellbook: `# player 1 chose line`"
            )
        if chosen_coat is not None and chosen_coat not in COATS:
            raise UsageError(
                "--chosen-coat {name}: choose one of {known}",
                name=chosen_coat,
                known=", ".join(Coat),
            )
        coat, rules = COATS.get(chosen_coat or ""), EDITIONS[edition]
        games = _game_notes(spellbook, file, text, len(maps), castle_used)
        sides = [(notes, side) for notes in games for side in (0, 1)]
        audited = []
        for map_, (notes, side) in zip(maps, sides, strict=False):
            roof, score = notes.castle_used[side], score_board(map_, coat or notes.chosen_by(side))
            audit = audit_map(map_, roof, spellbook=notes.book, player=side, edition=rules)
            audited.append(_Audited(map_, score, audit.problems, audit))
        books = [book_problems(notes.book) for notes in games if notes.book is not None]
        if books:
            more["spellbooks"] = [{"problems": problems} for problems in books]
        for n, problems in enumerate(books, 1):
            title = w.t("spellbook {n}", n=n)
            lines = [f"{title}: {problem_line(problem, w)}" for problem in problems]
            remarks += ["\n".join(lines)] if lines else []
    if as_json:
        values = {"schema": SCHEMA, "boards": [*map(_board_json, audited)], **more}
        print(json.dumps(to_builtins(values)))
    else:
        print("\n\n".join([*(_text(each, n, w) for n, each in enumerate(audited, 1)), *remarks]))


class _Audited(NamedTuple):
    """A map or kingdom, its score, its problems, and whether a lawful game leads to it; audit: None
    for a kingdom of other dominoes."""

    board: Board | Kingdom
    score: Score | KingdomScore
    problems: tuple[Problem, ...]
    audit: Audit | KingdomAudit | None


def _board_json(audited: _Audited) -> Json:
    """One entry of `boards`: its dominoes in a possible order, for a map with wizards and bonus
    crosses; `lawful` is null if that was not decided, and so is `order` without a lawful one."""
    board, score, problems, verdict = audited
    audit: Json | None = None
    if isinstance(verdict, KingdomAudit):
        audit = {"order": [{"cells": place} for place in verdict.order]}
    elif verdict:
        audit = {**vars(verdict.witness or Witness())}
    if audit and verdict:
        audit = {"lawful": verdict.lawful, **audit} | ({} if verdict.lawful else {"order": None})
    values = {"text": str(board), "domains": score.domains, "score": score.points}
    return {**values, "problems": problems, "audit": audit}


def _read(file: str) -> str:
    """A file's text, or standard input for `-`; raises UsageError if it cannot be read."""
    try:
        return read_text(sys.stdin if file == "-" else Path(file))
    except (OSError, ValueError) as error:
        raise UsageError("{where}: {error}", where=file, error=read_error(error)) from error


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
    games, roofs = (boards + 1) // 2, (castle_used, castle_used)
    if spellbook is None:
        return [GameNotes(None, roofs)] * games
    try:
        books = read_books(text if spellbook == file else _read(spellbook))
    except TextError as error:
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
    return books if castle_used is None else [GameNotes(notes.book, roofs) for notes in books]


def _text(audited: _Audited, number: int, w: Words) -> str:
    """A map or kingdom, how its points add up, and whether its dominoes can be laid."""
    rows = [
        (w.t(kind.replace("_", " ")), f" {len(cells):2} x {marks} = {points}")
        for kind, cells, marks, points in map(astuple, audited.score.domains)
        if points
    ]
    _, *extras = audited.score.points.items()
    rows += [
        (w.t(SOURCES[name]), f" {points:8}") for name, points in extras if points or name == "total"
    ]
    width = max(WIDTH, *(len(name) for name, _ in rows))
    lines = ["# " + w.t("board {n}", n=number), str(audited.board), ""]
    lines += [f"{name:{width}}{sum_}" for name, sum_ in rows]
    if audit := audited.audit:
        steps = (
            map(_domino, audit.order)
            if isinstance(audit, KingdomAudit)
            else _steps(audit.witness or Witness(), w)
        )
        if audit.lawful:
            way = ", ".join(steps) or w.t("an empty board")
            lines.append(w.t("lawful: {way}", way=way))
        elif audit.lawful is None:
            lines.append(w.t("lawful: not decided"))
        else:
            lines.append(w.t("unlawful: no game leads here"))
    for problem in audited.problems:
        cells = " ".join(map(cell_name, problem.cells))
        lines.append(problem_line(problem, w) + (f" ({cells})" if cells else ""))
    return "\n".join(lines)


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


def simulate(
    context: typer.Context,
    number: Annotated[int, typer.Argument(min=0, metavar="N", help="Number of games.")],
    seed: Annotated[
        int, typer.Option(metavar="S", help="Random seed; the same seed gives the same games.")
    ] = 0,
    as_json: AsJson = False,
    player: Annotated[
        Literal["random", "greedy"], typer.Option(help="How the players choose their moves.")
    ] = "random",
    edition: Edition = "english",
    game: OneGame = "duel",
    players: Annotated[
        int | None,
        typer.Option(metavar="2|3|4", help="Kingdomino: number of players; 2 by default."),
    ] = None,
    dynasty: Dynasty = False,
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    demo: Demo = False,
) -> None:
    """Examples:

    $ kdscan simulate 3 --seed 7

    $ kdscan simulate 1000 --seed 1 --player greedy --json > games.json
    """
    check_game(context, game)
    rng, w = random.Random(seed), terminal_words()
    greedily = player == "greedy"
    games: Iterator[tuple[Json, str]]  # one by one, so that any number of them needs little memory
    if game == "duel":
        mover = duel.greedy_player if greedily else duel.random_player
        both, rules = (mover, mover), EDITIONS[edition]
        games = (_played_duel(duel.play_game(rng, both, rules), n + 1, w) for n in range(number))
    else:
        variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), great_duel, demo)
        seats = 2 if players is None else players
        variants.check_players(seats)
        builder = kingdomino.greedy_player if greedily else kingdomino.random_player
        matches = (kingdomino.play_match(rng, [builder] * seats, variants) for _ in range(number))
        games = (_played_match(match, n, w) for n, match in enumerate(matches, 1))
    if as_json:
        print(f'{{"schema": "{SCHEMA}", "games": [', end="")
        for at, (values, _) in enumerate(games):
            print((", " if at else "") + json.dumps(values), end="")
        print("]}")
        return
    for at, (_, text) in enumerate(games):
        print("\n" * (at > 0) + text)


def _played_duel(game: Game, at: int, w: Words) -> tuple[Json, str]:
    """A game of Duel as it stands, as plain values and as text: maps, spellbook, rounds, scores,
    who leads."""
    scores = game.scores()
    result = outcome(scores)
    values: Json = {
        "maps": [str(board) for board in game.maps],
        "castle_used": list(game.castle_used),
        "spellbook": spellbook_json(game.spellbook),
        "rounds": game.rounds,
        "score": [score.points for score in scores],
        "largest_domain": [score.worth.largest_domain for score in scores],
        "winner": result.winner,
        "decided_by": result.decided_by,
    }
    named: Json = {"game": at, "totals": " : ".join(str(score.total) for score in scores)}
    if result.winner is None:
        title = w.tn(
            "game {game}: {totals}, a draw after {n} round",
            "game {game}: {totals}, a draw after {n} rounds",
            game.rounds,
            **named,
        )
    else:
        title = w.tn(
            "game {game}: {totals}, player {player} wins after {n} round",
            "game {game}: {totals}, player {player} wins after {n} rounds",
            game.rounds,
            player=result.winner + 1,
            **named,
        )
    book = write_book(game.spellbook, game.castle_used)
    return values, f"# {title}\n{book}\n" + "\n\n".join(values["maps"])


def _played_match(games: Sequence[kingdomino.Game], at: int, w: Words) -> tuple[Json, str]:
    """A match of Kingdomino, as plain values and as text: one game, or the three games of a dynasty
    with their sums."""
    scores = [game.scores() for game in games]
    totals, winners = match_totals(scores), match_winners(scores)
    values: Json = {
        "games": [
            {
                "kingdoms": [str(kingdom) for kingdom in game.kingdoms],
                "discarded": game.discarded,
                "rounds": game.rounds,
                "score": [score.points for score in own],
            }
            for game, own in zip(games, scores, strict=True)
        ],
        "totals": totals,
        "winners": winners,
    }
    title = w.tn(
        "match {match}: {totals}, won by player {who}",
        "match {match}: {totals}, won by players {who}",
        len(winners),
        match=at,
        totals=" : ".join(map(str, totals)),
        who=", ".join(str(player + 1) for player in winners),
    )
    # One player's kingdoms after the other's, as `board --dynasty` adds them up.
    by_player = zip(*(game["kingdoms"] for game in values["games"]), strict=True)
    return values, f"# {title}\n" + "\n\n".join(text for own in by_player for text in own)
