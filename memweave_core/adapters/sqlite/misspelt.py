"""Words of the index that a word of a question, which the index does not know, may be meant for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .driver import Connection

SHORTEST = 5
"""Letters that a word must have: too many others look like a shorter one."""

ALIKE = 0.8
"""How alike two words must be: twice the letters that they share in order, by the letters of both.

One letter wrong or two exchanged in five, one missing or too many in four.
"""

MOST = 6
"""Words that one may be meant for, at most; the most alike come first."""

_LOOKED_AT = 64

WEIGHT = 0.8
"""What a word that is probably meant counts beside one that is written."""

FARTHER = 0.6
"""What a word counts that is less like the one in the question than another beside that other."""

_SAME_START = 2


class Guess(NamedTuple):
    """A known word, and how many slips it takes to write `word` for it."""

    slips: int
    word: str


def meant(connection: Connection, word: str) -> tuple[Guess, ...]:
    """Known words that are nearly `word`, the nearest first; none for a short word or one with digits.

    The first two letters have to be right, so that few words need to be looked at; a wrong first letter
    mostly makes another word.
    """
    if len(word) < SHORTEST or not word.isalpha():
        return ()
    start = word[:_SAME_START]
    rows = connection.execute(
        "SELECT term FROM chunk_terms WHERE term >= ? AND term < ?",
        (start, start[:-1] + chr(ord(start[-1]) + 1)),
    ).fetchall()
    known = [row[0] for row in rows if row[0].isalpha() and -4 <= len(row[0]) - len(word) <= 2]
    if not known:
        return ()
    from difflib import get_close_matches  # needed by few questions

    found = {stem: slips(word, stem) for stem in get_close_matches(word, known, _LOOKED_AT, ALIKE)}
    # Known words are stems, and no stemmer knows the ending of a word that it does not understand: whatever
    # stands in the place of one counts as a slip.
    for length in sorted({len(stem) for stem in known if SHORTEST <= len(stem) < len(word)}, reverse=True):
        stems = [stem for stem in known if len(stem) == length and stem not in found]
        found |= {
            stem: 1 + slips(word[:length], stem)
            for stem in get_close_matches(word[:length], stems, _LOOKED_AT, ALIKE)
        }
    return tuple(sorted(Guess(count, stem) for stem, count in found.items()))


def slips(one: str, other: str) -> int:
    """The least number of letters put in, left out, replaced, or exchanged with the next one.

    The distance of Damerau (1964) in the form of an optimal alignment: no letter is changed twice.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, facing in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != facing))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == facing:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
    return row[-1]
