"""`kdscan board`: boards in text form in; domains, totals and audits out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.cli.board_maps import audit_maps, book_reports, parse_maps, read_text, told_by
from kdscan.cli.options import AsJson, Edition, GreatDuel, Harmony, MiddleKingdom, OneGame
from kdscan.errors import UsageError

if TYPE_CHECKING:
    from kdscan.game.duel.coats import Coat
    from kdscan.game.duel.editions import Edition as Rulebook
    from kdscan.game.kingdomino.variants import Variants

SCHEMA = "kdscan/1"

GAMES = ("duel", "kingdomino")


def board(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Boards apart by blank lines; - for standard input."),
    ],
    as_json: AsJson = False,
    chosen_coat: Annotated[
        str | None,
        typer.Option(metavar="COAT", help="The coat that the filled wizard pays for."),
    ] = None,
    castle_used: Annotated[
        bool | None,
        typer.Option("--castle-used/--castle-unused", help="Whether the roofs are coloured."),
    ] = None,
    spellbook: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Spellbooks as simulate writes them, each for two boards; may be the same FILE.",
        ),
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="Each two boards are the maps of one game.")
    ] = False,
    edition: Edition = "english",
    game: OneGame = "duel",
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    dynasty: Annotated[
        bool, typer.Option("--dynasty", help="Kingdomino: each three boards are added up.")
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Kingdomino: the demo, with dominoes of its own.")
    ] = False,
) -> None:
    """Score boards written as text, and say whether a lawful game leads to each.

    A shield is . (empty), ## (castle) or a coat with a + for each cross: d dot, dd double
    dot, l line, ll double line, f filled, c checked. In Kingdomino w f l g s m are terrains,
    each + a crown.

    A spellbook is two lines, `# player 1: castle used; spellbook dot 5 used line 3` and one for
    player 2, perhaps `# player 1 chose line`. Beside boards they are comments.

    Examples:

    $ kdscan board maps.txt --chosen-coat line

    $ kdscan simulate 1 --seed 7 | kdscan board - --together --spellbook -
    """
    if game not in GAMES:
        raise UsageError("--game {game}: there are duel and kingdomino", game=game)
    text = read_text(file)
    entries: list[dict[str, Any]]
    pairs: list[dict[str, Any]] = []
    books: list[dict[str, Any]] = []
    if game == "kingdomino":
        if spellbook is not None:
            raise UsageError("--spellbook: Kingdomino has none")
        from kdscan.game.kingdomino.variants import Variants

        variants = Variants(dynasty, bool(middle_kingdom), bool(harmony), bool(great_duel), demo)
        entries = _kingdoms(text, variants)
        if len(entries) % variants.games:
            raise UsageError("--dynasty: {n} boards cannot be threes", n=len(entries))
    else:
        boards = parse_maps(text)
        coat, rules = _coat(chosen_coat), edition_named(edition)
        if together and len(boards) % 2:
            raise UsageError("--together: {n} boards cannot be pairs", n=len(boards))
        told = told_by(spellbook, file, text, len(boards), castle_used)
        entries, pairs = audit_maps(boards, coat, told, rules, together)
        books = book_reports(told)
    if not entries:
        raise UsageError("{file}: no board in it", file=file)
    if as_json:
        answer: dict[str, Any] = {"schema": SCHEMA, "boards": entries}
        if together:
            answer["games"] = pairs
        if books:
            answer["spellbooks"] = books
        if dynasty:
            answer["dynasties"] = _dynasties(entries)
        print(json.dumps(answer))
    else:
        print("\n\n".join(_text(entry, n) for n, entry in enumerate(entries, 1)))
        for number, pair in enumerate(pairs, 1):
            print(f"\n{_pair_text(pair, number)}")
        for number, book in enumerate(books, 1):
            if book["problems"]:
                print()
            for problem in book["problems"]:
                print(f"spellbook {number}: {problem['severity']}: {problem['message']}")
        for number, total in enumerate(_dynasties(entries) if dynasty else (), 1):
            print(f"\ndynasty {number}: {total}")


def _coat(name: str | None) -> Coat | None:
    from kdscan.game.duel.book_text import COATS
    from kdscan.game.duel.coats import Coat

    if name is None:
        return None
    if name not in COATS:
        raise UsageError(
            "--chosen-coat {name}: there are {known}", name=name, known=", ".join(Coat)
        )
    return COATS[name]


def edition_named(name: str) -> Rulebook:
    """The edition of that name; raises UsageError when there is none."""
    from kdscan.game.duel.editions import EDITIONS

    if name not in EDITIONS:
        raise UsageError(
            "--edition {name}: there are {known}", name=name, known=", ".join(EDITIONS)
        )
    return EDITIONS[name]


def _kingdoms(text: str, variants: Variants) -> list[dict[str, Any]]:
    from kdscan.game.kingdomino.audit import audit_kingdom
    from kdscan.game.kingdomino.checks import find_problems
    from kdscan.game.kingdomino.kingdom import Kingdom
    from kdscan.game.kingdomino.report import kingdom_json
    from kdscan.game.kingdomino.scoring import score_kingdom
    from kdscan.game.kingdomino.tiles import KingdomTextError
    from kdscan.game.text import split_blocks

    entries = []
    for number, block in enumerate(split_blocks(text), 1):
        try:
            kingdom = Kingdom.parse(block)
        except KingdomTextError as error:
            raise UsageError("board {number}: {error}", number=number, error=error) from error
        score = score_kingdom(kingdom, variants)
        audit = None if variants.demo else audit_kingdom(kingdom, variants.size)
        entries.append(kingdom_json(kingdom, score, find_problems(kingdom, variants), audit))
    return entries


def _dynasties(entries: Sequence[dict[str, Any]]) -> list[int]:
    """The sums of three games each."""
    totals = [entry["score"]["total"] for entry in entries]
    return [sum(totals[at : at + 3]) for at in range(0, len(totals), 3)]


def _text(entry: dict[str, Any], number: int) -> str:
    lines = [f"# board {number}", entry["text"], ""]
    for domain in entry["domains"]:
        kind = domain.get("coat") or domain["terrain"]
        marks = domain.get("crosses", domain.get("crowns"))
        if domain["points"]:
            size = len(domain["cells"])
            lines.append(f"{kind:12} {size:2} x {marks} = {domain['points']}")
    extra = {k: v for k, v in entry["score"].items() if k not in ("domains", "total") and v}
    lines += [f"{kind.replace('_', ' '):12} {points:8}" for kind, points in extra.items()]
    lines.append(f"{'total':12} {entry['score']['total']:8}")
    audit = entry["audit"]
    if audit is not None:
        answers = {False: "no game leads here", None: "not decided"}
        lines.append("lawful: " + (answers.get(audit["lawful"]) or _way(audit)))
    for problem in entry["problems"]:
        cells = " ".join(_name(cell) for cell in problem["cells"])
        lines.append(
            f"{problem['severity']}: {problem['message']}" + (f" ({cells})" if cells else "")
        )
    return "\n".join(lines)


def _way(audit: dict[str, Any]) -> str:
    steps = []
    for step in audit["order"]:
        one, two = (_name(cell) for cell in step["cells"])
        steps.append(f"{one}-{two}" + (f" ({step['power']} wizard)" if step.get("power") else ""))
    for who in ("castle", "wizard"):
        if audit.get(who):
            steps.append(f"{who}'s cross on {_name(audit[who])}")
    for idle in audit.get("idle", ()):
        coat = idle["coat"].replace("_", " ")
        steps.append(f"no room for the {coat} after {idle['after']} dominoes")
    return ", ".join(steps) or "an empty map"


def _pair_text(pair: dict[str, Any], number: int) -> str:
    if not pair["lawful"]:
        reasons = [problem["message"] for problem in pair["problems"]] or ["see its boards"]
        return f"game {number}: not lawful: {'; '.join(reasons)}"
    said = [f"{problem['severity']}: {problem['message']}" for problem in pair["problems"]]
    if not pair["rounds_decided"]:
        said.append("whether the four dice make both maps in common rounds was not decided")
    return "; ".join([f"game {number}: lawful", *said])


def _name(cell: Sequence[int]) -> str:
    return f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[cell[1] % 26]}{cell[0] + 1}"
