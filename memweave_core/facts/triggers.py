"""What a user asks to be remembered or forgotten, in so many words.

Only for text that a user wrote: a document that says "remember that" asks for nothing. Quotations, quoted
lines and code are left out, and so are questions ("do you remember that …?") and reports ("I don't remember
that …", "he told me to remember that …"): a request opens its sentence, or a clause after a comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from .trigger_tables import ENGLISH, SPANISH, TriggerTable

__all__ = ["ENGLISH", "SPANISH", "TABLES", "Request", "TriggerTable", "requests"]

TABLES: Final[tuple[TriggerTable, ...]] = (ENGLISH, SPANISH)

LONGEST: Final = 500
"""Characters of a statement; more is a document, not something to keep in mind."""

_FENCED: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INDENTED: Final = re.compile(r"(?:\A|^[ \t]*\n)(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+", re.MULTILINE)
"""Code by its indentation, which begins after an empty line."""

_QUOTED_LINE: Final = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|„[^“”\n]{0,400}[“”]|``[^`\n]+``|`[^`\n]+`"
    r"|(?<!\w)'[^'\n]{0,400}'(?!\w)|‘[^’\n]{0,400}’(?!\w)"
)
_SENTENCE_END: Final = re.compile(r"[.!?…]+[\"'”’»)]*(?=\s)|;(?=\s)|\n+")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:dr|dra|mr|mrs|ms|sr|sra|srta|prof|st|vs|etc|approx|no|núm|art|tel|jr|e\.g|i\.e|p\.ej)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(\S.*)")
_MOST_OPENERS: Final = 6
_LONGEST_SENTENCE: Final = 1_000
_HIDDEN: Final = "\x01"
_TRIMMED: Final = " \t\r\n,;:.!?…-–—\"“”«»'"


@dataclass(frozen=True, slots=True)
class Request:
    """A request found in a message: `text` is the statement in the user's words, `quote` the request."""

    kind: Literal["remember", "forget"]
    text: str
    quote: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as written, with what is quoted hidden in `seen` (same length), and whether it asks."""

    text: str
    seen: str
    asks: bool


def requests(text: str, tables: Sequence[TriggerTable] = TABLES) -> list[Request]:
    """The requests in a user's message, in order; [] for most messages.

    Sentences of more than 1,000 characters are not looked at.
    """
    folded = text.casefold()
    tables = [table for table in tables if _hinted(table, folded)]
    if not tables:
        return []
    sentences = list(_sentences(text))
    found: dict[tuple[str, str], Request] = {}
    for at in range(len(sentences)):
        folded = sentences[at].text.casefold()
        for table in tables:
            request = _request(sentences, at, table) if _hinted(table, folded) else []
            for one in request:
                found.setdefault((one.kind, one.text), one)
            if request:
                break
    return list(found.values())


def _request(sentences: Sequence[_Sentence], at: int, table: TriggerTable) -> list[Request]:
    sentence, patterns = sentences[at], _compiled(table)
    for opens, clause in (patterns.polite, patterns.plain):
        if sentence.asks and opens is patterns.plain[0]:
            continue
        match = opens.match(sentence.seen) or clause.search(sentence.seen)
        if match and not patterns.reported.search(sentence.seen[: match.start()]):
            return _read(sentences, at, match, table)
    for pattern in () if sentence.asks else (patterns.standing, patterns.standing_last):
        standing = pattern.match(sentence.seen)
        if standing:
            start, end = standing.span("rest")
            return _given("remember", sentence.text[start:end], sentence.text)
    return []


def _read(
    sentences: Sequence[_Sentence], at: int, match: re.Match[str], table: TriggerTable
) -> list[Request]:
    sentence, patterns = sentences[at], _compiled(table)
    kind: Literal["remember", "forget"] = "forget" if match["forget"] else "remember"
    rest, seen = sentence.text[match.end() :], sentence.seen[match.end() :]
    if patterns.nothing.match(sentence.seen, match.end("at")) or (
        kind == "forget" and patterns.orders.search(seen)
    ):
        return []
    if not patterns.reference.fullmatch(seen.strip(_TRIMMED)):
        return _given(kind, rest, sentence.text)
    if kind == "forget":
        return []
    if sentence.text.rstrip().endswith(":"):
        return _listed(sentences, at, sentence.text)
    before = sentence.text[: match.start()].strip(_TRIMMED)
    if len(before) < 3 and at and not sentences[at - 1].asks:
        before = sentences[at - 1].text
    return _given("remember", before, f"{before} {sentence.text}".strip())


def _listed(sentences: Sequence[_Sentence], at: int, quote: str) -> list[Request]:
    """The bullets that follow a "remember this:", or else the one sentence that follows."""
    following = sentences[at + 1 :]
    bullets: list[Request] = []
    for sentence in following:
        bullet = _BULLET.fullmatch(sentence.text.strip())
        if not bullet:
            break
        bullets += _given("remember", bullet[1], sentence.text)
    return bullets or (_given("remember", following[0].text, quote) if following else [])


def _given(kind: Literal["remember", "forget"], statement: str, quote: str) -> list[Request]:
    plain = " ".join(statement.split()).strip(_TRIMMED.replace("'", "").replace('"', ""))
    if len(plain) > 1 and plain[0] + plain[-1] in ('""', "''", "“”", "«»"):
        plain = plain[1:-1].strip()
    if len(re.findall(r"\w", plain)) < 3 or len(plain) > LONGEST:
        return []
    return [Request(kind, plain, " ".join(quote.split()))]


def _sentences(text: str) -> Iterator[_Sentence]:
    text = _FENCED.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))
    text = _INDENTED.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = _QUOTED_LINE.sub("", text)
    seen = _QUOTED.sub(lambda found: _HIDDEN * len(found[0]), text.replace("’", "'"))
    start = 0
    for end in [*_SENTENCE_END.finditer(text), None]:
        stop = end.end() if end else len(text)
        if end and end[0] == "." and _ABBREVIATION.search(text[max(0, stop - 12) : stop]):
            continue
        body = text[start:stop]
        if body.strip() and len(body) <= _LONGEST_SENTENCE:
            closing = body.rstrip().rstrip("\"'”’»)")
            yield _Sentence(body, seen[start:stop], closing.endswith("?"))
        start = stop


@dataclass(frozen=True, slots=True)
class _Patterns:
    """A table as regular expressions. `polite` ones ask with a question mark as well as without."""

    polite: tuple[re.Pattern[str], ...]
    plain: tuple[re.Pattern[str], ...]
    standing: re.Pattern[str]
    standing_last: re.Pattern[str]
    reported: re.Pattern[str]
    nothing: re.Pattern[str]
    reference: re.Pattern[str]
    orders: re.Pattern[str]


def _build(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _any(patterns: Sequence[str]) -> str:
    return "|".join(patterns) or "(?!)"  # without any, there is nothing that matches


@cache
def _compiled(table: TriggerTable) -> _Patterns:
    openers = rf"(?:(?:{_any(table.openers)})\b[\s,:!]*){{0,{_MOST_OPENERS}}}"
    reported = _any(table.reported)
    opening = rf"[\s\W_]*{openers}(?:(?!(?:{reported})\b)\w+,\s+)?{openers}"
    joint = rf"(?:[,;:–—]|\s-|\b(?:{_any(table.joints)})\b)\s*{openers}"
    told = _verbs(table.forget, table.remember, table.links)
    asked = rf"(?:{_any(table.asking)})\s+{openers}{_verbs(table.to_forget, table.to_remember, table.links)}"
    standing = rf"(?:{_any(table.standing)})(?!\s+(?:{_any(table.spoken_of)})\b)"
    return _Patterns(
        polite=(_build(opening + asked), _build(joint + asked)),
        plain=(_build(opening + told), _build(joint + told)),
        standing=_build(rf"{opening}(?:{standing})\b[\s,:]+(?P<rest>.+)"),
        standing_last=_build(rf"\s*(?P<rest>\S.*?)[\s,]+(?:{standing})[\s.!]*$"),
        reported=_build(rf"\b(?:{reported})\b"),
        nothing=_build(rf"\s*(?:{_any((*table.nothing, *table.spoken_of))})(?!\w)"),
        reference=_build(rf"(?:{_any(table.references)})?"),
        orders=_build(_any(table.orders)),
    )


def _verbs(forget: Sequence[str], remember: Sequence[str], links: Sequence[str]) -> str:
    """Either verb, with the "that" or the colon that follows it."""
    verb = rf"(?:(?P<forget>{_any(forget)})|(?:{_any(remember)}))(?!\w)"
    return rf"{verb}(?P<at>)(?:[\s,]*(?:{_any(links)})(?!\w))?[\s,:]*"


def _hinted(table: TriggerTable, folded: str) -> bool:
    """Whether there may be a request of this language: far faster to say than whether there is one."""
    return not table.hints or any(hint in folded for hint in table.hints)
