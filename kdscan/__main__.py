"""The entry point of the installed command and of `python -m kdscan`."""

from __future__ import annotations

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command line and exit.

    Ctrl-C ends quietly here when it comes before `main` can report it, or a second time.
    """
    try:
        from kdscan.cli import main

        main.run()
    except KeyboardInterrupt:
        print("kdscan: interrupted", file=sys.stderr)
        sys.exit(130)  # as `kdscan.cli.main.INTERRUPTED`


if __name__ == "__main__":
    run()
