"""Masks passwords, keys and tokens in a text, so that none of them is ever written down.

What announces itself (a provider's prefix, a PEM header, the place of a password in an address, a name that
says "password") is found by its shape; what does not, such as a random string without a name, is left: a git
hash or an id must survive. Scanners for repositories do not serve here: they read files, report lines rather
than places in a text, take plain random strings for secrets, and bring a network client for verification.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from .secret_assignments import assigned, may_name_secret
from .secret_shapes import (
    AWS_SECRET,
    CARD,
    DISCORD,
    JWT,
    SHAPES,
    TELEGRAM,
    TWILIO_ACCOUNT,
    TWILIO_SECRET,
    Shape,
    is_card,
)

Span: TypeAlias = tuple[int, int, str]

_DIGIT = re.compile(r"\d")
_AWS_KIND = "aws access key"
_AWS_SHAPES = tuple(shape for shape in SHAPES if shape.kind == _AWS_KIND)
_MARKS = "_-./"
_ROUNDS = 8
_DATA_ADDRESS = re.compile(r"data:[\w/+.-]*(?:;[\w=.-]+)*;base64,(?P<held>[A-Za-z0-9+/=_-]+)")
_SHOWN_OF_DATA = 16  # characters of what a data address holds; rules need not go through megabytes of it
_DISCORD_NUMBER = re.compile(r"(?<![\w.-])[MNO][\w-]{22,27}$", re.ASCII)
_FILLING = frozenset("xX*.#_-0")
_DENSE_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = re.compile(
    r"(?:(?:[\s>|\"',]|\\[nr])+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]*|[A-Za-z0-9+/=]{20,}))*"
    r"(?:(?:[\s>|\"',]|\\[nr])+[A-Za-z0-9+/]{1,19}={1,2})?"
)
_PEM_LONGEST = 20_000
_PEM_LEAST = 24
_LONGEST_VALUE = 4_096  # a longer value is no password


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and the kind of each that was there, in order; () when there was none."""

    text: str
    found: tuple[str, ...] = ()


def mask(text: str) -> Masked:
    """`text` with each secret replaced by a marker such as ``[secret: github token]``.

    Placeholders, references to the environment, hashes, ids and ``data:`` addresses stay. Time grows with
    the length of the text only, and masking what is masked changes nothing.
    """
    found: list[str] = []
    for _ in range(_ROUNDS):  # what stood beside a secret may be recognised only once that is gone
        spans = _spans(text)
        if not spans:
            break
        found += [kind for _, _, kind in spans]
        text = _replaced(text, spans)
    return Masked(text, tuple(found))


def secret_under(name: str, text: str) -> str | None:
    """The kind of secret that `text` is, as what stands under `name` in JSON; None where it is none."""
    if len(text) > _LONGEST_VALUE or not may_name_secret(name):
        return None
    found = mask(f"{json.dumps(name)}: {json.dumps(text, ensure_ascii=False)}").found
    return found[0] if found else None


def _spans(text: str) -> list[Span]:
    """Places of secrets, ordered; those that overlap are one, named by the rule that comes first."""
    short, cuts = _without_data(text)
    kept = [found.span() for found in _DATA_ADDRESS.finditer(short)] if ";base64," in short else []
    ranked = [
        (_place(start, cuts), _place(end, cuts), rank, kind)
        for rank, (start, end, kind) in enumerate(_found(short))
        if not any(first <= start < last for first, last in kept)
    ]
    merged: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(ranked):
        if merged and start < merged[-1][1]:
            first, last, other, name = merged[-1]
            merged[-1] = (first, max(last, end), *min((other, name), (rank, kind)))
        else:
            merged.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in merged]


def _without_data(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with ``data:`` addresses cut short, and the cuts: where in the short text, how much so far."""
    if ";base64," not in text:
        return text, []
    parts, cuts, at, gone = [], [], 0, 0
    for found in _DATA_ADDRESS.finditer(text):
        cut = found.start("held") + _SHOWN_OF_DATA
        if cut < found.end():
            parts.append(text[at:cut])
            cuts.append((cut - gone, gone + found.end() - cut))
            at, gone = found.end(), gone + found.end() - cut
    return "".join([*parts, text[at:]]), cuts


def _place(at: int, cuts: list[tuple[int, int]]) -> int:
    """Where a place of the short text is in the whole one."""
    before = bisect_right(cuts, at, key=lambda cut: cut[0])
    return at + (cuts[before - 1][1] if before else 0)


def _replaced(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        parts += [text[at:start], f"[secret: {kind}]"]
        at = end
    return "".join([*parts, text[at:]])


def _found(text: str) -> Iterator[Span]:
    """Every secret by every rule, the most telling rules first."""
    yield from _private_keys(text)
    yield from _shaped(text)
    yield from _by_company(text)
    yield from assigned(text)
    if _DIGIT.search(text):
        for card in CARD.finditer(text):
            if is_card(re.sub(r"[ -]", "", card[0])):
                yield *card.span(), "card number"


def _shaped(text: str) -> Iterator[Span]:
    for shape in _shapes_with("".join(mark for mark in _MARKS if mark in text)):
        if shape.hint not in text:
            continue
        for found in shape.pattern.finditer(text):
            body = found[0][len(shape.hint) :]
            if set(body) <= _FILLING or (shape.dense and not _dense(body)):
                continue
            yield found.start(), found.end(), shape.kind
    if "eyJ" in text:
        yield from ((*found.span(), "jwt") for found in JWT.finditer(text))
    for found in TELEGRAM.finditer(text) if ":AA" in text else ():
        number = re.search(r"(?<![0-9])[0-9]{8,10}$", text[max(0, found.start() - 11) : found.start()])
        if number:
            yield found.start() - len(number[0]), found.end(), "telegram token"
    for found in DISCORD.finditer(text):
        number = _DISCORD_NUMBER.search(text[max(0, found.start() - 30) : found.start()])
        if number and all(_random(part) for part in (number[0], found[0][8:])):
            yield found.start() - len(number[0]), found.end(), "discord token"


@cache
def _shapes_with(marks: str) -> tuple[Shape, ...]:
    """The shapes whose hints have no other of the marks: most have one, and most texts few."""
    others = set(_MARKS) - set(marks)
    return tuple(shape for shape in SHAPES if others.isdisjoint(shape.hint))


def _random(part: str) -> bool:
    """Whether it has digits and letters of both cases, as a name seldom has."""
    return all(any(map(sort, part)) for sort in (str.isdigit, str.islower, str.isupper))


def _dense(body: str) -> bool:
    """Whether it is random characters and no words joined by hyphens."""
    runs = _DENSE_RUN.findall(body)
    return any(len(run) >= 32 or (any(map(str.isdigit, run)) and any(map(str.isalpha, run))) for run in runs)


def _by_company(text: str) -> Iterator[Span]:
    """Strings that mean nothing alone, beside the name of the account they open."""
    masked_before = f"[secret: {_AWS_KIND}]" in text
    if masked_before or any(shape.hint in text and shape.pattern.search(text) for shape in _AWS_SHAPES):
        for found in AWS_SECRET.finditer(text):
            if all(re.search(kind, found[0]) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
                yield *found.span(), "aws secret key"
    if "AC" in text and TWILIO_ACCOUNT.search(text):
        yield from ((*found.span(), "twilio token") for found in TWILIO_SECRET.finditer(text))


def _private_keys(text: str) -> Iterator[Span]:
    """Whole PEM blocks; of one that does not end, the lines that belong to it."""
    begins = list(_PEM_BEGIN.finditer(text)) if "-----BEGIN " in text else []
    ends = list(_PEM_END.finditer(text)) if begins else []
    at = 0
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        while at < len(ends) and ends[at].start() < begin.end():
            at += 1
        closed = at < len(ends) and ends[at].end() <= min(following, begin.end() + _PEM_LONGEST)
        lines = _PEM_LINES.match(text, begin.end(), following)
        end = ends[at].end() if closed else (lines.end() if lines else begin.end())
        body = text[begin.end() : ends[at].start() if closed else end]
        if len(re.findall(r"[A-Za-z0-9+/=]", body)) >= _PEM_LEAST:
            yield begin.start(), end, "private key"
