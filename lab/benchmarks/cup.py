"""A cup run with the page alone: the number of taps and keys at the desk, and whether it ends
right.

    python -m lab.benchmarks.cup [--photos FOLDER] [--level normal] [--seed 5] [--show FOLDER]

Sixteen players, four rounds, sixty sheets drawn and photographed by `lab.synth`: four without a
code, one with the code of another player and one with that of an earlier round, one photographed
twice, one late; one player does not come, one drops out, two dispute a shield. `kdscan serve` reads
them into a store of its own. Chromium works at its desk like an organiser who knows what is on
paper and only answers what is asked. It prints the number of taps and keys, and compares the
standings on the projector with the true ones.

--photos keeps the drawn photos for the next run; --show saves screenshots of the desk before each
round. Needs the extra `dev` and Chromium.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from kdscan.event.games import Game, Seat
from kdscan.event.standings import standings
from lab.benchmarks.organiser import (
    ABSENT,
    DISPUTED,
    DROPPED,
    LATE,
    NAMES,
    NO_SHOW,
    ROUNDS,
    Organiser,
    Paper,
    papers,
)
from lab.benchmarks.shared import parser


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of `kdscan serve` on a store of its own."""
    command = [sys.executable, "-m", "kdscan", "serve", "--host", "127.0.0.1", "--port", "0"]
    command += ["--store", str(folder / "cup.sqlite"), "--event", "Cup"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            addresses = (re.search(r"(https?://\S+?:\d+)/", line) for line in process.stdout)
            yield next(address[1] for address in addresses if address)
        finally:
            process.terminate()


def play(organiser: Organiser, show: Path | None) -> list[Game]:
    """Play the whole cup; returns its games as they were on paper."""
    sheets, truth = organiser.sheets, []
    late: list[Path] = []
    organiser.page.goto("/desk")
    organiser.enter(NAMES)
    for round_ in range(1, ROUNDS + 1):
        if round_ == ROUNDS:
            organiser.drop(DROPPED)
        tables = organiser.pair(round_)
        photos, late = late, []
        for table, seats in enumerate(tables, 1):
            if round_ == ABSENT and NO_SHOW in seats:
                winner = next(name for name in seats if name != NO_SHOW)
                truth.append(Game(round_, table, tuple(map(Seat, seats)), winner))
                continue
            truth.append(Game(round_, table, tuple(map(Seat, seats))))
            for player in seats if len(seats) == 2 else ():
                paper = sheets[round_, player]
                (late if (round_, player) == LATE else photos).extend(paper.photos)
        random.Random(round_).shuffle(photos)
        organiser.send(photos)
        if show:
            organiser.page.locator(".queue li, .desk-sheet .none").first.wait_for()
            organiser.page.screenshot(path=show / f"round-{round_}.png")
        organiser.settle()
        for (which, player), changed in DISPUTED.items():
            if which == round_:
                organiser.dispute(sheets[which, player], changed)
        organiser.settle()
    return [_scored(game, sheets) for game in truth]


def _scored(game: Game, sheets: dict[tuple[int, str], Paper]) -> Game:
    if game.walkover is not None or game.bye:
        return game
    at = game.round
    papers = [sheets[at, one.player] for one in game.seats]
    seats = [
        Seat(one.player, None, one.score().total) if one.by_hand else Seat(one.player, one.score())
        for one in papers
    ]
    return Game(at, game.table, tuple(seats))


def silently_wrong(organiser: Organiser) -> list[str]:
    """Sheets that count with a total other than the paper's."""
    found = []
    for one in organiser.desk()["sheets"]:
        paper = organiser.by_photo[one["name"]]
        if one["status"] != "ignored" and one["total"] != paper.score().total:
            found.append(f"{paper.player}, round {paper.round}: {one['total']}")
    return found


def main() -> None:
    """Play the cup and print the effort."""
    options = parser(__doc__)
    options.add_argument("--photos", type=Path)
    options.add_argument("--level", choices=("flat", "easy", "normal", "hard"), default="normal")
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--show", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = given.photos or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        sheets = papers(folder, given.seed, given.level)
        chromium = os.environ.get("KDSCAN_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with serving(Path(scratch)) as address:
            page = browser.new_page(
                base_url=address, viewport={"width": 1280, "height": 800}, locale="en"
            )
            page.set_default_timeout(60_000)
            organiser = Organiser(page, sheets, given.seed)
            games = play(organiser, given.show)
            page.goto("/standings")
            page.locator(".league").wait_for()
            shown = page.request.get("/api/standings").json()["standings"]
            expected = standings(NAMES, games)
            report(organiser, shown, expected)
        browser.close()


def report(organiser: Organiser, shown: Sequence[Any], expected: Sequence[Any]) -> None:
    """Print taps and keys, and whether the standings agree with the paper."""
    work = organiser.work
    for what in sorted({*work.taps, *work.keys}):
        cards = work.cards[what.removeprefix("cards: ")]
        of = f" ({cards} cards)" if cards else ""
        print(f"{what:18} {work.taps[what]:4} taps {work.keys[what]:4} keys{of}")
    print(f"{'all':18} {work.taps.total():4} taps {work.keys.total():4} keys")
    print(f"names to type {work.cards['a name to type']}")
    for line in silently_wrong(organiser):
        print("not as on paper:", line)
    ranks = [(one["player"], one["rank"], one["score"]) for one in shown]
    same = ranks == [(one.player, one.rank, one.score) for one in expected]
    print("places and scores as on paper" if same else "PLACES OR SCORES DIFFER")
    for one, other in zip(shown, expected, strict=True):
        if (one["player"], one["spread"]) != (other.player, other.spread):
            print(
                f"shown {one['player']} {one['spread']:g}, on paper {other.player} {other.spread:g}"
            )
    if not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
