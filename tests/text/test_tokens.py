"""What the token estimate promises."""

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.tokens import UNITS, estimate_tokens, weight

PROSE = "We decided on Tuesday that the connection pool should be twice as large as it was last year. "


@given(st.text(), st.text())
@settings(max_examples=100)
def test_weight_is_additive(left: str, right: str) -> None:
    """The weight of a text is the sum of the weights of its parts, so any cut can be costed by itself."""
    assert weight(left + right) == weight(left) + weight(right)


@given(st.text(st.characters(), min_size=1))
@settings(max_examples=100)
def test_estimate_bounds(text: str) -> None:
    """Every text costs at least one token, no character more than three; lone surrogates are fine."""
    assert 1 <= estimate_tokens(text) <= 3 * len(text)


def test_nothing_costs_nothing() -> None:
    """An empty text is no token."""
    assert estimate_tokens("") == 0


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (PROSE * 10, 3.5, 4.5),
        ("今天下午三点开项目评审会议，请大家提前准备好数据库连接池的设计文档。" * 10, 0.8, 1.3),
        ("データベースの接続プールについて、来週の会議で議論する予定です。" * 10, 0.8, 1.3),
        (base64.b64encode(random.Random(7).randbytes(3000)).decode(), 1.3, 2.0),
        (random.Random(7).randbytes(1500).hex(), 1.6, 2.2),
        ("Сегодня мы обсудили подключение к базе данных и решили использовать пул. " * 10, 1.8, 2.8),
    ],
    ids=["prose", "chinese", "japanese", "base64", "hex", "russian"],
)
def test_characters_per_token(text: str, low: float, high: float) -> None:
    """Characters per token stay near what embedding tokenizers give for each kind of text."""
    assert low <= len(text) / estimate_tokens(text) <= high


def test_estimate_rounds_up() -> None:
    """A part of a token counts as a whole one."""
    assert weight("a") < UNITS
    assert estimate_tokens("a") == 1
