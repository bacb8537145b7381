"""Whether two facts say the same, by their content alone.

Embedders find any two facts about coffee alike, so similarity only proposes candidates. Two facts are the
same when they have the same words in the same order, leaving out what never makes a difference; one is
fuller when it says all of the other and goes on; one has changed when it gives a new value to what has one
value at a time, or says that the other is over. Everything else, and all that is unsure, is different: no
fact is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from . import statement_words as words
from .statement import Statement, Word, begins_with, language_of, read, same_words, words_of

Verdict: TypeAlias = Literal["same", "fuller", "poorer", "changed", "different"]

_LONGEST = 500
_MOST_LIGHT_WORDS = 3


def verdict(new: str, old: str) -> Verdict:
    """What `new` is to `old`.

    "same": the same statement. "fuller": it says all that `old` says and more. "poorer": the other way round.
    "changed": `old` held before and `new` holds now. "different": neither, or not sure. English and Spanish;
    facts in other languages are the same only when their words are.
    """
    restated = restatement(new, old)
    if restated != "different" or max(len(new), len(old)) > _LONGEST:
        return restated
    language = language_of(new, old)
    return "changed" if _changed(read(new, language), read(old, language)) else "different"


def restatement(new: str, old: str) -> Verdict:
    """The verdict without looking for changes, which takes longer: a changed fact is "different" here."""
    if max(len(new), len(old)) > _LONGEST:
        return "same" if new == old else "different"
    language = language_of(new, old)
    one, other = read(new, language), read(old, language)
    if same_words(one.words, other.words):
        return _by_stress(one, other)
    if _fuller(one, other):
        return "fuller"
    if _fuller(other, one):
        return "poorer"
    return "different"


def _by_stress(new: Statement, old: Statement) -> Verdict:
    if new.also != old.also:
        return "different"
    if new.stress == old.stress:
        return "same"
    if new.stress > old.stress:
        return "fuller"
    return "poorer" if new.stress < old.stress else "different"


def _fuller(long: Statement, short: Statement) -> bool:
    return long.stress >= short.stress and _goes_on(long.words, short.words)


def _goes_on(long: Sequence[Word], short: Sequence[Word]) -> bool:
    """Whether the words of `short` begin `long`, and what follows adds without taking back."""
    if not short or len(long) < len(short) or long[0].text in words.REVERSES:
        return False
    preferred = long[0].text in ("prefer", "prefiere") and short[0].text in ("like", "gusta")
    if not (preferred and begins_with(long[1:], short[1:])) and not begins_with(long, short):
        return False
    rest = long[len(short) :]
    if not rest:
        return preferred and len(short) > 1
    if len(short) == 1 and not preferred:
        return False
    if any(word.text in words.REVERSES for word in rest):
        return False
    if _digits(short[-1].text) and _digits(rest[0].text):
        return False
    return rest[0].text in words.CONTINUES or (rest[0].pause and not rest[0].text.isnumeric())


def _digits(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _changed(new: Statement, old: Statement) -> bool:
    return (
        _new_value(new, old)
        or _is_over(new, old)
        or _switched(new, old)
        or _now_another(new, old)
        or _opposite(new, old)
    )


def _new_value(new: Statement, old: Statement) -> bool:
    """Whether both give a value to the same attribute, and not the same one."""
    if new.negated or old.negated or new.also or old.also or old.parts > 1:
        return False
    one, other = _attribute(new), _attribute(old)
    if one is None or other is None or one[0] != other[0]:
        return False
    (value, _), (before, tail) = one[1:], other[1:]
    texts, others = {word.text for word in value}, {word.text for word in before}
    if not value or not before or texts <= others or others <= texts or same_words(value, before):
        return False
    added = {word.text for word in tail}
    limited = {word.text for word in (*new.words, *old.words)} & words.LIMITS
    return not limited and not added & {"and", "y", "e"} and not any(word.pause for word in tail[1:])


@lru_cache(maxsize=4096)
def _attribute(statement: Statement) -> tuple[str, tuple[Word, ...], tuple[Word, ...]] | None:
    """The attribute a statement is about, the words of its value, and those after it."""
    for pattern in words.ATTRIBUTES:
        match = pattern.fullmatch(statement.plain.rstrip(" .!"))
        if match:
            key = re.sub(r"^(?:my|mi|su|el|la|the) ", "", match["key"].casefold())
            found = words_of(match["value"], statement.language)
            end = next(
                (i for i, word in enumerate(found) if i and (word.text in words.VALUE_ENDS or word.pause)),
                len(found),
            )
            return words.KEYS.get(key, key), found[:end], found[end:]
    return None


def _is_over(new: Statement, old: Statement) -> bool:
    """Whether `new` says that what `old` states no longer holds."""
    gone = _gone(new, words.OVER)
    return bool(gone) and not old.negated and (_like(old.words, gone) or _goes_on(gone, old.words))


def _like(stated: Sequence[Word], gone: Sequence[Word]) -> bool:
    """Whether what is gone is (the beginning of) what was stated, whatever the form of its verb."""
    if not stated or len(gone) > len(stated):
        return False
    said = len(gone) > 1 or len(stated) == 1
    return said and stated[0].stem == gone[0].stem and begins_with(stated[1:], gone[1:])


def _switched(new: Statement, old: Statement) -> bool:
    """Whether `new` names the thing that `old` is about as what was replaced."""
    gone = _gone(new, words.SWITCHED)
    before = old.words[: len(old.words) - len(gone)]
    if not gone or old.negated or not before or len(before) > _MOST_LIGHT_WORDS:
        return False
    favourite = any(word.text in ("favourite", "favorito", "favorita") for word in before)
    light = [word for word in before if {word.text, word.text.removesuffix("s")} & words.LIGHT]
    return same_words(old.words[len(before) :], gone) and len(before) - len(light) <= int(favourite)


def _gone(new: Statement, patterns: Sequence[re.Pattern[str]]) -> tuple[Word, ...]:
    for pattern in patterns:
        match = pattern.fullmatch(new.plain.rstrip(" .!"))
        if match:
            gone = re.split(r"[,;.] |\b(?:but|and now|pero|y ahora)\b", match["gone"])[0]
            return words_of(gone, new.language)
    return ()


def _now_another(new: Statement, old: Statement) -> bool:
    """Whether `new` stresses the present of something of which there is one at a time."""
    if not new.now or new.also or old.also or new.negated or old.negated or not (new.words and old.words):
        return False
    one, other = new.words, old.words
    verb = one[0].stem == other[0].stem and {one[0].text.removesuffix("s"), one[0].text} & words.ONE_AT_A_TIME
    short = 2 <= len(one) <= 1 + _MOST_LIGHT_WORDS and 2 <= len(other) <= 1 + _MOST_LIGHT_WORDS
    return bool(verb) and short and not begins_with(one, other) and not begins_with(other, one)


def _opposite(new: Statement, old: Statement) -> bool:
    """Whether the two say opposite things of the same."""
    if not new.words or not old.words or new.negated or old.negated:
        return False
    pair = frozenset((new.words[0].text, old.words[0].text))
    return pair in words.OPPOSITES and len(new.words) > 1 and same_words(new.words[1:], old.words[1:])
