"""`kdscan score`: photos in, boards and totals out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdscan.cli.options import AsJson, GreatDuel, Harmony, MiddleKingdom, check_game
from kdscan.cli.overlay_file import OverlayFile, OverlayStyle
from kdscan.errors import UsageError
from kdscan.rules.names import GameName

if TYPE_CHECKING:
    from kdscan.cli.corrections import Correction


def score(
    context: typer.Context,
    photos: Annotated[
        list[str],
        typer.Argument(
            metavar="PHOTO...",
            help="JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP, GIF or PDF; each page is a photo; "
            "- for standard input.",
        ),
    ],
    as_json: AsJson = False,
    overlay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the photo with what was read drawn over it; for several photos FILE-1, "
            "FILE-2, ...",
        ),
    ] = None,
    overlay_style: Annotated[
        OverlayStyle | None,
        typer.Option(
            help="reading: what was read, over the photo; ink: only what was drawn by hand.",
            show_default="reading",
        ),
    ] = None,
    game: Annotated[GameName | None, typer.Option(help="The game; detected by default.")] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Flag a total for review if it is wrong with more than this probability.",
        ),
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Recognise sheets by this print (.kdprint), besides the learned ones; can be "
            "repeated.",
        ),
    ] = None,
    no_learn: Annotated[
        bool, typer.Option("--no-learn", help="Do not keep sheets or learn pads automatically.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 5 when something needs review.")
    ] = False,
    corrections: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CELL=MARKS",
            help="Set what a shield holds: C2=f++ (column C, row 2: filled, two crosses), C2=. "
            "(empty). Coats: d dd l ll f c; Kingdomino's terrains: w f l g s m. In the "
            "second photo: 2:C2=f++. Spellbooks: left.dot=3x (three squares, struck; u: "
            "power used), right=line (chosen coat). Can be repeated.",
        ),
    ] = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    great_duel: GreatDuel = None,
    dynasty: Annotated[
        bool, typer.Option("--dynasty", help="Kingdomino: add up one player's photos.")
    ] = False,
) -> None:
    """Small copies of sheets from an unknown pad are kept on this machine until there are four,
    enough to learn what is printed on it; see: kdscan layout auto --help

    Examples:

    $ kdscan score photo.jpg

    $ kdscan score photo.jpg --set B4=ll+ --overlay scored.png

    $ kdscan score photo.jpg --overlay ink.png --overlay-style ink

    $ kdscan score *.jpg --json > scores.json

    $ kdscan score kingdom.jpg --middle-kingdom --harmony

    Exit codes: 0 done; 2 wrong usage; 3 no photo could be read; 4 no sheet was found; 5 something
    needs review (only with --strict); 6 the model is missing or corrupt; 7 done, but some photos
    could not be read; 9 no lawful game leads to a board (only with --strict).
    """
    if game is not None:
        check_game(context, game)
    if risk is not None and not 0 <= risk <= 1:
        raise UsageError("--risk {risk}: a probability lies between 0 and 1, like 0.02", risk=risk)
    if overlay is None and overlay_style is not None:
        raise UsageError("--overlay-style needs --overlay FILE, the picture to write")
    drawn = None if overlay is None else OverlayFile(overlay, overlay_style or "reading", photos)
    parsed: Sequence[Correction] = ()
    if corrections:
        from kdscan.cli.corrections import parse_corrections

        parsed = parse_corrections(corrections)

    # The networks are opened while the rest of the heavy half is imported.
    from kdscan.inference.store import default_models
    from kdscan.workers.pool import cores

    default_models().preload(threads=min(2, cores()))
    from kdscan.cli.auto_learning import AutoLearner
    from kdscan.cli.known_prints import known_prints
    from kdscan.cli.output import Printer
    from kdscan.cli.scoring import score_photos
    from kdscan.marks.boards import DEFAULT_RISK
    from kdscan.rules.kingdomino.variants import Variants
    from kdscan.sheets.common import ReadOptions

    prints = known_prints(layout or ())
    options = ReadOptions(
        risk=DEFAULT_RISK if risk is None else risk,
        game=game,
        variants=Variants(dynasty, bool(middle_kingdom), bool(harmony), great_duel),
        prints=prints,
    )
    debug = context.find_root().params["debug"]
    code = score_photos(
        photos,
        parsed,
        options,
        printer=Printer(len(photos), text=not as_json, debug=debug),
        learner=AutoLearner(prints, on=not no_learn),
        overlay=drawn,
        strict=strict,
    )
    raise typer.Exit(code)
