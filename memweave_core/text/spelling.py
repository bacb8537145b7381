"""How a run of characters without white space falls into words, compounds and unspaced scripts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

MAX_TOKEN = 128
"""Longer tokens are cut, in texts and in queries alike."""

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3\u1100-\u11ff々〆〇\u3041-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U000323af"
)
"""Scripts that are cut into characters and pairs of them, as the inside of a character class.

Those written without spaces: Thai, Lao, Myanmar, Khmer, Kana, Bopomofo, Han; and Hangul.
"""
_JOINER = r"(?:://|::|->|\+\+|/[?#~.@]|[-./@:+&=?%~#\\]|(?<=\d),(?=\d))"
_SUB_SPLIT = re.compile(r"://|::|->|[/\\:@?&=#]")
_JOINERS = re.compile(r"[-./@:+&=?%~#\\,>]+")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[a-zA-Z]{3})(?=\d)|_+")
_ACCENTS = re.compile("(?<=[a-z\u0300-\u036fα-ωе])[\u0300-\u036f]+")
_POINTS = re.compile("[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+")
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)
_SPELLING = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "−": "-"}
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f")
)
_RESPELT = re.compile(f"[{''.join(map(chr, _SPELLING))}]")


class Piece(NamedTuple):
    """A unit of writing in lower case.

    `kind`: "word"; "cjk" (a run of an unspaced script); "name" (``GitHub``: capitals within, asked for as one
    word); "hyphen" (``long-term``: ordinary words joined); "literal" (``BENCH-100821``, ``foo_bar``,
    ``getUserName``, an address). `parts` are its words, `subs` compounds within it such as a host name.
    """

    kind: Literal["word", "cjk", "name", "hyphen", "literal"]
    whole: str
    parts: tuple[str, ...] = ()
    subs: tuple[str, ...] = ()


def fold(word: str) -> str:
    """Lower case without accents: Latin, Greek and ё; Arabic and Hebrew points. At most `MAX_TOKEN` long."""
    if word.isascii():
        return word.lower()[:MAX_TOKEN]
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word.casefold()))
    return unicodedata.normalize("NFC", _POINTS.sub("", plain)).translate(_PLAIN)[:MAX_TOKEN]


def pieces(run: str) -> Iterator[Piece]:
    """The pieces of a run of characters. Punctuation that joins nothing is left out."""
    ascii_only = run.isascii()
    if not ascii_only:
        run = unicodedata.normalize("NFKC", run)
        run = run.translate(_SPELLING) if _RESPELT.search(run) else run
    for match in _pattern(ascii_only).finditer(run):
        text = match.group()
        piece = Piece("cjk", text.casefold()) if match.lastgroup == "cjk" else _piece(text)
        if piece is not None:
            yield piece


@cache
def _pattern(ascii_only: bool) -> re.Pattern[str]:
    """Compounds, as a pattern; outside ASCII also unspaced scripts and words with combining marks."""
    if ascii_only:
        letter, cjk = r"\w", ""
    else:
        letter = rf"(?:(?![{UNSPACED}])[\w{_marks()}])"
        cjk = rf"(?P<cjk>[{UNSPACED}][{UNSPACED}{_marks()}]*)|"
    word = rf"{letter}+(?:'{letter}+)*"
    prefix = rf"(?:(?<![\w.])\.(?=[^\W\d_])|(?<![\w-])--(?=[^\W_]))?(?={letter})"
    return re.compile(rf"{cjk}{prefix}{word}(?:{_JOINER}{word})*(?:\+\+|#)?")


@cache
def _marks() -> str:
    r"""Combining marks of the Basic Multilingual Plane, as ranges of a character class; ``\w`` lacks them."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0xFE30):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


def _piece(text: str) -> Piece | None:
    text = text.strip("_")
    whole = text.casefold()
    words = [word for word in _JOINERS.split(text) if word.strip("_'")]
    if not words:
        return None
    found: dict[str, None] = {}
    for word in words:
        found.update(dict.fromkeys(_parts(word)))
    parts = tuple(found)
    if words != [text]:
        if "-" in text and _HYPHENED.fullmatch(text):
            return Piece("hyphen", whole, parts)
        return Piece("literal", whole, parts, _subs(whole))
    if len(parts) == 1 or "'" in text:
        return Piece("word", whole, parts)
    return Piece("name" if text[0].isupper() and "_" not in text else "literal", whole, parts)


def _subs(whole: str) -> tuple[str, ...]:
    subs = _SUB_SPLIT.split(whole)
    if len(subs) == 1:
        return ()
    return tuple(dict.fromkeys(sub for sub in subs if sub and sub != whole and _JOINERS.search(sub)))


def _parts(word: str) -> tuple[str, ...]:
    """The words within a word: at an apostrophe, an underscore, a capital, or before a number."""
    if word.isdigit() or (word.isalpha() and (word.islower() or word[1:].islower() or word.isupper())):
        return (word.casefold(),)
    if "'" in word:
        return _at_apostrophe(word.casefold().strip("_"))
    return tuple(part.casefold() for part in _CAMEL.split(word) if part)


def _at_apostrophe(word: str) -> tuple[str, ...]:
    """``John's`` is John; ``don't`` and ``l'école`` stay whole and give their longer parts."""
    word = word.removesuffix("'s")
    split = word.split("'")
    if len(split) == 1:
        return (word,)
    return (word, *([part for part in split if len(part) > 1] or split))
