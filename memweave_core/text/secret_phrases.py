"""Secrets that people say in sentences or commands: PINs, seed phrases, the user option of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .keyword_places import matches_at

_FOR = r"(?:\s(?:for|of|to|de|del|para|on)(?:\s\w{1,15}){1,4}?)?"
_PIN: Final = re.compile(
    rf"pin(?<!\wpin)(?:\s(?:number|n[uú]mero))?{_FOR}(?:\s{{0,3}}[:=]\s{{0,3}}|\s(?:is|was|es|era)(?:\s?:)?\s(?:now\s|ahora\s)?)"
    r"[\"'*]{0,2}(?P<value>\d{4,8})(?![\w-]|[.,:]\d)",
    re.I,
)
_SEED_WORD = r"[a-z]{3,8}"
_SEED: Final = re.compile(
    r"(?:(?:seed|recovery|mnemonic|backup)(?:\s(?:phrase|words?|key))|mnemonic"
    r"|frase(?:\s(?:semilla|secreta|mnem[oó]nica|de\srecuperaci[oó]n|de\srespaldo))|semilla)"
    rf"{_FOR}[\"'*]{{0,2}}\s{{0,3}}(?:(?:is|are|es)(?:\s?:)?|[:=])[\s\"'*]{{0,4}}"
    rf"(?P<value>(?:1[.)]\s?)?{_SEED_WORD}(?:[\s,]{{1,3}}(?:\d{{1,2}}[.)]\s?)?{_SEED_WORD}\b){{11,23}})",
    re.I,
)
_IN_NO_SEED: Final = frozenset("the and for are was with from your not but which our has had its".split())  # noqa: SIM905  as elsewhere
"""Common words that are in no list of words for seeds: with one of them it is a sentence."""

_SEED_STARTS: Final = ("seed", "recovery", "mnemonic", "backup", "frase", "semilla")
_USER: Final = re.compile(
    r"(?:-u\s{0,3}|--(?:proxy-)?user(?:\s{1,3}|=))(?<![\w-]-u)[\"']?(?P<user>[^\s:\"']{0,200}):(?P<value>[^\s\"']+)"
)
_STAND_IN: Final = re.compile(r"(?:pass(?:word|wd)?|pwd|secret|token|x+|\*+|\.+)$|[$%<{\[]|your", re.I)


def phrased(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each secret that is said in a sentence; `low` is the text in lower case."""
    for found in matches_at(_PIN, text, low, "pin"):
        yield *found.span("value"), "pin"
    for found in matches_at(_SEED, text, low, *_SEED_STARTS):
        if _IN_NO_SEED.isdisjoint(re.findall(r"[a-z]+", found["value"].lower())):
            yield *found.span("value"), "seed phrase"
    if "curl" in low:
        yield from _of_users(text, low)


def _of_users(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    """Passwords beside the user in a command of curl; elsewhere ``-u 1000:1000`` means something else."""
    at = low.find("curl")
    while at >= 0:
        end = at
        while True:  # to the end of the command, which may go on over lines
            end = text.find("\n", end)
            if end < 0 or text[end - 1] not in "\\^`":
                break
            end += 1
        end = len(text) if end < 0 else end
        for found in _USER.finditer(text, at, end):
            ids = found["user"].isdigit() and found["value"].isdigit()  # of a container, in the same line
            if not ids and not _STAND_IN.match(found["value"]):
                yield *found.span("value"), "password"
        at = low.find("curl", end)
