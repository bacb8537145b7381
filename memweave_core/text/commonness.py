"""How much an ordinary word tells, before any page is looked at.

In a folder of a hundred notes "adhesive" and "way" may stand equally often, yet only one of them says what a
question is about. It helps questions in other words than their answers in a small folder; where there is more
text to count words in (dialogues, paragraphs) it changes next to nothing: docs/quality.md.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from .spelling import fold

RARE: Final = 1.0


@cache
def _rarities() -> dict[str, float]:
    from .word_frequencies import BY_RARITY  # 4,000 words, needed by questions only

    return {word: level / 10 for level, words in BY_RARITY.items() for word in words.split()}


def rarity(word: str) -> float:
    """In [0.2, 1]: what a word counts beside a rare one, by its frequency on the web in any of 16 languages.

    A word of which one in 400 is, or more, counts 0.2; the weight rises with the logarithm of the rarity to
    1 for one in 100,000 and rarer.
    """
    return _rarities().get(fold(word.casefold()), RARE)
