"""Plots of a report as SVG: the distribution of totals, and how ranks changed round by round.

Colours are Okabe and Ito's, which colour-blind people can tell apart; lines are labelled. Text and
lines use the page's colours, so that they are visible on a dark page too.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import median

from kdscan.event.games import Game
from kdscan.event.standings import standings
from kdscan.i18n import Words

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a7a7a")
"""Okabe and Ito (2008) without black and yellow, and two greys for the rest."""

SHOWN = 10
"""Number of players whose ranks are plotted."""

_W, _H, _LEFT, _BELOW = 460, 280, 34, 40


def totals_svg(totals: Sequence[int], w: Words) -> str:
    """A histogram of points per sheet, five points per bar; "" for too few sheets."""
    if len(totals) < 3:
        return ""
    step = 5
    first, last = min(totals) // step, max(totals) // step
    counts = [sum(t // step == k for t in totals) for k in range(first, last + 1)]
    wide, high = (_W - _LEFT - 10) / len(counts), _H - _BELOW - 26
    most = max(counts)
    marks = [_level(most, value, high) for value in _steps(most)]
    for k, count in enumerate(counts):
        x, tall = _LEFT + k * wide, high * count / most
        low = (first + k) * step
        marks.append(
            f'<rect x="{x + 1:.1f}" y="{26 + high - tall:.1f}" width="{max(1, wide - 2):.1f}"'
            f' height="{tall:.1f}" rx="2" fill="{COLORS[0]}">'
            f"<title>{low}–{low + step - 1}: {count}</title></rect>"
        )
        if wide > 26 or k % (1 + int(26 / wide)) == 0:
            marks.append(_text(x, _H - 22, str(low), "middle"))
    middle = median(totals)
    x = _LEFT + (middle / step - first) * wide
    marks.append(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="18" y2="{26 + high}" stroke="{COLORS[1]}"'
        ' stroke-width="2" stroke-dasharray="5 4"/>'
    )
    marks.append(_text(x + 5, 20, w.t("median {points}", points=f"{middle:g}"), "start"))
    marks.append(_text(_W / 2, _H - 4, w.t("points of a sheet"), "middle"))
    return _svg(marks, w.t("Points of all sheets"))


def places_svg(players: Sequence[str], games: Sequence[Game], w: Words) -> str:
    """The ranks of the first ten after each round; "" before two rounds are played."""
    rounds = sorted({game.round for game in games if game.played})
    if len(rounds) < 2:
        return ""
    everybody = {*players, *(seat.player for game in games for seat in game.seats)}
    after = [
        [line.player for line in standings(everybody, [g for g in games if g.round <= r])]
        for r in rounds
    ]
    shown = after[-1][:SHOWN]
    depth = max(place.index(name) for place in after for name in shown) + 1
    high = 40 + 26 * max(depth, len(shown))
    step = (_W - _LEFT - 170) / (len(rounds) - 1)
    marks = []
    for k, r in enumerate(rounds):
        x = _LEFT + k * step
        marks.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="24" y2="{high - 6}"/>')
        marks.append(_text(x, 14, w.t("round {round}", round=r), "middle"))
    for n, name in enumerate(shown):
        color = COLORS[n % len(COLORS)]
        xy = [(_LEFT + k * step, 40 + 26 * place.index(name)) for k, place in enumerate(after)]
        way = " ".join(f"{x:.1f},{y}" for x, y in xy)
        dash = ' stroke-dasharray="7 4"' if n >= len(COLORS) else ""
        marks.append(
            f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="3"'
            f' stroke-linejoin="round"{dash}><title>{escape(name)}</title></polyline>'
        )
        marks += [f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{color}"/>' for x, y in xy]
        marks.append(_text(xy[-1][0] + 12, xy[-1][1] + 5, f"{n + 1}. {_short(name)}", "start"))
    return _svg(marks, w.t("Places, round by round"), high)


def _steps(most: int) -> list[int]:
    step = max(1, -(-most // 4))
    return list(range(0, most + 1, step))


def _level(most: int, value: int, high: float) -> str:
    y = 26 + high - high * value / most
    line = f'<line class="grid" x1="{_LEFT}" x2="{_W - 10}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return line + _text(_LEFT - 6, y + 4, str(value), "end")


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(marks: Sequence[str], title: str, high: float = _H) -> str:
    return (
        f'<svg viewBox="0 0 {_W} {high:.0f}" role="img" aria-label="{escape(title)}">'
        + "".join(marks)
        + "</svg>"
    )
