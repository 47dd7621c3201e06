"""The command line as a whole: how it starts, what it prints, how it ends."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from kdscan import __main__ as program
from kdscan.cli import main as main_module
from kdscan.cli.main import command_line
from kdscan.errors import ImageTooLarge, KdscanError, LayoutError, ModelError, NoSheetFound
from tests.command import Command

SAMPLE = str(Path(__file__).parents[2] / "samples" / "01.jpg")

HEAVY = {
    "sqlalchemy",
    "alembic",
    "cv2",
    "numpy",
    "onnxruntime",
    "PIL",
    "reportlab",
    "pypdfium2",
    "pillow_heif",
    "torch",
}


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_nothing_heavy_is_imported_before_it_is_used(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom kdscan.cli.main import main\n"
        f"code = main({arguments!r})\n"
        f"print('heavy:', *sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.strip() == "heavy:"


def test_of_all_commands_the_one_that_is_asked_for_is_imported() -> None:
    code = (
        "import sys\nfrom kdscan.cli.main import COMMANDS, main\n"
        "main(['--quiet', 'board', '--help'])\n"
        "homes = {f'kdscan.cli.{home.partition(chr(46))[0]}' for home in COMMANDS.values()}\n"
        "print('homes:', *sorted(homes & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.strip() == "homes: kdscan.cli.board"


@pytest.mark.parametrize(
    ("closed", "words", "code", "said"),
    [
        ("0<&-", "score -", 3, "the file is empty"),
        ("0<&-", "board -", 2, "contains no board"),
        ("1>&-", "simulate 1", 0, ""),
        ("1</dev/null", "simulate 1", 2, "the output could not be written"),
        ("2>&-", "board missing.txt", 2, ""),
        ("2>&-", "sheet -o /dev/null", 0, ""),
        ("0<&- 1>&- 2>&-", "--help", 0, ""),
    ],
)
def test_streams_may_be_closed(closed: str, words: str, code: int, said: str) -> None:
    """As they are for a program that a service starts."""
    line = f"exec {shlex.quote(sys.executable)} -m kdscan {words} {closed}"
    run = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert run.returncode == code, run.stderr
    assert said in run.stderr and "bug" not in run.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(("words", "code"), [("sheet -o /dev/null", 0), ("board missing.txt", 2)])
def test_what_stderr_cannot_take_does_not_count(words: str, code: int) -> None:
    line = f"exec {shlex.quote(sys.executable)} -m kdscan {words} 2>/dev/full"
    assert subprocess.run(["sh", "-c", line]).returncode == code


UNUSED = {
    "kdscan.rules.duel.audit.pair",
    "kdscan.rules.duel.play",
    "kdscan.rules.kingdomino.play",
    "kdscan.rules.kingdomino.tiles",
    "kdscan.sheets.kingdom.read",
    "kdscan.marks.fuse",
    "kdscan.templates.dropout",
    "kdscan.templates.file",
    "kdscan.templates.learn",
    "kdscan.records.book",
    "kdscan.records.kingdom",
    "kdscan.records.results",
    "kdscan.paper.parts",
    "importlib.metadata",
    "numpy.ma",
    "PIL",
}
"""What neither help nor the reading of one map asks for."""


@pytest.mark.parametrize("arguments", [["--help"], ["score", SAMPLE, "--no-learn"]])
def test_what_a_map_does_not_ask_for_is_not_imported(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom kdscan.cli.main import main\n"
        f"code = main({arguments!r})\n"
        f"print('unused:', *sorted({UNUSED!r} & set(sys.modules)), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.strip().endswith("unused:")


def test_a_list_of_commands_says_of_each_what_it_says_of_itself() -> None:
    whole, listed = (typer.main.get_command(command_line(listed=few)) for few in (False, True))
    said = [
        {name: (one.help, one.get_short_help_str()) for name, one in group.commands.items()}
        for group in (whole, listed)
        if isinstance(group, typer.core.TyperGroup)
    ]
    assert len(said) == 2 and said[0] == said[1]


def test_version(run: Command) -> None:
    assert run("--version").out.split()[0] == "kdscan"


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "--game", "chess", "a.jpg"],
        ["score", "--risk", "2", "a.jpg"],
        ["score", "--overlay", "out.gif", "a.jpg"],
        ["score", "--overlay", "no-such-folder/out.png", "a.jpg"],
        ["score", "--overlay-style", "ink", "a.jpg"],
        ["score", "--set", "Z9=f", "a.jpg"],
    ],
)
def test_wrong_usage_is_2_and_says_why(arguments: list[str], run: Command) -> None:
    said = run(*arguments, code=2)
    assert said.out == ""
    assert said.err
    assert "Traceback" not in said.err


class Raises:
    """A command line that fails in one way."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: object, **__: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LayoutError("a"), 2),
        (ImageTooLarge("a"), 3),
        (NoSheetFound("a"), 4),
        (ModelError("a"), 6),
        (KdscanError("a"), 1),
        (ZeroDivisionError("a"), 1),
        (MemoryError(), 2),
        (OSError(errno.EMFILE, "Too many open files"), 2),
    ],
)
def test_errors_end_in_their_exit_code(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setattr(main_module, "command_line", Raises(error))
    said = run("score", "a.jpg", code=code).err
    assert said.startswith("kdscan: ")
    assert "Traceback" not in said


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch, run: Command) -> None:
    monkeypatch.setattr(main_module, "command_line", Raises(ZeroDivisionError("a")))
    assert "Traceback" in run("--debug", "score", "a.jpg", code=1).err


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, run: Command) -> None:
    from kdscan.cli import scoring

    monkeypatch.setattr(scoring, "read_all", Raises(KeyboardInterrupt()))
    assert "interrupted" in run("score", "a.jpg", code=130).err


def test_ctrl_c_while_a_library_is_imported_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    error = ImportError("initialization failed")  # as pybind11 reports it
    error.__cause__ = KeyboardInterrupt()
    monkeypatch.setattr(main_module, "command_line", Raises(error))
    assert run("score", "a.jpg", code=130).err == "kdscan: interrupted\n"


def test_a_second_ctrl_c_is_as_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "main", Raises(KeyboardInterrupt()))
    monkeypatch.setattr("gc.set_threshold", lambda _: None)
    with pytest.raises(SystemExit, match="130"):
        program.run()
    assert capsys.readouterr().err == "kdscan: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no folder that is in use")
@pytest.mark.parametrize(
    "words", ["export --csv a --json-lines b", "batch a.jpg --event cup --store {0}/s"]
)
def test_a_current_folder_that_was_deleted_is_no_bug(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    said = run(*words.format(tmp_path).split(), code=2)
    assert "the folder that you are in no longer exists" in said.err


LONG = "x" * 300
"""Longer than any file's name may be."""


@pytest.mark.parametrize(
    "words",
    [
        f"batch {LONG}/a.jpg --event cup --store {{0}}/s",
        f"batch {SAMPLE} --event cup --store {{0}}/s --csv {LONG}/a.csv",
        f"batch {SAMPLE} --event cup --store {{0}}/s --photos {LONG}/photos",
        f"batch {SAMPLE} --event cup --store {{0}}/{LONG}/s",
        f"score {SAMPLE} --overlay {LONG}/a.png",
        f"score {SAMPLE} --no-learn --overlay {LONG}.png",
        f"sheet -o {LONG}/a.pdf",
        f"sheet --players {LONG} -o a.pdf",
        f"board {LONG}",
        f"import {LONG} --store {{0}}/s",
        f"layout import {LONG}.kdprint",
        f"score {SAMPLE} --layout {LONG}.kdprint",
    ],
)
def test_a_name_that_is_too_long_is_no_bug(words: str, tmp_path: Path, run: Command) -> None:
    assert run(*words.format(tmp_path).split(), code=2).err.startswith("kdscan: ")


def test_a_name_that_the_terminal_cannot_show_can_still_be_told_from_others() -> None:
    command = [sys.executable, "-m", "kdscan", "board", "żółw.txt"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    said = subprocess.run(command, capture_output=True, text=True, env=ascii_only)
    assert said.returncode == 2 and r"kdscan: \u017c\xf3\u0142w.txt: " in said.stderr
