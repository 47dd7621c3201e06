"""Boards and kingdoms in text form."""

from __future__ import annotations

from collections.abc import Mapping

from kdscan.rules.grid import Cell


def grid_text(shape: tuple[int, int], castle: Cell, squares: Mapping[Cell, object]) -> str:
    """Rows of tokens, one per square, with their columns aligned: `##` for the castle, `.` for an
    empty square. shape: rows and columns."""
    tokens = {cell: str(square) for cell, square in squares.items()} | {castle: "##"}
    width = max(map(len, tokens.values()))
    rows = ((tokens.get((r, c), ".") for c in range(shape[1])) for r in range(shape[0]))
    return "\n".join(" ".join(t.ljust(width) for t in row).rstrip() for row in rows)


def split_blocks(text: str) -> list[str]:
    """The blocks between blank lines; lines that begin with `# ` are comments."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]
