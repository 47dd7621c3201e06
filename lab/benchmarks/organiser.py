"""An organiser at the desk of a cup who knows what is on paper; every tap and key is counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

from kdscan.event.games import SheetScore
from kdscan.imaging.formats import jpeg
from kdscan.paper.style import Ticket
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.scoring import score_board
from lab.synth.photo.camera import Level
from lab.synth.scene import draw_page, own_page, shoot

NAMES = (
    *("Ada Quill", "Bela Thorn", "Cora Finch", "Dario Moss", "Edda Brook", "Felix Crane"),
    *("Greta Holm", "Hugo Lark", "Ines Vale", "Jonas Reed", "Karla Stone", "Leo Marsh"),
    *("Mara Wren", "Nils Ford", "Olga Birch", "Paul Heath"),
)

ROUNDS = 4

ABSENT, NO_SHOW = 2, "Greta Holm"
"""The round in which this player does not come."""

LATE = (2, "Ada Quill")
"""The sheet that is found after the next round was paired."""

DROPPED = "Paul Heath"
"""Plays only three rounds."""

NO_CODE = {(1, "Cora Finch"), (1, "Leo Marsh"), (2, "Ines Vale"), (4, "Edda Brook")}
OTHERS_CODE = {(1, "Dario Moss"): (1, "Mara Wren"), (3, "Felix Crane"): (2, "Felix Crane")}
"""Sheets that bear another sheet's code."""

TWICE = (3, "Nils Ford")
DISPUTED = {(3, "Karla Stone"): True, (3, "Hugo Lark"): False}
"""Sheets with a disputed shield, and whether the arbiter changes it."""

LONG_SIDE = 2016


@dataclass
class Paper:
    """A sheet as it is on paper; board: as the arbiter sees it. by_hand: it has no readable
    photo."""

    round: int
    player: str
    board: Board
    castle_used: bool
    photos: list[Path] = field(default_factory=list)
    by_hand: bool = False

    def score(self) -> SheetScore:
        """Its score."""
        return SheetScore(0, self.round, None, self.player, score_board(self.board).worth)


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
    """A photo of a sheet. seed: the cup's, and the number of the photo of this sheet."""
    at = (paper.round, paper.player)
    rng = np.random.default_rng([seed[0], paper.round, NAMES.index(paper.player)])
    round_, owner = OTHERS_CODE.get(at, at)
    code = "" if at in NO_CODE else f"CUP/{round_}//{NAMES.index(owner) + 1}"
    page = own_page(ticket=Ticket(name=NAMES[NAMES.index(owner)], code=code))
    drawn = draw_page(rng, page=page, played=(paper.board, paper.castle_used), messiness=0.4)
    size = (LONG_SIDE, round(LONG_SIDE * 0.75))
    photo = shoot(rng.spawn(seed[1] + 1)[-1], drawn, level, size_wh=size)
    path.write_bytes(jpeg(photo.bgr, 95))


KEYS = dict(zip(Coat, "dDlLfc", strict=True))


@dataclass
class Work:
    """What the organiser did, by purpose."""

    taps: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    cards: Counter[str] = field(default_factory=Counter)


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
        """One key per letter."""
        self.work.keys[self.doing] += len(text)
        self.page.keyboard.type(text)

    # What eyes see

    def desk(self) -> dict[str, Any]:
        """What the desk knows now."""
        found: dict[str, Any] = self.page.request.get("/api/desk").json()
        return found

    def reading(self, photo: str) -> dict[str, Any]:
        """The reading of the single sheet of a photo."""
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
        """Pair the next round; returns who sits at which table."""
        self.doing = "rounds"
        self.tap(self.page.locator("[data-tab=rounds]"))
        self.tap(self.page.locator(".rounds button.main"))
        self.page.get_by_role("heading", name=f"Round {round_}").wait_for()
        games = [game for game in self.desk()["games"] if game["round"] == round_]
        return [tuple(seat["player"] for seat in game["seats"]) for game in games]

    def drop(self, name: str) -> None:
        """Have a player drop out."""
        self.doing = "drop out"
        self.tap(self.page.locator("[data-tab=players]"))
        self.tap(self.page.get_by_role("button", name=f"Drop out: {name}"))
        self.page.get_by_role("button", name=f"Rejoin: {name}").wait_for()

    def send(self, photos: Sequence[Path]) -> None:
        """Send photos from the start page, as from a phone's gallery, and return to the desk."""
        self.doing = "photos"
        self.work.taps[self.doing] += 2  # the link and the button; choosing happens on the phone
        self.page.goto("/")
        self.page.set_input_files("input[multiple]", photos)
        self.page.locator(".upload").first.wait_for()
        for waiting in (self.page.locator(".upload"), self.page.get_by_text("reading …")):
            expect(waiting).to_have_count(0, timeout=600_000)
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
        """Apply the remedy of the open card."""
        kind = (current.get_attribute("class") or "").removeprefix("card-")
        line = current.element_handle()
        title = f"this card goes: {current.inner_text()!r}"
        self.doing = f"cards: {kind}"
        self.work.cards[kind] += 1
        getattr(self, f"on_{kind}")()
        gone = kind in ("failed", "again")  # the page was a different one meanwhile
        self.until(lambda: gone or not line.evaluate("(one) => one.isConnected"), title)

    def until(self, so: Callable[[], bool], what: str) -> None:
        """Wait up to 15 s until a condition holds."""
        ends = time.monotonic() + 15
        while not so():
            if time.monotonic() > ends:
                raise SystemExit(f"in vain: {what}")
            self.page.wait_for_timeout(50)

    def whose(self) -> list[tuple[Locator, Paper]]:
        """The sheets that a card shows side by side, and what is on their paper."""
        sides = self.page.locator(".side").all()
        return [(side, self.by_photo[side.get_attribute("aria-label") or ""]) for side in sides]

    def answer(self, side: Locator, name: str) -> None:
        """Say whose a sheet is: with one key if the name is offered, else typed."""
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
        """Different sheets with one code: say which belongs to another."""
        sides = self.whose()
        if len({id(paper) for _, paper in sides}) == 1:
            self.press("1")
            return
        said = self.page.locator(".card-text").inner_text()
        side, paper = next(
            (side, paper)
            for side, paper in sides
            if paper.player not in said or paper.round != self.round_shown()
        )
        self.answer(side, paper.player)

    def round_shown(self) -> int:
        """The round of the open card."""
        text = self.page.locator(".card-title small").inner_text()
        return int("".join(c for c in text.split(",")[0] if c.isdigit()))

    def on_twice(self) -> None:
        """Two sheets of one player."""
        self.on_conflict()

    def on_owner(self) -> None:
        """A sheet without an owner."""
        [(side, paper)] = self.whose()
        self.answer(side, paper.player)

    def on_differs(self) -> None:
        """A sheet worth something else than the points that were called out: those on paper."""
        [(_, paper)] = self.whose()
        button = self.page.locator("button.answer").filter(has_text=f"{paper.score().total} points")
        self.press(button.locator("kbd").inner_text())

    def on_failed(self) -> None:
        """A photo that could not be read: remove it, and photograph the sheet again."""
        text = self.page.locator(".card-text").inner_text()
        paper = next(one for name, one in self.by_photo.items() if name in text)
        self.press("1")
        self.page.locator(".card-text").filter(has_text=text).wait_for(state="detached")
        if len(paper.photos) > 1:
            paper.by_hand = True
        else:
            self.again(paper)

    def on_again(self) -> None:
        """A photo that cuts off shields: photograph the sheet again."""
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
        """A missing sheet: enter a walkover, or points that somebody calls out."""
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
        """Doubtful marks: enter what is on paper for each, after which the sheet is right."""
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
        """Correct a shield if it was read differently."""
        coat, crosses = (real.coat, real.crosses) if real else (None, 0)
        if cell["coat"] != (coat and coat.value):
            self.press(KEYS[coat] if coat else ".")
            self.page.wait_for_timeout(150)
        if coat is not None and cell["crosses"] != crosses:
            self.press(str(crosses))
            self.page.wait_for_timeout(150)

    def on_rules(self) -> None:
        """A board that no game leads to: confirm it if it is as on paper, else correct it."""
        self.press("y")

    def photo_shown(self) -> str:
        """The file of the open sheet."""
        text = self.page.locator(".desk-sheet .file-name").inner_text()
        return next(name for name in self.by_photo if name in text)

    def dispute(self, paper: Paper, changed: bool) -> None:
        """A player disputes a shield: the arbiter finds the sheet, looks, and may change it."""
        self.doing = "disputes"
        self.press("/")
        self.type(f"{paper.player} {paper.round}")
        self.press("Escape")
        mine = self.page.locator(".queue li button").filter(has_text=f"round {paper.round}")
        self.tap(mine.first)  # tables of that number in other rounds are found as well
        self.page.locator(".desk-sheet .file-name").filter(has_text=paper.player).wait_for()
        if changed:
            at, shield = next(iter(paper.board.items()))
            coat = Coat.DOT if shield.coat is not Coat.DOT else Coat.LINE
            self.tap(self.page.locator(f'.board [data-cell="{at[0]},{at[1]}"]'))
            editor = self.page.locator("dialog")
            self.tap(editor.get_by_role("button", name=coat.value, exact=True).first)
            self.tap(editor.get_by_role("button", name="Done"))
            editor.wait_for(state="hidden")
            self.page.locator(".history").wait_for()
            paper.board = paper.board.with_shield(at, Shield(coat, shield.crosses))
