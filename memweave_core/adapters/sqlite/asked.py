"""What a keyword question consists of. Apart from the modules that answer it, which need numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...types import Where

if TYPE_CHECKING:
    from ...text.timespans import TimeSpan


@dataclass(frozen=True, slots=True)
class Asked:
    """A query in words: what, about which pages, and the days it names."""

    query: str
    where: Where
    spans: tuple[TimeSpan, ...] = ()
