"""Performance of the page: time from an upload to its score, and many uploads at once.

    python -m lab.benchmarks.page ADDRESS [--photos 50] [--times 5]

ADDRESS is that of a running `kdscan serve --host 127.0.0.1`. The photos are the samples, each with
a few bytes appended, so that every one is new to the store. For comparison the same photos are read
in this process, as `kdscan score` does once it has started.
"""

from __future__ import annotations

import statistics
import time
import urllib.request
from argparse import ArgumentTypeError
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from json import load
from pathlib import Path
from typing import Any

from kdscan.imaging.photo import load_photos
from kdscan.reader import read_photo
from lab.benchmarks.shared import SAMPLES, parser, positive


def ask(url: str, data: bytes | None = None) -> Any:
    """A JSON answer; raises for every status from 400 on."""
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=600) as answer:
        return load(answer)


def served(address: str) -> str:
    """The address of a running page; the type of a parser's argument."""
    try:
        ask(f"{address.rstrip('/')}/health")
    except (OSError, ValueError, HTTPException) as error:
        raise ArgumentTypeError(f"{address}: no page of kdscan answers there: {error}") from error
    return address.rstrip("/")


def read_by_page(address: str, data: bytes, *, alone: bool = False) -> float:
    """Seconds from the first byte of an upload to the answer with its score.

    alone: also wait until the pictures are made, so that the next measurement has the machine to
    itself.
    """
    start = time.perf_counter()
    photo = ask(f"{address}/api/photos", data)["id"]
    while (said := ask(f"{address}/api/photos/{photo}?wait=25"))["state"] == "waiting":
        pass
    took = time.perf_counter() - start
    assert said["state"] == "read", said["error"]
    if alone:
        picture = f"{address}/api/photos/{photo}/pages/0/thumb.jpg"
        urllib.request.urlopen(picture, timeout=600).close()
    return took


def read_here(path: Path) -> float:
    """Seconds for reading a photo without the page."""
    start = time.perf_counter()
    for photo in load_photos(path):
        read_photo(photo)
    return time.perf_counter() - start


def fresh(path: Path) -> bytes:
    """The photo's bytes, changed so that they are new to the store."""
    return path.read_bytes() + str(time.time_ns()).encode()


def main() -> None:
    """Print the figures."""
    options = parser(__doc__)
    options.add_argument("address", type=served)
    options.add_argument("--photos", type=positive, default=50)
    options.add_argument("--times", type=positive, default=5, help="how often each sample is read")
    given = options.parse_args()
    read_here(SAMPLES[0])
    ratios = []
    for path in SAMPLES:
        pairs = [
            (read_here(path), read_by_page(given.address, fresh(path), alone=True))
            for _ in range(given.times)
        ]
        here, page = (statistics.median(side) for side in zip(*pairs, strict=True))
        mine = [after / before for before, after in pairs]
        ratios += mine
        ratio = statistics.median(mine)
        print(f"{path.name}  bare {here:6.3f} s  page {page:6.3f} s  x {ratio:.2f}")
    above = sum(ratio > 1.5 for ratio in ratios)
    print(f"median ratio {statistics.median(ratios):.2f}, above 1.5: {above} of {len(ratios)}")
    many = [fresh(SAMPLES[n % len(SAMPLES)]) + str(n).encode() for n in range(given.photos)]
    start = time.perf_counter()
    with ThreadPoolExecutor(given.photos) as pool:
        times = list(pool.map(lambda data: read_by_page(given.address, data), many))
    took = time.perf_counter() - start
    print(
        f"{len(times)} at once: all read in {took:.1f} s, {len(times) / took:.1f} a second; "
        f"median wait {statistics.median(times):.1f} s, longest {max(times):.1f} s"
    )


if __name__ == "__main__":
    main()
