"""Hostile texts: boards, spellbooks, lists of players, layouts, prints and words of commands."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from kdscan.cli.main import main
from lab.benchmarks.trials import LONGEST_SECONDS, Trial
from lab.benchmarks.trials.kills import EVENT, seed
from lab.benchmarks.trials.pictures import mutant

LAYOUTS = Path(__file__).resolve().parents[3] / "kdscan" / "paper" / "layouts"
ODD: tuple[str, ...] = ("", "\0", "\x1b[2J", "\n", "-1", "9" * 5000, "1e999", "nan", "\udce9")
ODD += ("x" * 140_000, "sub/x", "/dev/full", "/dev/null", ".", "%", "'", '"', "--", "é")
ODD += ("=", "1.1:C2=f+", "A1=f+++++++")

NEW = ("--event", "New", "--store", "new.sqlite")

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("score", "photo.jpg", "--set", "?"),
    ("score", "?"),
    ("board", "?"),
    ("simulate", "?"),
    ("pair", *EVENT, "--seed", "?"),
    ("pair", *EVENT, "--drop", "?"),
    ("result", *EVENT, "--round", "1", "--table", "?", "Ada=3", "Bob=4"),
    ("result", *EVENT, "--round", "1", "--table", "1", "?=3", "Bob=?"),
    ("correct", "?", *EVENT, "--confirm"),
    ("correct", "01.jpg", *EVENT, "--set", "?"),
    ("correct", "01.jpg", *EVENT, "--player", "?"),
    ("standings", "--store", "cup.sqlite", "--event", "?"),
    ("export", "--store", "cup.sqlite", "--event", "Cup", "--csv", "?"),
    ("sheet", "-o", "x.pdf", "--event", "?", "--players", "players.csv"),
    ("sheet", "-o", "x.pdf", "--layout", "?"),
    ("layout", "show", "?"),
    ("layout", "forget", "?"),
    ("batch", "photos", "--event", "?", "--store", "other.sqlite"),
    ("report", *EVENT, "-o", "?"),
)
"""`?` is something odd."""


def hostile(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Files of text that were changed, and odd words on the command line."""
    seed(folder)
    files = texts()
    before, data_home = Path.cwd(), os.environ.get("XDG_DATA_HOME", "")
    os.chdir(folder)
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    try:
        for number in itertools.count():
            if rng.random() < 0.5:
                name = rng.choice(list(files))
                words, data = files[name]
                Path(f"odd{name}").write_bytes(mutant(rng, data))
                words = tuple(f"odd{name}" if word == "?" else word for word in words)
                yield said(words, f"mutant {number} of {name}")
            else:
                odd = rng.choice(ODD)
                words = tuple(word.replace("?", odd) for word in rng.choice(COMMANDS))
                yield said(words, f"words {number}: {words!r:.200}")
    finally:
        os.chdir(before)
        os.environ["XDG_DATA_HOME"] = data_home


def texts() -> dict[str, tuple[tuple[str, ...], bytes]]:
    """Name of a whole text, the command that reads it, and its bytes."""
    games = io.StringIO()
    with contextlib.redirect_stdout(games):
        main(["simulate", "2", "--seed", "3"])
    game = games.getvalue().encode()
    layout = (LAYOUTS / "kdscan-a5.toml").read_bytes()
    players = b"name,player,round,table\nAda,A1,1,1\nBob,B2,1,1\n"
    return {
        ".boards": (("board", "?", "--together"), game),
        ".book": (("board", "?", "--together", "--spellbook", "?"), game),
        ".kingdoms": (("board", "?", "--game", "kingdomino"), b"w w f\nw+ ## m++\ng l s\n"),
        ".toml": (("sheet", "-o", "x.pdf", "--layout", "?"), layout),
        ".import.toml": (("layout", "import", "?", "--replace"), layout),
        ".csv": (("sheet", "-o", "x.pdf", "--event", "Cup", "--players", "?"), players),
        ".players.csv": (("pair", *NEW, "--players", "?"), players),
    }


def said(words: tuple[str, ...], name: str) -> Trial:
    """Run a command here."""
    start, faults = time.process_time(), []
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(words))
        except BaseException as error:  # a command ends by its exit code, whatever happens
            code, text = 1, repr(error)
            faults.append(f"it raised {text[:300]}")
    seconds = time.process_time() - start
    if code == 1 and not faults:
        faults.append(err.getvalue()[:300])
    if "\x1b" in out.getvalue() + err.getvalue():
        faults.append("it steers the terminal")
    if seconds > LONGEST_SECONDS:
        faults.append(f"it took {seconds:.0f} s")
    return Trial(name, tuple(faults), seconds, counts={"refused": int(code == 2)})
