"""What can be asked of the HTTP interface: routes and document are made of it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.web import api

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]

ID = {"type": "integer", "minimum": 0}

IN_PATH: dict[str, tuple[Json, str]] = {
    "id": (ID, "number of the photo or sheet"),
    "page": (ID, "from 0"),
    "size": ({"type": "string", "enum": ["view", "thumb"]}, "how large"),
    "code": ({"type": "string"}, "the game's code"),
}
"""What stands in braces in paths."""


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked. more_errors: what can go wrong beside what `errors` knows."""

    method: str
    path: str
    handler: Handler
    summary: str
    answer: Any
    body: Any = None
    in_query: dict[str, tuple[Json, str, bool]] = field(default_factory=dict)
    more_errors: dict[int, str] = field(default_factory=dict)
    status: int = 200

    @property
    def in_path(self) -> dict[str, tuple[Json, str]]:
        """What is asked for in the path."""
        return {name: IN_PATH[name] for name in re.findall(r"{(\w+)}", self.path)}

    @property
    def errors(self) -> dict[int, str]:
        """What can go wrong, by status."""
        given = (self.in_path, NONE_SUCH), (self.in_query or self.body, BAD), (self.body, TOO_MUCH)
        usual = {status: text for what, one in given if what for status, text in one.items()}
        return usual | self.more_errors


WAIT: Json = {"type": "integer", "minimum": 0, "maximum": int(api.MAX_WAIT)}

NEWS: dict[str, tuple[Json, str, bool]] = {
    "after": ({"type": "string"}, "the `state` that is known already", False),
    "wait": (WAIT, "seconds to wait for another one", False),
}

NONE_SUCH = {404: "There is none, or it is not this session's."}
BAD = {400: "The request is not as described here."}
TOO_MUCH = {413: "The body is too large."}
DESK_ONLY = {403: "Only with the desk's code."}
WRONG_KIND = {409: "It cannot be so: another kind of sheet, the castle, nothing to take back."}
