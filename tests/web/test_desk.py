"""The desk over HTTP: every problem of the event is a card, each with a remedy that can be
undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from kdscan.errors import NoSheetFound
from kdscan.event.rules import RuleChanges, ensure_rules
from kdscan.event.store import Store, open_store
from kdscan.event.store.events import ensure_event, ensure_player, find_event
from kdscan.event.store.photos import add_file, photos, set_pages
from kdscan.event.store.readings import add_reading
from kdscan.i18n import words
from kdscan.rules.duel.players import play_game
from kdscan.sheets.duel_map.interpret import interpret
from kdscan.web.openapi import OPERATIONS
from kdscan.web.requests import ON_PAGE
from tests.event.entries import MODELS, came_in, entry
from tests.readings import make_sheet, with_evidence
from tests.web.conftest import DESK, JOIN, serving, settings

BOARDS = [str(board) for seed in range(6) for board in play_game(seed).maps]
CUP = "Spring cup"


@pytest.fixture
def cup(tmp_path: Any) -> Iterator[Store]:
    with open_store(str(tmp_path / "cup.sqlite")) as opened:
        yield opened


@contextmanager
def at_desk(cup: Store) -> Iterator[Desk]:
    with serving(cup, settings()) as page, httpx.Client(base_url=page.address) as client:
        client.timeout = 60
        come_in(client, DESK)
        yield Desk(client)


def come_in(client: httpx.Client, code: str) -> None:
    assert client.post("/join", data={"code": code}).status_code == 303
    client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]


class Desk:
    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def see(self) -> dict[str, Any]:
        view: dict[str, Any] = self.client.get("/api/desk").json()
        return view

    def do(self, path: str, status: int = 200, **body: Any) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def pair(self, *players: str) -> dict[str, Any]:
        """Enter players and pair a round."""
        for name in players:
            self.do("/api/event/player", name=name)
        return self.do("/api/event/pair")

    def kinds(self) -> list[str]:
        return [card["kind"] for card in self.see()["cards"]]


def sheet_of(cup: Store, board: int, code: str | None, name: str, **more: Any) -> None:
    came_in(cup, name, with_evidence(make_sheet(BOARDS[board], **more), sheet_id=code), event=CUP)


def test_every_complaint_is_a_card_with_its_remedy(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, CUP)
        add_file(
            db, event.id, "broken.jpg", None, error={"code": "unreadable_image", "message": ""}
        )
    with at_desk(cup) as desk:
        view = desk.pair("Ada", "Bob", "Cleo", "Dan")
        assert [len(game["seats"]) for game in view["games"]] == [2, 2]
        (a, b), (c, d) = ([seat["player"] for seat in game["seats"]] for game in view["games"])
        number = {player["name"]: player["number"] for player in view["players"]}
        sheet_of(cup, 0, f"CUP/1//{number[a]}", "a.jpg")
        sheet_of(cup, 1, f"CUP/1//{number[a]}", "b.jpg")  # the code of another
        sheet_of(cup, 2, None, "c.jpg", doubtful=[(0, 1)])
        found = {card["kind"]: card for card in desk.see()["cards"]}
        assert list(found) == ["conflict", "owner", "look", "failed", "missing"]
        assert set(found["owner"]["players"]) == {a, b, c, d}
        # Whose is which, in one go, and back again.
        second = found["conflict"]["sheets"][1]
        at = f"/api/sheets/{second['id']}/place"
        desk.do(at, player=b, round=1, table=None, own=True)
        assert "conflict" not in desk.kinds()
        undo = desk.see()["undo"]
        said = (undo["text"], undo["values"], undo["sheet"])
        assert said == ("the player of {name}", {"name": "b.jpg"}, second["id"])
        desk.do("/api/event/undo")
        assert "conflict" in desk.kinds()
        desk.do(at, player=b, round=1, table=None, own=True)
        # A name that nobody has is asked about.
        (owner,) = [card for card in desk.see()["cards"] if card["kind"] == "owner"]
        at = f"/api/sheets/{owner['sheets'][0]['id']}/place"
        error = desk.do(at, 409, player=f"{c}x", round=1, table=None)["error"]
        assert error["code"] == "refused" and error["known"] == [c]
        assert error["message"] == f"{c}x? {c} plays this round."
        desk.do(at, player=c, round=1, table=None)
        # A no-show, a photo taken out, and the round is over but for one look.
        desk.do("/api/event/result", round=1, table=2, walkover=c)
        desk.do("/api/event/remove", file="broken.jpg")
        assert desk.kinds() == ["look"]
        desk.do("/api/event/undo")
        assert desk.kinds() == ["look", "failed"]
        # The next round is paired, and taken back.
        view = desk.do("/api/event/pair")
        assert view["last_round"] == 2 and view["undo"]["text"] == "the pairing of round {n}"
        assert desk.do("/api/event/undo")["last_round"] == 1
        # Who drops out comes back by undoing too.
        view = desk.do("/api/event/player", name=a, active=False)
        assert [one["active"] for one in view["players"] if one["name"] == a] == [False]
        # ... unless that was so before.
        desk.do("/api/event/player", name=a, active=False)
        view = desk.do("/api/event/undo")
        assert [one["active"] for one in view["players"] if one["name"] == a] == [False]
        view = desk.do("/api/event/undo")
        assert [one["active"] for one in view["players"] if one["name"] == a] == [True]
        # A player's number will do.
        view = desk.do("/api/event/player", name="2", active=False)
        assert [one["name"] for one in view["players"] if not one["active"]] == ["Bob"]
        assert view["undo"]["values"] == {"name": "Bob"}
        assert all(one["active"] for one in desk.do("/api/event/undo")["players"])


def test_of_a_scan_the_page_that_failed_is_taken_out(cup: Store) -> None:
    sheet_of(cup, 0, None, "scan.pdf")
    with cup.write() as db:
        photo = photos(db, find_event(db, CUP).id)[0]
        set_pages(db, photo.id, 2)
        failed = entry(error=NoSheetFound("there is none"), page=1)
        add_reading(db, photo, 1, MODELS, failed, [], 0.1)
    with at_desk(cup) as desk:
        (card,) = desk.see()["cards"]
        assert (card["kind"], card["values"]["name"]) == ("failed", "scan.pdf#2")
        view = desk.do("/api/event/remove", file=card["file"])
        assert not view["cards"] and len(view["sheets"]) == 1


def test_a_first_round_paired_again_can_be_undone(cup: Store) -> None:
    with cup.write() as db:
        event = ensure_event(db, CUP)
        for name in ("Ada", "Bob"):
            ensure_player(db, event.id, name)
    with at_desk(cup) as desk:
        assert desk.do("/api/event/pair", again=True)["last_round"] == 1
        assert desk.do("/api/event/pair", again=True)["last_round"] == 1
        assert desk.do("/api/event/undo")["last_round"] == 0


def test_of_a_round_paired_again_the_last_pairing_is_undone_first(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.pair("Ada", "Bob", "Cleo", "Dan")
        desk.do("/api/event/player", name="Dan", active=False)
        assert desk.do("/api/event/pair", again=True)["undo"]["text"] == "the pairing of round {n}"
        seen = desk.see()["undo"]["id"]
        for _ in range(2):  # the first answer was lost
            view = desk.do("/api/event/undo", correction=seen)
            assert view["last_round"] == 0 and view["undo"]["text"] == "{name} dropping out"
        desk.do("/api/event/undo", 409, correction=seen - 1)


def test_two_players_of_one_name_are_told_apart(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.do("/api/event/player", name="Ada")
        refused = desk.do("/api/event/player", status=409, name="ada ")["error"]
        assert "Ada is in the list already" in refused["message"]
        desk.do("/api/event/player", name="Ada", active=False)
        (ada,) = desk.do("/api/event/player", name="Ada")["players"]
        assert ada["active"]


def test_what_cannot_be_paired_is_told_without_commands(cup: Store) -> None:
    with cup.write() as db:
        ensure_rules(db, CUP, RuleChanges(rounds=1))
    assert set(ON_PAGE) <= set(words("de").messages)
    with at_desk(cup) as desk:

        def refused() -> str:
            return str(desk.do("/api/event/pair", status=409)["error"]["message"])

        assert refused() == f"{CUP}: too few players (0); add them under Players."
        desk.pair("Ada", "Bob")
        assert refused().endswith("photograph the sheets, or enter the points.")
        desk.do("/api/event/result", round=1, table=1, walkover="Ada")
        assert refused() == f"{CUP}: all rounds are paired (1)."


def test_a_sheet_handed_in_twice_counts_once(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.pair("Ada", "Bob")
        for n, name in enumerate(("a.jpg", "b.jpg")):
            sheet_of(cup, n, None, name)
        first, second = sorted(s["id"] for s in desk.see()["sheets"])
        for sheet in (first, second):
            desk.do(f"/api/sheets/{sheet}/place", player="Ada", round=1, table=None)
        assert desk.kinds() == ["twice", "missing"]
        desk.do(f"/api/sheets/{second}/ignore", ignored=True)
        assert desk.kinds() == ["missing"]
        desk.do("/api/event/undo")
        desk.do(f"/api/sheets/{second}/same", of=first)
        assert desk.kinds() == ["missing"]


def test_a_late_sheet_that_differs_from_the_points_entered_is_asked_about(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.pair("Ada", "Bob")
        at = {"round": 1, "table": 1}
        desk.do("/api/event/result", **at, points={"Ada": 99, "Bob": 20})
        desk.do("/api/event/result", **at, points={"Ada": 98})  # a slip of the pen
        desk.do("/api/event/result", **at, points={"Ada": 98})  # and again, at another desk
        sheet_of(cup, 0, "CUP/1//1", "a.jpg")
        (card,) = desk.see()["cards"]
        assert (card["kind"], card["player"], card["values"]["points"]) == ("differs", "Ada", "98")
        assert card["sheets"][0]["name"] == "a.jpg"
        desk.do("/api/event/result", **at, points={"Ada": 98})  # as entered
        assert desk.kinds() == []
        desk.do("/api/event/undo")
        desk.do("/api/event/result", **at, points={"Ada": card["sheets"][0]["total"]})
        assert desk.kinds() == []


def test_a_walkover_is_asked_about_when_both_sheets_come_in(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.pair("Ada", "Bob")
        at = {"round": 1, "table": 1}
        desk.do("/api/event/result", **at, walkover="Bob")
        sheet_of(cup, 0, "CUP/1//1", "a.jpg")
        assert desk.kinds() == []
        sheet_of(cup, 1, "CUP/1/1/", "b.jpg")  # whoever is left
        (card,) = desk.see()["cards"]
        assert (card["kind"], card["player"], len(card["sheets"])) == ("differs", "Bob", 2)
        desk.do("/api/event/result", **at, walkover="Bob")  # as entered
        assert desk.kinds() == []
        desk.do("/api/event/undo")
        assert desk.kinds() == ["differs"]
        view = desk.do("/api/event/result", **at)  # as on the sheets
        assert [card["kind"] for card in view["cards"]] == []
        totals = [seat["total"] for seat in view["games"][0]["seats"]]
        assert sorted(totals) == sorted(sheet["total"] for sheet in card["sheets"])


def test_of_sheets_to_look_at_the_least_sure_comes_first(cup: Store) -> None:
    for board, confidence in enumerate((0.8, 0.4, 0.6)):
        name = f"{confidence}.jpg"
        sheet_of(cup, board, None, name, doubtful=[(0, 1)], confidence=confidence)
    with at_desk(cup) as desk:
        names = [card["values"]["name"] for card in desk.see()["cards"]]
    assert names == ["0.4.jpg", "0.6.jpg", "0.8.jpg"]


def test_a_map_that_no_game_leads_to_is_asked_about_until_it_is_confirmed(cup: Store) -> None:
    dots = re.sub(r"[a-z.]+\+*", "d", BOARDS[0])
    came_in(cup, "a.jpg", interpret(make_sheet(dots, confidence=0.9999).evidence), event=CUP)
    with at_desk(cup) as desk:
        (card,) = desk.see()["cards"]
        assert (card["kind"], card["sheets"][0]["review"]) == ("rules", False)
        at = f"/api/sheets/{card['sheets'][0]['id']}/confirm"
        assert desk.do(at)["confirmed"]
        assert desk.kinds() == []


def test_the_projector_shows_what_the_desk_chooses(cup: Store) -> None:
    with at_desk(cup) as desk:
        desk.do("/api/event/show", what="pairings")
        desk.do("/api/event/clock", minutes=30)
        shown = desk.client.get("/api/standings").json()
        assert shown["shown"] == "pairings" and shown["clock"] is not None
        desk.do("/api/event/clock", minutes=None)
        assert desk.client.get("/api/standings").json()["clock"] is None


def test_players_cannot_do_what_the_desk_does(cup: Store) -> None:
    with at_desk(cup) as desk, httpx.Client(base_url=desk.client.base_url) as client:
        come_in(client, JOIN)
        for path in ("pair", "player", "undo", "remove", "result", "clock", "show"):
            assert client.post(f"/api/event/{path}", json={}).status_code == 403
        for path in ("place", "same", "ignore"):
            assert client.post(f"/api/sheets/1/{path}", json={}).status_code == 403
        for one in OPERATIONS:
            if one.desk:
                at = re.sub(r"{\w+}", "1", one.path)
                assert client.request(one.method, at, json={}).status_code == 403, at
