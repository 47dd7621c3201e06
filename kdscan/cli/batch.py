"""`kdscan batch`: a pile of photos into the store of an event."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated

import typer

from kdscan.cli.known_templates import known_templates
from kdscan.cli.options import (
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
    same_event,
)
from kdscan.cli.terminal import note_other_sizes, progress_line, terminal_words
from kdscan.errors import UsageError
from kdscan.event.actions import SetRules
from kdscan.event.events import load, open_event
from kdscan.event.export import save_results
from kdscan.event.jobs import Batch, Progress, Workers
from kdscan.event.names import removed_names
from kdscan.event.prints import EventPrints, add_new_prints
from kdscan.event.results import (
    BLANK,
    CONFLICT,
    FAILED,
    OK,
    REVIEW,
    SAME_PHOTO,
    SAME_SHEET,
    Result,
)
from kdscan.event.sources import sources
from kdscan.event.store import open_store
from kdscan.event.tasks import prepare
from kdscan.files.names import escape_control
from kdscan.files.read import is_folder
from kdscan.files.write import STDOUT, missing_folder_error
from kdscan.i18n import Words
from kdscan.i18n.errors import error_text
from kdscan.inference.store import default_models
from kdscan.workers.pool import Limits, Pool, cores

SHOWN = 20
"""Most failures that are listed; the results contain all of them."""


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
                given = {file.name for file in files}
                gone = [name for name in removed_names(this) if name in given]
                _print_result(this.name, store, run.progress, this.rows, gone)
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


def _print_result(
    event: str,
    store: str | None,
    progress: Progress,
    rows: Iterable[Result],
    gone: Sequence[str] = (),
) -> None:
    """Print what the event now contains, and what somebody should look at.

    gone: names of photos that were given although they are removed.
    """
    w = terminal_words()
    t = w.t
    rows_of: dict[str, list[Result]] = defaultdict(list)
    count: Counter[str] = Counter()
    for row in rows:
        count[row.status] += 1
        if count[row.status] <= SHOWN:
            rows_of[row.status].append(row)
    print(f"{escape_control(event)}: {', '.join(_summary(progress, w))}")
    for pad, sheets in sorted(progress.learned.items()):
        line = t("learned from {n} sheets and used to read them: {name}", n=sheets, name=pad)
        print("  " + line)
    counted = count[OK] + count[REVIEW] + count[CONFLICT]
    print("  " + t("sheets: {n}, {review} of them to check", n=counted, review=count[REVIEW]))
    for line in _notable(rows_of, count, w):
        print("  " + line)
    if gone:
        print("  " + t("removed before, so not counted: {n}", n=len(gone)))
        for name in gone[:SHOWN]:
            back = shlex.join(["kdscan", "remove", "--undo", name])
            print(f"    {back} {same_event(event, store)}")
    if count[BLANK]:
        names = ", ".join(_named(row, w) for row in rows_of[BLANK])
        dots = ", …" if count[BLANK] > SHOWN else ""
        print("  " + t("blank pages: {n}", n=count[BLANK]) + f" ({names}{dots})")
    if count[REVIEW] or count[CONFLICT]:
        command = f"kdscan serve {same_event(event, store)}"
        print("  " + t("check them: {command}", command=command))


def _notable(
    rows_of: Mapping[str, Sequence[Result]], count: Mapping[str, int], w: Words
) -> Iterator[str]:
    """What failed, came twice, or is in conflict; rows_of, count: by status, the first rows and the
    number of all."""
    t = w.t
    titles = {
        FAILED: t("failed"),
        SAME_PHOTO: t("the same photo again"),
        SAME_SHEET: t("the same sheet again"),
        CONFLICT: t("different sheets with the same code: say whose is which"),
    }
    for status, title in titles.items():
        if count[status]:
            yield f"{title}: {count[status]}"
        for row in rows_of[status]:
            why = error_text(row.problem, w) if row.problem else t("see {name}", name=row.other)
            yield f"  {_named(row, w)}: {why}"
        if count[status] > SHOWN:
            yield "  " + t("… and {n} more", n=count[status] - SHOWN)


def _summary(progress: Progress, w: Words) -> Iterator[str]:
    """The numbers of pages that were read, now or before."""
    yield w.t("{n} read now", n=progress.read - progress.again)
    if progress.known:
        yield w.t("{n} already read", n=progress.known)
    if progress.twice:
        yield w.t("{n} given again", n=progress.twice)
    if progress.again:
        yield w.t("{n} read again", n=progress.again)


def _named(row: Result, w: Words) -> str:
    if row.photo is None or (row.photo.pages or 1) == 1:
        return row.file.name
    return w.t("{name}, page {n}", name=row.file.name, n=row.page + 1)
