"""Snowball stemmers by language code, followed by accent folding."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

from .spelling import fold

DEFAULT_LANGUAGE = "en"
"""Stands in for a language that is unsure: the same mapping on both sides does little harm."""

_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """A function from a word in any case to its stem without accents; without a stemmer, it only folds."""
    import Stemmer

    algorithm = _ALGORITHMS.get(language, "")
    if algorithm not in Stemmer.algorithms():
        return fold
    # A stemmer object holds one buffer and must not be entered by two threads; its own cache is not needed.
    stem_word, lock = Stemmer.Stemmer(algorithm, 0).stemWord, threading.Lock()

    def stem(word: str) -> str:
        with lock:
            return fold(stem_word(word.casefold()))

    return stem
