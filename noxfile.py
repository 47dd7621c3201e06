"""One command a task: `nox` does what CI does, `nox -s NAME` one of them, `nox -l` lists them.

Sessions use the environment that nox itself is installed in, so nothing is
installed twice and a task starts at once.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "layers", "test"]

_PROCESSES = str(min((os.cpu_count() or 1) + 1, 8))
PARALLEL = ("-n", _PROCESSES, "--dist", "loadfile", "--no-loadscope-reorder")
"""One process more than cores, because tests also wait, for browsers and for what was killed; eight
at most, because each may bring workers, a browser or a database of its own.
A file's tests share a page that is served, or a network that is loaded: they stay together, and
`tests/conftest.py` says which files come first."""


ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"), "1"
)
"""One thread for each of these processes, because together they use all cores."""


def _python(session: nox.Session, *args: str, env: dict[str, str] | None = None) -> None:
    session.run(sys.executable, *args, *session.posargs, external=True, env=env)


@nox.session
def lint(session: nox.Session) -> None:
    """Form: ruff's rules and its formatting."""
    _python(session, "-m", "ruff", "check", ".")
    _python(session, "-m", "ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types: mypy, strict."""
    _python(session, "-m", "mypy")


@nox.session
def layers(session: nox.Session) -> None:
    """Who may import whom: import-linter's contracts in pyproject.toml."""
    script = Path(sysconfig.get_path("scripts")) / "lint-imports"
    session.run(str(script), *session.posargs, external=True)


@nox.session
def test(session: nox.Session) -> None:
    """Tests, on all cores; arguments go to pytest: `nox -s test -- tests/rules -n 0 --pdb`."""
    _python(session, "-m", "pytest", *PARALLEL, env=ONE_THREAD)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"], venv_backend="uv|virtualenv")
def supported(session: nox.Session) -> None:
    """Tests on one Python, in an environment of its own: `nox -s supported-3.12`."""
    session.install("-e", ".[dev]")
    session.run("python", "-m", "pytest", *PARALLEL, *session.posargs, env=ONE_THREAD)


@nox.session(python="3.11", venv_backend="uv|virtualenv")
def lowest(session: nox.Session) -> None:
    """Tests with the lowest versions that pyproject.toml allows of what it names."""
    session.install("uv")  # pip always takes the newest
    environment = ("--python", str(session.virtualenv.location))
    session.run(
        "uv", "pip", "install", *environment, "--resolution", "lowest-direct", "-e", ".[dev]"
    )
    session.run("python", "-m", "pytest", *PARALLEL, *session.posargs, env=ONE_THREAD)


PRETTIER = ("npx", "--yes", "prettier@3.10.1", "--print-width", "100")
"""The formatter of scripts and styles. It needs Node.js: the usual sessions do without."""


@nox.session
def page(session: nox.Session) -> None:
    """Bring the page's scripts and styles into form; with `-- --check`, only check them."""
    how = session.posargs or ("--write",)
    session.run(*PRETTIER, *how, "kdscan/web/static/**/*.{js,css}", external=True)


@nox.session
def format(session: nox.Session) -> None:
    """Bring the code into form, as far as ruff can."""
    _python(session, "-m", "ruff", "check", "--fix", ".")
    _python(session, "-m", "ruff", "format", ".")


FLOOR = 90
"""The least share of the product's lines and branches that the tests run, per cent."""


@nox.session
def cover(session: nox.Session) -> None:
    """Tests with coverage by lines and branches; the product keeps its floor."""
    _python(session, "-m", "coverage", "erase")
    _python(session, "-m", "coverage", "run", "-m", "pytest", *PARALLEL, env=ONE_THREAD)
    _python(session, "-m", "coverage", "combine", "--quiet")
    report = ("-m", "coverage", "report", "--skip-covered", f"--fail-under={FLOOR}")
    session.run(sys.executable, *report, external=True)


@nox.session
def speed(session: nox.Session) -> None:
    """Whether reading or a command has become slower; minutes, so for nights."""
    _python(session, "-m", "lab.benchmarks.stages", "--check")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as a site, into site/; a link that leads nowhere fails. Needs `.[docs]`."""
    _python(session, "-m", "mkdocs", "build", "--strict")


@nox.session
def sample(session: nox.Session) -> None:
    """Print the README's sample of output again."""
    readme = Path("README.md")
    command = (sys.executable, "-m", "kdscan", "score", "samples/13.jpg")
    printed = str(session.run(*command, external=True, silent=True, stderr=None))
    above, _, rest = readme.read_text("utf-8").partition("```text\n")
    board = printed.partition("\n\n")[2].rstrip()
    readme.write_text(f"{above}```text\n{board}\n```{rest.partition('```')[2]}", "utf-8")


@nox.session
def build(session: nox.Session) -> None:
    """The wheel, into dist/."""
    _python(session, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", "dist", ".")


TEXTS = "t tn:1,2 mark note warn UnreadableImage ImageTooLarge ReaderDied NoSheetFound BlankPage \
ModelError StoreError StoreFull UsageError UnknownPlayer LayoutError TextError VariantError \
NotForPlayers DeskOnly NoSuchSheet EventGone"
"""Functions and errors whose first argument is translated wherever it is shown; tn has two."""

LISTED = (
    "-F",
    "pyproject.toml",
    "--no-default-keywords",
    "-k",
    TEXTS,
    "--no-location",
    "--sort-output",
    "-w",
    "96",
)
MERGED = ("--no-fuzzy-matching", "--ignore-obsolete", "--ignore-pot-creation-date", "-w", "96")


@nox.session
def messages(session: nox.Session) -> None:
    """Bring the translators' catalogues up to date with the texts in the sources."""
    babel, texts = ("-m", "babel.messages.frontend"), str(Path(session.create_tmp(), "texts.pot"))
    _python(
        session, *babel, "-q", "extract", "-F", "pyproject.toml", *LISTED, "-o", texts, "kdscan"
    )
    for path in sorted(Path("kdscan/i18n").glob("*.po")):
        into = ("-i", texts, "-o", str(path), "-l", path.stem)
        _python(session, *babel, "-q", "update", *MERGED, *into)
