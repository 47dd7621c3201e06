"""Atomic writing of files, and reading of texts up to a maximum size."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object that no type here describes: a kind's evidence, details of a row, an answer."""
