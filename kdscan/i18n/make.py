"""Adds new texts to the catalogues and compiles them (needs Babel, from the extra "dev").

python -m kdscan.i18n.make            update LANGUAGE.po, write LANGUAGE.json
python -m kdscan.i18n.make --check    say what is missing or stale, change nothing
"""

from __future__ import annotations

import io
import json
import sys
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import typer
from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from kdscan.cli.help import put
from kdscan.cli.main import command_line
from kdscan.i18n import FOLDER, LANGUAGES, Entry

PACKAGE = FOLDER.parent

ERRORS = (
    "UnreadableImage",
    "ImageTooLarge",
    "ReaderDied",
    "NoSheetFound",
    "BlankPage",
    "ModelError",
    "StoreError",
    "StoreFull",
    "UsageError",
    "UnknownPlayer",
    "LayoutError",
    "BoardTextError",
    "BookTextError",
    "KingdomTextError",
    "VariantError",
)
"""Errors whose texts are translated wherever they are raised."""

KEYWORDS: dict[str, Any] = {"t": None, "tn": (1, 2), "mark": None} | dict.fromkeys(ERRORS)
"""Functions that mark a text in Python (not inside f-strings), JavaScript and templates."""

METHODS = [
    ("i18n/make.py", "ignore"),
    ("web/templates/**.html", "jinja2.ext:babel_extract"),
    ("event/report/templates/**.html", "jinja2.ext:babel_extract"),
    ("web/static/js/**.js", "javascript"),
    ("**.py", "python"),
]

OPTIONS = {"web/static/js/**.js": {"parse_template_string": "true"}}

NOISE = (
    '"Generated',
    *(f'"{name}-' for name in ("POT", "PO", "Project", "Report", "Last", "Language")),
)
"""Headers that are useless, or change with every run."""

FORMS = {2: ("one", "other"), 3: ("one", "few", "many")}
"""Plural categories in the order of a catalogue's forms, by their number."""


@cache
def collected() -> Catalog:
    """All texts of the sources, with their locations."""
    catalog = Catalog(project="kdscan", charset="utf-8", fuzzy=False)
    found = extract_from_dir(
        str(PACKAGE), method_map=METHODS, options_map=OPTIONS, keywords=KEYWORDS
    )
    for name, _, message, comments, _ in found:
        catalog.add(message, locations=[(name, 0)], auto_comments=comments)

    def of_help(text: str) -> str:
        catalog.add(text, locations=[("cli", 0)])
        return text

    put(typer.main.get_command(command_line()), of_help)
    return catalog


def catalogue(language: str) -> Catalog:
    """A language's catalogue from its file, brought up to date with the sources."""
    path = FOLDER / f"{language}.po"
    if path.is_file():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    else:
        catalog = Catalog(locale=language, charset="utf-8", fuzzy=False)
    catalog.update(collected(), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    return catalog


def text_of(catalog: Catalog) -> str:
    """The .po file, without dates and line numbers, which would change needlessly."""
    assert catalog.locale is not None
    catalog.header_comment = f"# kdscan in {catalog.locale.english_name}."
    out = io.BytesIO()
    write_po(out, catalog, sort_output=True, omit_header=False, width=96, include_lineno=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(NOISE))


def compiled(catalog: Catalog) -> dict[str, Entry]:
    """What the program reads: text → translation, or forms by plural category."""
    entries: dict[str, Entry] = {}
    for message in catalog:
        if not message.id or message.fuzzy:
            continue
        ids, forms = _texts(message.id), _texts(message.string)
        if not all(forms):
            continue
        if len(ids) > 1:
            entries[ids[0]] = dict(zip(FORMS[len(forms)], forms, strict=True))
        else:
            entries[ids[0]] = forms[0]
    return dict(sorted(entries.items()))


def missing(catalog: Catalog) -> list[str]:
    """Texts without a complete translation, or whose translation has different names in braces, or
    one of them more often."""

    def names(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in Formatter().parse(text) if name)

    found = []
    for message in catalog:
        ids, forms = _texts(message.id), _texts(message.string)
        if ids != ("",) and not all(one and names(one) == names(ids[-1]) for one in forms):
            found.append(ids[0])
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple | list) else (str(value or ""),)


def as_json(entries: dict[str, Entry]) -> str:
    """The text of a compiled catalogue."""
    return json.dumps(entries, ensure_ascii=False, indent=0) + "\n"


def main() -> int:
    """Update or check all catalogues; returns the exit code."""
    check = "--check" in sys.argv[1:]
    wrong = 0
    for language in LANGUAGES[1:]:
        catalog = catalogue(language)
        texts = {"po": text_of(catalog), "json": as_json(compiled(catalog))}
        for text in missing(catalog):
            wrong += 1
            print(f"{language}: not translated: {text}")
        for suffix, text in texts.items():
            path = Path(FOLDER, f"{language}.{suffix}")
            if check and path.read_text("utf-8") != text:
                wrong += 1
                print(f"{path.name} is stale: python -m kdscan.i18n.make")
            elif not check:
                path.write_text(text, "utf-8")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
