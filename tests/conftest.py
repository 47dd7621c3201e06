"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Machines of CI are busy: a slow example is no failure.
settings.register_profile("kdscan", deadline=None)
settings.load_profile("kdscan")
