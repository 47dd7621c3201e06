"""Boards and kingdoms in text form."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of tokens, one a square, with their columns aligned."""
    width = max(len(token) for row in rows for token in row)
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
