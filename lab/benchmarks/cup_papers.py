"""The sheets of a cup of sixteen as they are on paper: players, odd sheets, and photos."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kdscan.event.games import SheetScore
from kdscan.imaging.formats import jpeg
from kdscan.paper.look import Ticket
from kdscan.rules.duel.board import Board
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
