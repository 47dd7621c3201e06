"""Entry point of the developers' tools, as `python -m lab.training` and `python -m lab.synth`.

They are in English only, and their only exit codes are those of errors. The users' command line
is `kdscan.cli`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from kdscan.errors import KdscanError, UsageError


def run(command: Callable[[], object]) -> NoReturn:
    """Run a tool and exit. Expected errors, and those from outside kdscan, are reported in one
    line."""
    try:
        command()
    except KdscanError as error:
        _end(str(error), error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _end(f"{where}{error.strerror or error}", UsageError.exit_code)
    except ModuleNotFoundError as error:
        if (error.name or "kdscan").startswith("kdscan"):
            raise
        remedy = "in a copy of the repository: pip install -e '.[train]'"
        _end(f"this needs {error.name}; {remedy}", UsageError.exit_code)
    sys.exit(0)


def _end(message: str, code: int) -> NoReturn:
    print(f"Error: {message}", file=sys.stderr)
    sys.exit(code)
