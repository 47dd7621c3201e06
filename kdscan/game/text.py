"""Several boards or kingdoms in one text."""

from __future__ import annotations


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
