"""`kdscan batch`: a pile of photos into the store of an event."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Set
from contextlib import AbstractContextManager
from typing import Annotated

import typer

from kdscan.cli.known_templates import known_templates
from kdscan.cli.shared import (
    MOST_ROUNDS,
    SOME_FAILED,
    Csv,
    Event,
    Game,
    GreatDuel,
    Harmony,
    JsonLines,
    MiddleKingdom,
    Photos,
    Processes,
    Store,
    check_apart,
    note_other_sizes,
    progress_line,
    same_event,
    terminal_words,
)
from kdscan.errors import UsageError
from kdscan.event.actions import SetRules
from kdscan.event.events import load, open_event
from kdscan.event.export import save_results
from kdscan.event.jobs import Batch, Progress, Workers
from kdscan.event.model import (
    BLANK,
    CONFLICT,
    FAILED,
    OK,
    SAME_PHOTO,
    SAME_SHEET,
    Result,
    SheetResult,
)
from kdscan.event.model import Event as EventState
from kdscan.event.names import removed_names
from kdscan.event.prints import EventPrints, add_new_prints
from kdscan.event.store import open_store
from kdscan.event.tasks import prepare, sources
from kdscan.files import STDOUT, escape_control, is_folder, missing_folder_error
from kdscan.i18n import Words, mark
from kdscan.i18n.errors import error_text
from kdscan.inference.store import default_models
from kdscan.workers.pool import Limits, Pool, cores

SHOWN = 20
"""Most failures that are listed; the results contain all of them."""

DIFFERS = "differs"
"""The status here of a photo that shows other points than the one of its sheet that counts."""


def batch(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Photos, PDFs, folders of them, or URLs (s3://…)."),
    ],
    event: Event = None,
    store: Store = None,
    photos: Photos = None,
    round: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_ROUNDS, metavar="N", help="Assign all these sheets to round N."
        ),
    ] = None,
    game: Game = None,
    great_duel: GreatDuel = None,
    middle_kingdom: MiddleKingdom = None,
    harmony: Harmony = None,
    workers: Processes = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Read on the Dask cluster at ADDRESS.")
    ] = None,
    no_learn: Annotated[
        bool, typer.Option("--no-learn", help="Do not learn pads automatically.")
    ] = False,
    csv: Csv = None,
    json_lines: JsonLines = None,
) -> None:
    """Can be interrupted at any time: run the same command again and it continues where it stopped,
    without reading anything twice. A photo that fails becomes a row with the reason. Once there are
    enough sheets of an unknown pad, its print is learned from them and used to read them.

    Examples:

    $ kdscan batch photos/ --event 'Spring cup'

    $ kdscan batch round3/ scans.pdf --event 'Spring cup' --round 3 --csv results.csv

    $ kdscan batch table7/ --event 'Castle cup' --game kingdomino --great-duel --middle-kingdom

    $ kdscan batch s3://club/photos --event cup --store postgresql://db/club --cluster
    tcp://10.0.0.5:8786

    Exit codes: 0 done; 2 wrong usage; 6 the models are missing; 7 done, but some photos failed; 8
    the store cannot be used; 130 interrupted: what was finished is kept.
    """
    check_apart({"--csv": csv, "--json-lines": json_lines})
    for out in (csv, json_lines):
        if out is not None and not is_folder(out.parent):
            raise missing_folder_error(out, out.parent)
    models = default_models().version
    files = sources(paths)
    with open_store(store, photos, make=event is not None) as opened:
        with opened.write() as db:
            rules = SetRules(great_duel, middle_kingdom, harmony)
            this = open_event(db, event, game, rules)
            if this.game == "duel":
                add_new_prints(opened, db, this.id, known_templates())
        learns = not no_learn and EventPrints(opened, this.id).learns()
        with _workers(cluster, workers) as pool, progress_line() as show:
            run = Batch(opened, this, pool, models, round, learns)
            run.run(files, show)
        with opened.write() as db:
            this = load(db, this.id, write=True)
        with opened.read() as db:
            if STDOUT not in (csv, json_lines):
                print("\n  ".join(_outcome(this, store, run.progress, {f.name for f in files})))
            command = f"kdscan batch PHOTO... {same_event(event, store)}"
            note_other_sizes(this.other_sizes, command)
            save_results(db, this, csv, json_lines, terminal_words())
    raise typer.Exit(SOME_FAILED if run.progress.failed else 0)


def _workers(cluster: str | None, count: int | None) -> AbstractContextManager[Workers]:
    """Processes of this machine, or a cluster's."""
    if cluster is None:
        return Pool(count or cores(), Limits(seconds=120), prepare, tries=2)
    if count is not None:
        raise UsageError("--workers cannot be used with --cluster, which has its own workers")
    try:
        from kdscan.event.cluster import Cluster
    except ImportError as error:
        raise UsageError(
            "--cluster needs extra packages: pip install distributed fsspec"
        ) from error
    return Cluster(cluster)


def _outcome(
    event: EventState, store: str | None, progress: Progress, given: Set[str]
) -> Iterator[str]:
    """What the event now contains, and what somebody should look at: a line each.

    given: names of the photos.
    """
    w = terminal_words()
    t = w.t
    differing = {key for others in event.compared.differs.values() for key, _ in others}
    rows_of: dict[str, list[Result]] = defaultdict(list)
    for row in event.rows:
        differs = isinstance(row, SheetResult) and row.sheet.id in differing
        rows_of[DIFFERS if differs else row.status].append(row)
    numbers = {  # of pages that were read, now or before
        mark("{n} already read"): progress.known,
        mark("{n} given again"): progress.twice,
        mark("{n} read again"): progress.again,
    }
    read = [t("{n} read now", n=progress.read - progress.again)]
    read += [t(text, n=n) for text, n in numbers.items() if n]
    yield f"{escape_control(event.name)}: {', '.join(read)}"
    for pad, sheets in sorted(progress.learned.items()):
        yield t("learned from {n} sheets and used to read them: {name}", n=sheets, name=pad)
    blank = rows_of[BLANK]
    check = [
        row for row in event.counting if row.status != OK or row.sheet.id in event.compared.differs
    ]
    yield t("sheets: {n}, {review} of them to check", n=len(event.counting), review=len(check))
    titles = {
        FAILED: t("failed"),
        SAME_PHOTO: t("the same photo again"),
        SAME_SHEET: t("the same sheet again"),
        DIFFERS: t("photos of one sheet that differ: say which one counts"),
        CONFLICT: t("different sheets with the same code: say whose is which"),
    }
    for status, title in titles.items():
        if rows := rows_of[status]:
            yield f"{title}: {len(rows)}"
        for row in rows[:SHOWN]:
            yield f"  {row.name}: {_reason(row, event, status, w)}"
        if len(rows) > SHOWN:
            yield "  " + t("… and {n} more", n=len(rows) - SHOWN)
    same = same_event(event.name, store)
    if gone := [name for name in removed_names(event) if name in given]:
        yield t("removed before, so not counted: {n}", n=len(gone))
        for name in gone[:SHOWN]:
            yield f"  {shlex.join(['kdscan', 'remove', '--undo', name])} {same}"
    if blank:
        names = [row.name for row in blank[:SHOWN]] + ["…"] * (len(blank) > SHOWN)
        yield t("blank pages: {n}", n=len(blank)) + f" ({', '.join(names)})"
    if check:
        yield t("check them: {command}", command=f"kdscan serve {same}")


def _reason(row: Result, event: EventState, status: str, w: Words) -> str:
    """Why a row has its status, or which photo counts in its place."""
    if row.problem:
        return error_text(row.problem, w)
    if status != DIFFERS or not isinstance(row, SheetResult):
        return w.t("see {name}", name=row.other)
    best = event.row(event.compared.same[row.sheet.id])
    if best.corrected:
        why = w.t("somebody looked at it")
    elif row.sheet.id in event.late:
        why = w.t("it came in time")
    else:
        why = w.t("it shows more, or came later")
    return w.t(
        "{n} points; {name} counts for now, with {total}: {why}",
        n=row.sheet.brief.total,
        name=best.name,
        total=best.sheet.brief.total,
        why=why,
    )
