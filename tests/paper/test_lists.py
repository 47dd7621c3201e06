"""Lists for an event as PDF."""

from __future__ import annotations

from pypdfium2 import PdfDocument

from kdscan.paper.printing import slips_pdf, table_pdf


def texts(pdf: bytes) -> list[str]:
    return [page.get_textpage().get_text_bounded() for page in PdfDocument(pdf)]


def test_a_table_goes_on_on_the_next_page_under_its_title() -> None:
    rows = [[str(n), f"Player {n}", "½"] for n in range(1, 41)]
    first, second = texts(table_pdf("Spring cup", ["#", "Player", "Score"], rows))
    assert all(part in first for part in ("Spring cup", "Score", "Player 1", "½"))
    assert "Spring cup" in second and "Player 40" in second and "Player 40" not in first
    assert texts(table_pdf("Spring cup", ["#", "Player"], []))


def test_each_table_has_a_slip_with_its_players() -> None:
    seated = {n: (f"Ann {n}", f"Дан {n}") for n in range(1, 8)}
    pages = texts(slips_pdf("Cup · Round 2", "Table", "Points", seated))
    assert len(pages) == 2
    for n in seated:
        assert f"Table {n}" in "".join(pages) and f"Дан {n}" in "".join(pages)
