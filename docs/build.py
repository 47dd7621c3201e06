"""What the site holds beside the pages in docs/: reference made from the code, pictures made by
reading the samples, and pages that lie elsewhere in the repository. MkDocs calls the functions
`on_files` and `on_page_markdown`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import cv2
import typer
from mkdocs.structure.files import File, Files

import kdscan
import kdscan.web.app
from kdscan.cli.main import COMMANDS, app, load
from kdscan.imaging.photo import load_photos
from kdscan.reader import read_photo
from kdscan.sheets.overlay import draw_overlay
from kdscan.web.operations import document

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs.stages import pictures, shrunk  # noqa: E402  neither docs nor the laboratory is installed

ELSEWHERE = {
    "architecture.md": "kdscan/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "research/training.md": "lab/training/README.md",
}
"""Pages of the site, and where they lie in the repository."""

PAGES = {source: page for page, source in ELSEWHERE.items()} | {"README.md": "index.md"}


def on_files(files: Files, *, config: Any) -> Files:
    """Add what is made."""
    made: dict[str, str | bytes] = {
        page: (ROOT / source).read_text("utf-8") for page, source in ELSEWHERE.items()
    }
    made["reference/commands.md"] = "\n".join(_commands())
    made["reference/http.md"] = "\n".join(_http())
    made["reference/python.md"] = "\n".join(_python())
    made |= dict(_pictures())
    made["Vollkorn-Regular.ttf"] = (ROOT / "kdscan/paper/fonts/Vollkorn-Regular.ttf").read_bytes()
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Links to pages that lie elsewhere lead to them; those to other files are their names."""
    here = PurePosixPath(page.file.src_uri)
    source = ROOT / ELSEWHERE.get(str(here), f"docs/{here}")
    return re.sub(
        r"(?<!!)\[([^\]]+)\]\(((?!\w+:)[^)#]+)(#[^)]*)?\)",
        lambda link: _link(source, here, *link.groups()),
        markdown,
    )


def _link(source: Path, here: PurePosixPath, label: str, target: str, anchor: str | None) -> str:
    path = (source.parent / target).resolve()
    if not path.exists() or not path.is_relative_to(ROOT):
        return f"[{label}]({target}{anchor or ''})"  # the strict build says so
    name = path.relative_to(ROOT).as_posix()
    if name in PAGES or name.startswith("docs/"):
        leads = PAGES.get(name, name.removeprefix("docs/"))
        return f"[{label}]({'../' * (len(here.parts) - 1)}{leads}{anchor or ''})"
    return label if label.strip("`") == name else f"{label} (`{name}`)"


def _pictures() -> Iterator[tuple[str, bytes]]:
    for name, picture in pictures(ROOT / "samples/01.jpg").items():
        yield f"pictures/{name}.jpg", _jpeg(picture)
    for path in sorted((ROOT / "samples").glob("*.jpg")):
        (photo,) = load_photos(path)
        picture = draw_overlay(photo, read_photo(photo))
        yield f"pictures/sample-{path.stem}.jpg", _jpeg(shrunk(picture, 600))


def _jpeg(picture: Any) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 82])[1].tobytes()


def _commands() -> Iterator[str]:
    yield "# The command line\n"
    yield "Made from the program itself: what `kdscan COMMAND --help` says.\n"
    root: Any = typer.main.get_command(app)
    context = root.context_class(root, info_name="kdscan")
    yield from _command(root, context, "kdscan")
    for name in COMMANDS:
        command = load(name)
        yield from _command(
            command, command.context_class(command, context, name), f"kdscan {name}"
        )


def _command(command: Any, context: Any, name: str) -> Iterator[str]:
    yield f"## `{name}`\n"
    yield from _help(command.help or "")
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```\n"
    rows = [row for p in command.get_params(context) if (row := _parameter(p, context))]
    if rows:
        yield "| option | meaning |\n|---|---|"
        yield from (f"| {spelled} | {meaning} |" for spelled, meaning in rows)
        yield ""
    if name != "kdscan":
        for word, sub in getattr(command, "commands", {}).items():
            yield from _command(sub, sub.context_class(sub, context, word), f"{name} {word}")


def _help(text: str) -> Iterator[str]:
    """A command's help: its paragraphs, the lines to type as one block."""
    paragraphs = [part.strip() for part in text.replace("\b", "").split("\n\n")]
    typed = [part.removeprefix("$ ") for part in paragraphs if part.startswith("$ ")]
    for part in paragraphs:
        if part == "Examples:" and typed:
            block = "\n".join(typed)
            yield f"```sh\n{block}\n```\n"
        elif not part.startswith("$ "):
            yield f"{_prose(part)}\n"


def _parameter(parameter: Any, context: Any) -> tuple[str, str] | None:
    record = parameter.get_help_record(context)
    if record is None or getattr(parameter, "hidden", False):
        return None
    spelled, meaning = record
    return f"`{spelled}`".replace("|", "\\|"), _prose(meaning).replace("|", "\\|")


def _prose(text: str | None) -> str:
    """A help text in one paragraph, with nothing that Markdown would take for markup."""
    plain = re.sub(r"\[/?(?:bold|italic|dim|cyan|green)\]", "", text or "").replace("\b", "")
    return re.sub(r"([<>*_\[\]])", r"\\\1", " ".join(plain.split()))


def _http() -> Iterator[str]:
    api = document()
    yield "# The HTTP interface\n"
    yield "Made from the same table as the routes and `/openapi.json`, which says more of each.\n"
    for path, operations in api["paths"].items():
        for method, one in operations.items():
            yield f"## `{method.upper()} {path}`\n"
            yield f"{_prose(one['summary'])}\n"
            for parameter in one["parameters"]:
                needed = ", needed" if parameter.get("required") else ""
                told = _prose(parameter["schema"].get("description", ""))
                yield f"- `{parameter['name']}` ({parameter['in']}{needed}): {told}"
            yield ""
            answers = ", ".join(
                f"{status} {_prose(answer['description']).rstrip('.')}"
                for status, answer in one["responses"].items()
            )
            yield f"Answers: {answers}.\n"


def _python() -> Iterator[str]:
    yield "# Python\n"
    yield "What `import kdscan` offers; everything else may change.\n"
    for name in kdscan.__all__:
        if not name.startswith("__"):
            public = getattr(kdscan, name)
            yield f"## `kdscan.{name}`\n"
            yield f"::: {public.__module__}.{public.__name__}\n"
