"""Exit codes other than those of errors (`kdscan.errors`), as the commands' help documents them."""

from __future__ import annotations

NEEDS_REVIEW = 5
"""With --strict: something needs review."""

SOME_FAILED = 7
"""Done, but some photos could not be read."""

UNLAWFUL = 9
"""With --strict: everything was read with certainty, but no lawful game leads to a board."""

INTERRUPTED = 130
"""Ctrl-C: 128 plus the number of SIGINT, as for other programs."""

CLOSED = 141
"""The reader of stdout closed it: 128 plus the number of SIGPIPE, as for other programs."""
