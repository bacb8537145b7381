"""What a ranking is worth: the usual measures of retrieval, for one question and as means.

The definitions are those of public evaluations of retrieval over dialogues: mean recall and NDCG over the
relevant items, "hit" for any and "all" for every relevant page among the first k distinct pages.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any


def distinct(items: Iterable[Hashable]) -> list[Hashable]:
    """The items in order, each once."""
    return list(dict.fromkeys(items))


def recall(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """The share of the relevant items among the first `k`."""
    return len(set(ranked[:k]) & set(relevant)) / len(relevant)


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int = 10) -> float:
    """Normalised discounted cumulative gain with a gain of 1 for each relevant item."""
    gain = sum(1 / math.log2(rank + 2) for rank, item in enumerate(ranked[:k]) if item in relevant)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(k, len(relevant))))


def scores(
    ranked: Sequence[Hashable], relevant: Collection[Hashable], page_of: Mapping[Any, str]
) -> dict[str, float]:
    """All measures of one ranking of items; `page_of` says which page an item stands in."""
    pages = distinct(page_of[item] for item in ranked)
    wanted = {page_of[item] for item in relevant}
    return {
        "recall@1": recall(ranked, relevant, 1),
        "recall@5": recall(ranked, relevant, 5),
        "recall@10": recall(ranked, relevant, 10),
        "ndcg@10": ndcg(ranked, relevant),
        "page_hit@5": float(not wanted.isdisjoint(pages[:5])),
        "page_hit@10": float(not wanted.isdisjoint(pages[:10])),
        "page_all@5": recall(pages, wanted, 5) // 1,
    }


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every measure, to four places."""
    if not rows:
        return {}
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}
