"""Writes NAME.reading.json beside every NAME.jpg of a folder: kdscan's current reading.

python -m lab.benchmarks.readings samples
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Read one photo after another, as a user would."""
    for photo in sorted(folder.glob("*.jpg")):
        command = [sys.executable, "-m", "kdscan", "score", "--json", photo.name]
        said = subprocess.run(command, capture_output=True, check=True, cwd=folder)
        text = json.dumps(json.loads(said.stdout), indent=1) + "\n"
        photo.with_suffix(".reading.json").write_text(text, "utf-8")
        print(photo.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
