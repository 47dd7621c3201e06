"""How tests call the command; see the fixture `run`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a command wrote to stdout and to stderr."""

    out: str
    err: str

    @property
    def json(self) -> Any:
        """What stdout says, as JSON."""
        return json.loads(self.out)


Command = Callable[..., Said]
"""`run("score", photo, code=4).err`: the words of a command, and how it has to end; 0 if left out,
None for any way."""
