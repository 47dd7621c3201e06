"""The whole pipeline, on photos made in the test."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from msgspec.structs import replace as changed

from kdscan import reader as reading
from kdscan.errors import NoSheetFound, UnreadableImage
from kdscan.imaging.photo import Pages, decode
from kdscan.imaging.picture import Photo, resolution
from kdscan.imaging.quality import shows_through
from kdscan.marks.network import MarkProbs
from kdscan.reader import read_page, read_photo
from kdscan.rules.duel.board import CELLS, Coat
from kdscan.sheets.base import AnyReading, correct, maps_of
from kdscan.sheets.duel_map import read as duel_map
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.kingdom import read as pipeline_kingdom
from kdscan.sheets.kingdom.model import KingdomReading
from kdscan.sheets.kingdom.read import DetectedKingdom, Kingdoms
from lab.synth.pads import pad_blank, pad_print
from lab.synth.scene import SynthPhoto, draw_page, own_page, shoot
from tests.hands import careful
from tests.readings import make_kingdom, make_sheet


@cache
def own_scan(seed: int) -> SynthPhoto:
    """Our own sheet by a careful hand, scanned."""
    rng = np.random.default_rng(seed)
    drawn = draw_page(rng, page=own_page(), messiness=0.0, hand=careful(rng))
    return shoot(rng, drawn, "flat", size_wh=(1700, 1275))


@cache
def own_reading(seed: int) -> MapReading:
    (sheet,) = maps_of(read_photo(Photo(own_scan(seed).bgr)))
    return sheet


GREY = Photo(np.full((600, 800, 3), 200, np.uint8))


def test_flat_sharp_pictures_of_our_own_sheet_are_read_without_a_fault() -> None:
    """lab/benchmarks/accuracy.py measures the share on more of them."""
    for seed in range(31_000_000, 31_000_006):
        assert own_reading(seed).board == own_scan(seed).board


def test_markers_prove_a_map_however_pale_its_print_is() -> None:
    """Against the light, or on a bad copy: what shows through paper is as pale, but has no markers
    the right way round."""
    ink = 255.0 - own_scan(31_000_001).bgr
    bleached = np.asarray(255 - 0.12 * ink, np.uint8)
    (sheet,) = maps_of(read_photo(Photo(bleached)))
    assert shows_through(sheet.rectified) and sheet.layout == "kdscan-a5"


def test_markers_or_clear_marks_prove_a_map_whose_castle_is_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lines drawn thick around a castle can make a shield of it."""
    monkeypatch.setattr(duel_map, "has_castle", lambda _: False)
    assert maps_of(read_photo(Photo(own_scan(31_000_001).bgr)))
    page, rng = pad_print(31_000_000, "pale"), np.random.default_rng(31_000_000)
    drawn = draw_page(rng, page=page, messiness=0.0)
    assert maps_of(read_photo(Photo(shoot(rng, drawn, "flat", size_wh=(1700, 1275)).bgr)))
    with pytest.raises(NoSheetFound):
        read_photo(Photo(pad_blank(31_000_000, page, "flat", (1700, 1275)).bgr))


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_turned_photo_gives_the_same_board(turns: int) -> None:
    synth = own_scan(31_000_001)
    (straight,) = maps_of(read_photo(Photo(synth.bgr)))
    (turned,) = maps_of(read_photo(Photo(np.ascontiguousarray(np.rot90(synth.bgr, turns)))))
    pairs = list(zip(straight.cells, turned.cells, strict=True))
    assert not [(a, b) for a, b in pairs if a.content != b.content]


@pytest.mark.parametrize("scale", [2.0, 1.25])
def test_a_large_photo_is_read_at_half_its_size_and_never_decoded_whole(scale: float) -> None:
    """Not even where its cells are somewhat smaller, in half of it, than what the network sees."""
    synth = own_scan(31_000_003)
    large = cv2.resize(synth.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    large = cv2.copyMakeBorder(
        large, 0, 2550 - large.shape[0], 0, 3400 - large.shape[1], cv2.BORDER_REPLICATE
    )
    data = cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
    photo = decode(data)[0]
    (sheet,) = maps_of(read_photo(photo))
    assert sheet.board == synth.board
    off = sheet.rectified.centers_xy - (scale * (synth.centers_xy + 0.5) - 0.5)
    pitch = resolution(sheet.rectified.centers_xy)
    assert np.abs(off).max() < 0.1 * pitch and (scale == 2 or 200 < pitch < 256)
    assert "bgr" not in vars(photo)


@pytest.mark.parametrize(("sure", "kind"), [(0.66, MapReading), (0.97, KingdomReading)])
def test_what_is_only_likely_tiles_is_a_map_where_there_surely_is_one(
    sure: float, kind: type[AnyReading], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "any_likely", lambda located: False)
    monkeypatch.setattr(reading, "read_kingdoms", lambda *_: Kingdoms((make_kingdom(),), sure))
    (one,) = read_photo(Photo(own_scan(31_000_001).bgr))
    assert isinstance(one, kind)


@pytest.mark.parametrize(
    ("sure", "looks"), [((0.991,), 1), ((0.985, 0.981), 2), ((0.985, 0.97), 2)]
)
def test_a_total_is_looked_at_again_until_it_is_surer_than_the_risk_asks_for(
    sure: tuple[float, ...], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fewer looks the surer, for one of several may be right by luck."""
    said = iter(sure)
    counts: list[int] = []

    def to_probs(logits: int, placed: float, calibration: object) -> MarkProbs:
        counts.append(logits)
        return make_sheet(confidence=next(said)).evidence.probs

    monkeypatch.setattr(duel_map, "to_probs", to_probs)
    monkeypatch.setattr(duel_map, "refine_crops", lambda photo, sheet, _: (sheet, iter((1, 2))))
    monkeypatch.setattr(duel_map, "_with_own_ink", lambda views, *_: views)
    read_photo(Photo(own_scan(31_000_001).bgr), risk=0.02)
    assert counts[-1] == looks and next(said, None) is None


def test_who_names_the_game_waits_for_no_search_for_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "locate_all", lambda *_: pytest.fail("maps were looked for"))
    monkeypatch.setattr(reading, "read_kingdoms", lambda *_: Kingdoms((make_kingdom(),), 0.66))
    (one,) = read_photo(GREY, game="kingdomino")
    assert isinstance(one, KingdomReading)


@pytest.mark.parametrize(
    ("sure", "plain", "other", "left"),
    [(0.99, False, 0.06, 1), (0.5, True, 0.06, 1), (0.5, False, 0.06, 1), (0.99, True, 0.35, 2)],
)
def test_what_no_dominoes_can_lie_as_and_hardly_is_a_kingdom_is_none(
    sure: float, plain: bool, other: float, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yellow table ruled in squares looks like a field of wheat. One whose total is sure is a
    kingdom, however strange its castle looks."""
    table = make_kingdom("\n".join(["w w w w w"] * 2 + ["w w ## w w"] + ["w w w w w"] * 2))
    assert any(problem.severity == "error" for problem in table.problems)
    kingdom = make_kingdom(doubtful={} if plain else {(4, 0): ("grassland", 1)})
    found = [DetectedKingdom(table.evidence, other), DetectedKingdom(kingdom.evidence, sure)]
    monkeypatch.setattr(pipeline_kingdom, "find_kingdoms", lambda *_: found)
    *others, last = read_photo(GREY, game="kingdomino")
    assert len(others) == left - 1
    assert isinstance(last, KingdomReading) and last.score == kingdom.score


@pytest.mark.parametrize(
    ("layout", "placed", "sure", "map_there"),
    [
        ("unknown", 0.95, 0.3, False),
        ("unknown", 0.95, 0.7, True),
        ("unknown", 0.99, 0.3, True),
        ("kdscan-a5", 0.95, 0.3, True),
    ],
)
def test_what_is_ruled_and_can_neither_be_named_placed_nor_read_is_no_map(
    layout: str, placed: float, sure: float, map_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sheets of other games are ruled as well; whoever names the game is believed."""
    read = make_sheet()
    cells = tuple(changed(cell, confidence=sure) for cell in read.cells)
    read = replace(
        read,
        evidence=replace(
            read.evidence, layout=layout, rectified=replace(read.rectified, confidence=placed)
        ),
        cells=cells,
    )
    monkeypatch.setattr(duel_map, "interpret", lambda *_: read)
    photo = Photo(own_scan(31_000_001).bgr)
    (named,) = read_photo(photo, game="duel")
    assert named is read
    if map_there:
        assert read_photo(photo) == (read,)
    else:
        with pytest.raises(NoSheetFound, match="no map was found"):
            read_photo(photo)


def test_a_castle_without_a_tile_is_a_kingdom_only_to_who_names_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Painted maps of the other game look like one more often than not."""
    bare = make_kingdom("\n".join([". . . . ."] * 2 + [". . ## . ."] + [". . . . ."] * 2))
    found = [DetectedKingdom(bare.evidence, 0.99)]
    monkeypatch.setattr(pipeline_kingdom, "find_kingdoms", lambda *_: found)
    (named,) = read_photo(GREY, game="kingdomino")
    assert [problem.code for problem in named.problems] == ["no_tiles"]
    with pytest.raises(NoSheetFound):
        read_photo(GREY)


def test_squares_that_say_nothing_are_no_kingdom(monkeypatch: pytest.MonkeyPatch) -> None:
    kingdom = make_kingdom()
    noise = replace(kingdom, cells=tuple(changed(s, confidence=0.05) for s in kingdom.cells))
    found = [DetectedKingdom(kingdom.evidence, 0.99)]
    monkeypatch.setattr(pipeline_kingdom, "find_kingdoms", lambda *_: found)
    assert len(read_photo(GREY, game="kingdomino")) == 1
    monkeypatch.setattr(
        pipeline_kingdom, "decode_kingdoms", lambda evidence, _: (noise,) * len(evidence)
    )
    with pytest.raises(NoSheetFound, match="no kingdom"):
        read_photo(GREY, game="kingdomino")


def test_a_picture_without_a_map_is_an_error_with_a_remedy() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (600, 800, 3), np.uint8)
    for bgr in (GREY.bgr, noise):
        with pytest.raises(NoSheetFound, match="take the photo again"):
            read_photo(Photo(bgr))


def test_a_tiny_picture_is_no_map_either() -> None:
    with pytest.raises(NoSheetFound):
        read_photo(Photo(np.zeros((1, 1, 3), np.uint8)))


def test_a_correction_changes_the_score_and_keeps_what_was_seen() -> None:
    synth, sheet = own_scan(31_000_002), own_reading(31_000_002)
    at = next(cell for cell in CELLS if cell in synth.board)
    before = next(c for c in sheet.cells if c.at == at)
    again = correct(sheet, {at: (Coat.FILLED, 4)})
    after = next(c for c in again.cells if c.at == at)
    assert after.content == (Coat.FILLED, 4)
    assert after.seen == before.content
    assert after.confidence == pytest.approx(again.evidence.probs.placed)
    domain = next(d for d in again.score.domains if at in d.cells)
    assert domain.coat is Coat.FILLED
    assert domain.crosses >= 4


def test_what_the_rules_forbid_is_a_problem_and_changes_nothing_else() -> None:
    synth, sheet = own_scan(31_000_002), own_reading(31_000_002)
    shown = next(cell for cell in CELLS if cell in synth.board)
    again = correct(sheet, {shown: (Coat.FILLED, 4), (0, 0): (Coat.DOT, 4), (4, 6): (Coat.DOT, 3)})
    (crosses,) = [p for p in again.problems if p.code == "bonus_crosses"]
    assert crosses.severity == "error"
    assert set(crosses.cells) <= {shown, (0, 0), (4, 6)}
    assert [c.content[0] for c in again.cells if c.at == (4, 6)] == [Coat.DOT]


def test_a_photo_whose_whole_cannot_be_decoded_is_an_error_and_no_bug() -> None:
    """At half its size it could, and a map was seen there."""
    half = own_scan(31_000_002).bgr[::2, ::2].copy()

    def read(page: int, whole: bool) -> tuple[np.ndarray, bool]:
        if whole:
            raise UnreadableImage("decoding it took more memory or time than any photo needs")
        return half, True

    pages = Pages("huge.jpg", 1, read)
    report, photo = read_page(pages, 0)
    assert isinstance(report.error, UnreadableImage)
    assert photo is not None and not report.sheets


@pytest.mark.parametrize("risk", [-1.0, float("nan")])
def test_a_risk_below_0_is_refused(risk: float) -> None:
    """One below 0 never ended, and one that is no number asked for no look at anything."""
    with pytest.raises(ValueError, match="a probability"):
        read_photo(Photo(np.zeros((9, 9, 3), np.uint8)), risk=risk)
