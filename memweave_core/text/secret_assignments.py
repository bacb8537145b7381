"""Secrets that are known by what stands before them: a name, a header, an option or the user of an "
"address."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from .keyword_places import lowered, matches_at, regions
from .secret_phrases import phrased

_PERSONAL = (
    r"pass(?:word|wd|phrase|code)|pwd|contraseñ?a|contrasena|passwort|kennwort|mot[ _]de[ _]passe|senha"
)
_TECHNICAL = (
    r"api[ _-]?key|apikey|api[ _-]?token|secret|(?:access|auth|private|secret|account|encryption|signing|"
    r"master)"
    r"[ _-]?key|token|credentials?|sharedaccesskey"
)
_NAME = rf"(?P<password>{_PERSONAL})|(?P<key>{_TECHNICAL})"
_NAMED = re.compile(_NAME, re.I)
_NAME_PARTS = ("pass", "pwd", "contrase", "kennwort", "senha", "key", "token", "secret", "credential")
"""Every name holds one of these."""

_TELLING = (
    *_NAME_PARTS,
    "auth",
    "pin",
    "wort",
    "passe",
    "seed",
    "recovery",
    "mnemonic",
    "backup",
    "frase",
    "semilla",
)
"""And so does every other name, header or word that tells of a value in quotes."""

_ASSIGNED = re.compile(
    rf"(?<!\[)(?:{_NAME})(?:\\?[\"'`])?(?:\s{{0,3}}:\s{{0,3}}(?:str|string|SecretStr)(?=\s{{0,3}}=))?"
    r"(?:\s{0,3}(?::=|=>|=|:)\s{0,3}|\s(?P<said>is|es|ist|est)\s(?:now\s)?:?\s?)"
    r"(?:(?P<slash>\\)?(?P<quote>[\"'`]))?"
    r"(?P<value>(?(slash)[^\"'`\n\\]+|(?(quote)(?:\\.|(?!(?P=quote))[^\n\\])+|[^\s\"'`]\S*)))",
    re.I,
)
_OPTION = re.compile(
    r"--(?<![\w-]--)(?:(?P<password>password|passwd|pass)|(?P<key>token|api-key|apikey|secret|auth-token))\s"
    r"[\"']?(?P<value>[^\s\"']+)"
)
_BEARER = re.compile(r"(?<![A-Za-z])(?:Bearer|bearer)\s{1,3}(?P<value>[A-Za-z0-9._~+/=-]{12,})")
_BASIC = re.compile(
    r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|token|apikey|"
    r"bearer)\s{1,3}(?P<value>[^\s\"',]{8,})",
    re.I,
)
_HEADER = re.compile(
    r"x-(?:api-key|auth-token|goog-api-key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<value>[^\s\"',]{8,})", re.I
)
_ADDRESS = re.compile(r"://(?P<user>[^\s/:@\"'<>]*):(?P<value>[^\s/\"'<>]+)@")
_CODE = re.compile(
    r"[(\[{]|^[$%<@]|\.\.\.|…|^\w+://|(?:^|\W)(?:process|import|os|env|ENV|settings|config|self|this|secrets|"
    r"vars|args|options|request|req|ctx)\.|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[a-z]+(?:_[a-z]+)+\d?$|"
    r"^[A-Za-z_]+(?:\.[A-Za-z_]+)+$"
)
_WORDS = frozenset(
    (
        *(
            "argon2",
            "argon2id",
            "base64",
            "bcrypt",
            "ed25519",
            "float32",
            "float64",
            "hs256",
            "int32",
            "int64",
        ),
        *("md5", "oauth2", "p@ssword", "pbkdf2", "ripemd160", "rs256", "scrypt", "sha1", "sha-1", "sha256"),
        *("sha-256", "sha384", "sha512", "sha-512", "string", "utf8", "utf-8", "uuid4", "x509"),
    )
)
_STAND_INS = re.compile(
    r"your|example|placeholder|change.?me|redacted|insert|todo|dummy|foobar|<|^(?:user|pass|password|secret|"
    r"token|"
    r"pwd|key|hunter|test|abc|foo)?[xX*.#_-]*$",
    re.I,
)
_SYMBOLS = frozenset("!@#$%^&*+=?~|\\")
_TRAILING = ".,;:)]}>\"'`"
_UNQUOTED_END = re.compile(r"[&;](?=\w+=)|\\[nrt\"]|[\"'`][,;)\]}]")
_LEAST_BITS = 2.5


def assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each value that its surroundings call a secret and that looks like one."""
    low = lowered(text)
    if "://" in text:
        yield from _in_addresses(text)
    for found in matches_at(_BEARER, text, low, "bearer"):
        if _is_key(found["value"]):
            yield *found.span("value"), "bearer token"
    yield from _values(matches_at(_BASIC, text, low, "authorization"), "authorization")
    yield from _values(matches_at(_HEADER, text, low, "x-"), "api key")
    yield from _named(_assignments(text, low))
    yield from _named(_OPTION.finditer(text))
    yield from phrased(text, low)


def may_name_secret(name: str) -> bool:
    """Whether what stands under a name may be a secret because of the name. Quick."""
    low = name.casefold()
    return any(part in low for part in _TELLING)


def _assignments(text: str, low: str) -> Iterator[re.Match[str]]:
    """What `_ASSIGNED` matches, tried where a name stands only."""
    last = 0
    for start, stop in regions(low, _NAME_PARTS):
        for name in _NAMED.finditer(text, max(start, last), stop):
            if name.start() >= last and (found := _ASSIGNED.match(text, name.start())):
                last = found.end()
                yield found


def _values(matches: Iterator[re.Match[str]], kind: str) -> Iterator[tuple[int, int, str]]:
    for found in matches:
        if _is_key(found["value"]) or _is_password(found["value"]):
            yield *found.span("value"), kind


def _named(matches: Iterator[re.Match[str]]) -> Iterator[tuple[int, int, str]]:
    for found in matches:
        groups = found.re.groupindex
        start, end = found.span("value")
        value = found["value"]
        quoted = "quote" in groups and bool(found["quote"])
        if not quoted:
            value = _UNQUOTED_END.split(value, maxsplit=1)[0].rstrip(_TRAILING)
            end = start + len(value)
        said = "said" in groups and bool(found["said"])
        if found["password"]:
            if _is_password(value) and not (said and not _mixed(value)):
                yield start, end, "password"
        elif _is_key(value):
            yield start, end, "token" if found["key"].casefold().endswith("token") else "key"


def _in_addresses(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _ADDRESS.finditer(text):
        user, value = found["user"], found["value"]
        if _is_stand_in(value) or re.match(r"\d{1,5}[?#]", value) or value[0] in "$%{":
            continue
        if len(user) >= 20 and _is_key(user):
            yield *found.span("user"), "token"
        if value != "x-oauth-basic":
            yield *found.span("value"), "password"


def _is_stand_in(value: str) -> bool:
    return bool(_STAND_INS.search(value)) and not (len(set(value)) > 14 and re.search(r"\d", value))


def _is_password(value: str) -> bool:
    """At least six characters of two sorts, and neither code, nor a placeholder, nor the name of a method."""
    if len(value) < 6 or value.casefold() in _WORDS or _is_stand_in(value) or _CODE.search(value):
        return False
    return value.isdigit() or _mixed(value)


def _mixed(value: str) -> bool:
    """Letters beside digits, or a symbol that words do not hold."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return (letters and digits) or (any(char in _SYMBOLS for char in value[:-1]) and letters)


def _is_key(value: str) -> bool:
    """At least eight characters, letters beside digits, varied, and neither code nor a placeholder."""
    if len(value) < 8 or value.casefold() in _WORDS or _is_stand_in(value) or _CODE.search(value):
        return False
    if not (any(map(str.isalpha, value)) and any(map(str.isdigit, value))) or " " in value.strip():
        return False
    return _bits(value) >= _LEAST_BITS


def _bits(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
