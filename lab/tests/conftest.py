"""The laboratory's tests share the fixtures of the product's."""

from __future__ import annotations

from tests.conftest import run

__all__ = ["run"]
