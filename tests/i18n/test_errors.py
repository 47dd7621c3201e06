"""Stored errors can be told in any language, with their values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kdscan.errors import ImageTooLarge, KdscanError, PhotoError, UsageError
from kdscan.i18n import ENGLISH, LANGUAGES, Words, words
from kdscan.i18n.errors import error_json, error_text
from kdscan.imaging.formats import check_bytes
from kdscan.imaging.photo import decode


def kept(error: KdscanError) -> dict[str, object]:
    """An error as it comes back from a store."""
    found: dict[str, object] = json.loads(json.dumps(error_json(error)))
    return found


def too_large() -> KdscanError:
    with pytest.raises(ImageTooLarge) as raised:
        check_bytes(10**9)
    return raised.value


def test_figures_are_told_in_each_language() -> None:
    error = too_large()
    found = kept(error)
    assert (found["code"], found["message"]) == ("image_too_large", str(error))
    assert error_text(found, ENGLISH) == str(error)
    said = {error_text(found, words(language)) for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    assert all("1000" in text or "1,000" in text or "1 000" in text for text in said), said


def test_errors_within_errors_and_names_of_things_are_told_too() -> None:
    inner = UsageError("there is no event {wanted} already; call", wanted="Cup")
    outer = UsageError("{where}: {error}", where=Path("a b"), error=inner)
    assert error_text(kept(outer), words("fr")) == "a b : there is no event Cup already; call"
    assert str(outer) == "a b: there is no event Cup already; call"
    one = UsageError("{error}; {what}", error="castle", what="castle")
    assert error_text(kept(one), words("fr")) == "castle ; château"
    with pytest.raises(PhotoError) as raised:
        decode(b"", "a.jpg")
    polish = words("pl")
    inside = UsageError("{where}: {error}", where="a.jpg", error=raised.value)
    assert error_text(kept(inside), polish) == "a.jpg: " + error_text(kept(raised.value), polish)
    assert error_text(kept(raised.value), polish) != str(raised.value)


def test_what_an_older_version_kept_as_text_is_shown() -> None:
    old = {"code": "image_too_large", "message": "the file has 900 {MB}"}
    assert error_text(old, words("pl")) == old["message"]
    with pytest.raises(PhotoError) as raised:
        decode(b"", "a.jpg")
    whole = {"code": "unreadable_image", "message": str(raised.value)}
    assert error_text(whole, words("pl")) == error_text(kept(raised.value), words("pl"))


def test_what_an_older_version_called_its_values_is_told_in_english() -> None:
    old = {"text": "{mb} MB are too many", "values": {"mb": 900}}
    for newer in ("{size} MB sind zu viele", "{mb!r:d} MB sind zu viele"):
        german = Words("de", {"{mb} MB are too many": newer})
        assert error_text(old, german) == "900 MB are too many"
