"""A cup run by the page alone: how many taps and keys the desk needs, and whether it ends right.

    python benchmarks/cup.py [--photos FOLDER] [--level normal] [--seed 5] [--show FOLDER]

Sixteen players, four rounds, sixty sheets drawn and photographed by `kdscan.synth`: four without
a code, one with the code of another player and one with that of a round before, one photographed
twice, one late; a player does not come, one drops out, two dispute a shield. `kdscan serve` reads
them into a store of its own, and Chromium works at its desk as an organiser would, who knows what
stands on paper and answers what is asked, no more. It prints the taps and keys that took, and
compares the standings on the projector with those of the truth.

--photos keeps the drawn photos for the next time; --show writes what the desk shows before each
round. Needs the extra `dev` and Chromium.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from playwright.sync_api import Locator, Page, expect, sync_playwright

from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.players import play_game
from kdscan.game.duel.scoring import score_board
from kdscan.sheet.look import Ticket
from kdscan.synth.__main__ import own_page
from kdscan.synth.scene import Level, draw_page, shoot
from kdscan.tournament.games import Game, Seat, SheetScore
from kdscan.tournament.standings import standings

NAMES = (
    *("Ada Quill", "Bela Thorn", "Cora Finch", "Dario Moss", "Edda Brook", "Felix Crane"),
    *("Greta Holm", "Hugo Lark", "Ines Vale", "Jonas Reed", "Karla Stone", "Leo Marsh"),
    *("Mara Wren", "Nils Ford", "Olga Birch", "Paul Heath"),
)

ROUNDS = 4

ABSENT, NO_SHOW = 2, "Greta Holm"
"""In that round this player does not come."""

LATE = (2, "Ada Quill")
"""The sheet that is found when the next round has been paired."""

DROPPED = "Paul Heath"
"""Plays three rounds."""

NO_CODE = {(1, "Cora Finch"), (1, "Leo Marsh"), (2, "Ines Vale"), (4, "Edda Brook")}
OTHERS_CODE = {(1, "Dario Moss"): (1, "Mara Wren"), (3, "Felix Crane"): (2, "Felix Crane")}
"""Sheets that bear the code of another."""

TWICE = (3, "Nils Ford")
DISPUTED = {(3, "Karla Stone"): True, (3, "Hugo Lark"): False}
"""Sheets of which a shield is disputed, and whether the arbiter sees it otherwise."""

KEYS = dict(zip(Coat, "dDlLfc", strict=True))
LONG_SIDE = 2016


@dataclass
class Paper:
    """A sheet as it is on paper; board: as the arbiter sees it. by_hand: no photo of it is read."""

    round: int
    player: str
    board: Board
    castle_used: bool
    photos: list[Path] = field(default_factory=list)
    by_hand: bool = False

    def score(self) -> SheetScore:
        """What it is worth."""
        found = score_board(self.board)
        largest = max((len(one.cells) for one in found.domains), default=0)
        return SheetScore(0, self.round, None, self.player, found.domain_points, largest)


@dataclass
class Work:
    """What the organiser did, by what it was done for."""

    taps: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    cards: Counter[str] = field(default_factory=Counter)


def papers(folder: Path, seed: int, level: Level) -> dict[tuple[int, str], Paper]:
    """Every sheet that may be played, drawn and photographed into a folder."""
    found = {}
    for round_ in range(1, ROUNDS + 1):
        for number, player in enumerate(NAMES, 1):
            game = play_game(seed * 1000 + round_ * 100 + number)
            paper = Paper(round_, player, game.drawings[0].board(), game.castle_used[0])
            times = 2 if (round_, player) == TWICE else 1
            paper.photos = [
                folder / f"IMG_{seed % 10}{round_}{number:02d}{n}.jpg" for n in range(times)
            ]
            for n, path in enumerate(paper.photos):
                if not path.is_file():
                    photograph(paper, path, (seed, n), level)
            found[round_, player] = paper
    return found


def photograph(paper: Paper, path: Path, seed: tuple[int, int], level: Level) -> None:
    """A photo of a sheet. seed: the cup's, and which photo of the sheet it is."""
    at = (paper.round, paper.player)
    rng = np.random.default_rng([seed[0], paper.round, NAMES.index(paper.player)])
    round_, owner = OTHERS_CODE.get(at, at)
    code = "" if at in NO_CODE else f"CUP/{round_}//{NAMES.index(owner) + 1}"
    page = own_page(ticket=Ticket(name=NAMES[NAMES.index(owner)], code=code))
    marks = {place: (shield.coat, shield.crosses) for place, shield in paper.board.items()}
    drawn = draw_page(rng, page=page, played=(marks, paper.castle_used), mess=0.4)
    size = (LONG_SIDE, round(LONG_SIDE * 0.75))
    photo = shoot(rng.spawn(seed[1] + 1)[-1], drawn, level, size_wh=size)
    path.write_bytes(cv2.imencode(".jpg", photo.bgr)[1].tobytes())


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """`kdscan serve` with a store of its own; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kdscan", "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--event", "Cup", "--store", str(folder / "cup.sqlite")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx.get(f"{address}/health", timeout=60).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


class Organiser:
    """Somebody at the desk, whose taps and keys are counted."""

    def __init__(self, page: Page, sheets: dict[tuple[int, str], Paper], seed: int) -> None:
        self.page, self.work, self.doing = page, Work(), ""
        self.sheets, self.seed = sheets, seed
        self.by_photo = {path.name: one for one in sheets.values() for path in one.photos}

    # What a hand does

    def tap(self, what: Locator) -> None:
        """One tap or click."""
        self.work.taps[self.doing] += 1
        what.click()

    def press(self, key: str) -> None:
        """One key."""
        self.work.keys[self.doing] += 1
        self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """A key a letter."""
        self.work.keys[self.doing] += len(text)
        self.page.keyboard.type(text)

    # What eyes see

    def desk(self) -> dict[str, Any]:
        """What the desk knows now."""
        found: dict[str, Any] = self.page.request.get("/api/desk").json()
        return found

    def reading(self, photo: str) -> dict[str, Any]:
        """How the one sheet of a photo is read."""
        sheet = next(one["id"] for one in self.desk()["sheets"] if one["name"] == photo)
        found: dict[str, Any] = self.page.request.get(f"/api/sheets/{sheet}").json()
        return found

    # What an organiser does

    def enter(self, names: Sequence[str]) -> None:
        """Enter the players."""
        self.doing = "players"
        self.tap(self.page.locator("[data-tab=players]"))
        self.tap(self.page.get_by_label("Name", exact=True))
        for n, name in enumerate(names, 1):
            self.type(name)
            self.press("Enter")
            self.page.locator(".people li").nth(n - 1).wait_for()

    def pair(self, round_: int) -> list[tuple[str, ...]]:
        """Pair the next round; gives who sits at which table."""
        self.doing = "rounds"
        self.tap(self.page.locator("[data-tab=rounds]"))
        self.tap(self.page.locator(".rounds button.main"))
        self.page.get_by_role("heading", name=f"Round {round_}").wait_for()
        games = [game for game in self.desk()["games"] if game["round"] == round_]
        return [tuple(seat["player"] for seat in game["seats"]) for game in games]

    def drop(self, name: str) -> None:
        """A player drops out."""
        self.doing = "drop out"
        self.tap(self.page.locator("[data-tab=players]"))
        self.tap(self.page.get_by_role("button", name=f"{name} drops out"))
        self.page.get_by_role("button", name=f"{name} comes back").wait_for()

    def send(self, photos: Sequence[Path]) -> None:
        """Send photos from the start page, as from a phone's gallery, and come to the desk."""
        self.doing = "photos"
        self.work.taps[self.doing] += 2  # the link and the button; what is chosen, the phone counts
        self.page.goto("/")
        self.page.set_input_files("input[multiple]", photos)
        self.page.locator(".upload").first.wait_for()
        expect(self.page.locator(".upload")).to_have_count(0, timeout=600_000)
        self.page.wait_for_timeout(200)
        self.tap(self.page.get_by_role("link", name="Desk"))
        self.page.locator("[data-tab=settle][aria-pressed=true]").wait_for()

    def settle(self) -> None:
        """Settle the cards from the first one on, until there are none."""
        self.page.locator("[data-tab=settle]").wait_for()
        if self.page.locator("[data-tab=settle]").get_attribute("aria-pressed") != "true":
            self.doing = "cards"
            self.tap(self.page.locator("[data-tab=settle]"))
        while True:
            self.page.wait_for_timeout(300)
            self.until(lambda: not self.page.locator(".desk-body[inert]").count(), "the card opens")
            current = self.page.locator(".queue li:has([aria-current])")
            if not current.count():
                assert not self.desk()["cards"], "cards that the page doesn't show"
                return
            self.one_card(current)

    def one_card(self, current: Locator) -> None:
        """The remedy of the card that is open."""
        kind = (current.get_attribute("class") or "").removeprefix("card-")
        line = current.element_handle()
        title = f"this card goes: {current.inner_text()!r}"
        self.doing = f"cards: {kind}"
        self.work.cards[kind] += 1
        getattr(self, f"on_{kind}")()
        gone = kind in ("failed", "again")  # the page was another one meanwhile
        self.until(lambda: gone or not line.evaluate("(one) => one.isConnected"), title)

    def until(self, so: Callable[[], bool], what: str, seconds: float = 15.0) -> None:
        """Wait until something is so."""
        ends = time.monotonic() + seconds
        while not so():
            if time.monotonic() > ends:
                raise SystemExit(f"in vain: {what}")
            self.page.wait_for_timeout(50)

    def whose(self) -> list[tuple[Locator, Paper]]:
        """The sheets that a card shows side by side, and what they are on paper."""
        sides = self.page.locator(".side").all()
        return [(side, self.by_photo[side.get_attribute("aria-label") or ""]) for side in sides]

    def answer(self, side: Locator, name: str) -> None:
        """Whose a sheet is: one key where it is offered, else typed."""
        offered = side.locator("button.answer").filter(has_text=name)
        if offered.count():
            key = offered.first.locator("kbd")
            self.press(key.inner_text()) if key.count() else self.tap(offered.first)
            return
        self.work.cards["a name to type"] += 1
        self.tap(side.get_by_label("Somebody else"))
        self.type(name)
        self.press("Enter")

    def on_conflict(self) -> None:
        """Different sheets with one code: which of them is another's."""
        sides = self.whose()
        if len({id(paper) for _, paper in sides}) == 1:
            self.press("1")
            return
        heading = self.page.locator(".side h3").first.inner_text()
        side, paper = next(
            (side, paper)
            for side, paper in sides
            if paper.player not in heading or paper.round != self.round_shown()
        )
        self.answer(side, paper.player)

    def round_shown(self) -> int:
        """The round that the open card is about."""
        text = self.page.locator(".card-title small").inner_text()
        return int("".join(c for c in text.split(",")[0] if c.isdigit()))

    def on_twice(self) -> None:
        """Two sheets of one player."""
        self.on_conflict()

    def on_owner(self) -> None:
        """A sheet without an owner."""
        [(side, paper)] = self.whose()
        self.answer(side, paper.player)

    def on_failed(self) -> None:
        """A photo that could not be read: it is taken out, and the sheet photographed again."""
        text = self.page.locator(".card-text").inner_text()
        paper = next(one for name, one in self.by_photo.items() if name in text)
        self.press("1")
        self.page.locator(".card-text").filter(has_text=text).wait_for(state="detached")
        if len(paper.photos) > 1:
            paper.by_hand = True
        else:
            self.again(paper)

    def on_again(self) -> None:
        """A photo that cuts shields off: the sheet is photographed again."""
        self.again(self.by_photo[self.photo_shown()])

    def again(self, paper: Paper) -> None:
        """Photograph a sheet once more, with more care."""
        path = paper.photos[0].with_stem(f"{paper.photos[0].stem[:-1]}{9 - len(paper.photos)}")
        if not path.is_file():
            photograph(paper, path, (self.seed, 9 - len(paper.photos)), "easy")
        paper.photos.append(path)
        self.by_photo[path.name] = paper
        doing, self.doing = self.doing, "photos"
        self.send([path])
        self.doing = doing

    on_opponent = on_owner

    def on_missing(self) -> None:
        """A sheet that did not come: a walkover, or points that somebody calls out."""
        fields = self.page.locator(".points-field input")
        names = [one.get_attribute("name") or "" for one in fields.all()]
        if NO_SHOW in names:
            winner = next(name for name in names if name != NO_SHOW)
            button = self.page.locator("button.answer").filter(has_text=f"{winner} wins")
            self.press(button.locator("kbd").inner_text())
            return
        round_ = self.round_shown()
        called = [n for n in names if (round_, n) == LATE or self.sheets[round_, n].by_hand]
        if not called:
            seen = [(one["name"], one["player"], one["status"]) for one in self.desk()["sheets"]]
            raise SystemExit(f"nobody knows why a sheet of {names} is missing: {seen}")
        for name in called:
            self.tap(fields.nth(names.index(name)))
            self.type(str(self.sheets[round_, name].score().total))
        self.press("Enter")

    def on_look(self) -> None:
        """Doubtful marks: each is told what stands on paper, then the sheet is right."""
        photo = self.photo_shown()
        paper = self.by_photo[photo]
        for _ in range(40):
            read = self.reading(photo)
            if read["confirmed"] or not read["review"]:
                return
            doubts = [cell for cell in read["cells"] if cell["review"]]
            at = self.page.evaluate("document.activeElement?.dataset?.cell ?? null")
            doubt = next((one for one in doubts if f"{one['row']},{one['col']}" == at), None)
            if doubt is None:
                self.press("n" if doubts else "y")
                self.page.wait_for_timeout(150)
                continue
            self.say(doubt, paper.board.get((doubt["row"], doubt["col"])))
            self.press("Enter")
            self.page.wait_for_timeout(250)
        raise SystemExit(f"{photo}: the desk asks for ever")

    def say(self, cell: dict[str, Any], real: Shield | None) -> None:
        """What a shield holds, where it is read otherwise."""
        coat, crosses = (real.coat, real.crosses) if real else (None, 0)
        if cell["coat"] != (coat and coat.value):
            self.press(KEYS[coat] if coat else ".")
            self.page.wait_for_timeout(150)
        if coat is not None and cell["crosses"] != crosses:
            self.press(str(crosses))
            self.page.wait_for_timeout(150)

    def on_rules(self) -> None:
        """A board that no game leads to: it is as on paper, or the reading is wrong."""
        self.press("y")

    def photo_shown(self) -> str:
        """The file of the sheet that is open."""
        text = self.page.locator(".desk-sheet .file-name").inner_text()
        return next(name for name in self.by_photo if name in text)

    def dispute(self, paper: Paper, changed: bool) -> None:
        """A player disputes a shield: the arbiter finds the sheet, looks, and may say otherwise."""
        self.doing = "disputes"
        self.press("/")
        self.type(f"{paper.player} {paper.round}")
        self.press("Escape")
        mine = self.page.locator(".queue li button").filter(has_text=f"round {paper.round}")
        self.tap(mine.first)  # a table of that number in another round is found as well
        self.page.locator(".desk-sheet .file-name").filter(has_text=paper.player).wait_for()
        if changed:
            at, shield = next(iter(paper.board.items()))
            coat = Coat.DOT if shield.coat is not Coat.DOT else Coat.LINE
            self.tap(self.page.locator(f'.board [data-cell="{at[0]},{at[1]}"]'))
            editor = self.page.locator("dialog")
            self.tap(editor.get_by_role("button", name=coat.value, exact=True).first)
            self.tap(editor.get_by_role("button", name="That is it"))
            editor.wait_for(state="hidden")
            self.page.locator(".history").wait_for()
            paper.board = paper.board.with_shield(at, Shield(coat, shield.crosses))


def play(organiser: Organiser, show: Path | None) -> list[Game]:
    """The whole cup; gives its games as they were on paper."""
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
    """Sheets that count with another total than the paper's."""
    found = []
    for one in organiser.desk()["sheets"]:
        paper = organiser.by_photo[one["name"]]
        if one["status"] != "ignored" and one["total"] != paper.score().total:
            found.append(f"{paper.player}, round {paper.round}: {one['total']}")
    return found


def main() -> None:
    """Play the cup and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--level", choices=("flat", "easy", "normal", "hard"), default="normal")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--show", type=Path)
    given = parser.parse_args()
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
    """Print taps and keys, and whether the standings are those of the paper."""
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
