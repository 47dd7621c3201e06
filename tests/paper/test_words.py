"""Every text of a sheet exists in every language, and the font has its letters."""

from __future__ import annotations

import string
from io import BytesIO

import pypdfium2
import pytest

from kdscan.paper.layout import layouts, load_layout
from kdscan.paper.letters import printable, unprintable
from kdscan.paper.printing import impose, sheet_pdf
from kdscan.paper.style import LANGUAGES, Language, PrintStyle, dictionary

LAYOUT = load_layout("kdscan-a5")
OTHERS = [language for language in LANGUAGES if language != "en"]


def printed(pdf: bytes) -> str:
    with pypdfium2.PdfDocument(BytesIO(pdf)) as document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


@pytest.mark.parametrize("name", layouts())
def test_layouts_speak_every_language(name: str) -> None:
    for text in load_layout(name).texts():
        assert sorted(dictionary()[text]) == sorted(OTHERS), text


def test_translations_are_whole_and_printable() -> None:
    for text, others in dictionary().items():
        assert sorted(others) == sorted(OTHERS), text
        fields = {name for _, name, _, _ in string.Formatter().parse(text)}
        for other in others.values():
            assert other.strip() == other != ""
            assert unprintable(other) == ""
            assert {name for _, name, _, _ in string.Formatter().parse(other)} == fields


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["MAP OF THE REALM", "Kingdom of", "two dots"]),
        ("pl", ["MAPA KRÓLESTWA", "Królestwo", "dwie kropki", "czarodziej"]),
        ("fr", ["CARTE DU ROYAUME", "Royaume de", "deux points", "sorcier"]),
        ("uk", ["МАПА КОРОЛІВСТВА", "Королівство", "дві крапки", "чарівник"]),
        ("de", ["KARTE DES KÖNIGREICHS", "Königreich von", "zwei Punkte", "Zauberer"]),
        ("es", ["MAPA DEL REINO", "Reino de", "dos puntos", "mago"]),
        ("ru", ["КАРТА КОРОЛЕВСТВА", "Королевство", "две точки", "чародей"]),
    ],
)
def test_sheets_are_printed_in_every_language(language: Language, words: list[str]) -> None:
    text = printed(sheet_pdf(LAYOUT, impose(LAYOUT), look=PrintStyle(language=language)))
    for word in words:
        assert word in text


def test_letters_that_nobody_can_print() -> None:
    assert unprintable("Zażółć gęślą jaźń їґ") == ""
    assert unprintable("王国 a王") == "王国"
    assert unprintable("5 µm") == "\N{GREEK CAPITAL LETTER MU}"  # headings are in capitals
    assert printable("Łukasz 王") == "Łukasz ?"
    assert printable("Ada\nLovelace") == "Ada Lovelace"
    assert printable("Zoe\u0308 Diệm \u202e") == "Zoë Diem "
