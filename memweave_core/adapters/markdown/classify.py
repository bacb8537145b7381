"""What a page says of itself, by its path and front matter: the one place that decides it. Pure."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from ...text.blocks import document_title
from ...text.dates import date_of_path, parse_date
from ...text.names import decode_segment, is_markdown
from ...types import PageMeta, Tier
from .layout import Layout

_TIERS: dict[str, Tier] = {name: name for name in get_args(Tier)}
_TIER_FOLDERS: dict[str, Tier] = {
    "sessions": "episodic",
    "working": "working",
    "procedures": "procedural",
    "rules": "procedural",
    "runbooks": "procedural",
}
_INTERPRETED = frozenset(
    ["title", "date", "tier", "pinned", "evergreen", "expires_at", "tags", "aliases", "superseded_by"]
)


def page_meta(key: str, data: Mapping[str, Any], body: str, layout: Layout) -> tuple[PageMeta, list[str]]:
    """(what is known of a page, a sentence for each front matter value that means nothing).

    Source label: the first folder below the memory folder, "memory" directly in it, "external" elsewhere.
    Owner: the name after ``users/``. Date: front matter, else the path. Evergreen: undated, matched by
    `evergreen_patterns`, or said so. Tier: front matter, else a folder that names one, else episodic when the
    path is dated, else semantic.
    """
    reader = _Reader(data)
    rest = layout.below_memory(key)
    folders = rest.split("/")[:-1] if rest else []
    path_date = date_of_path(rest or key)
    date = reader.date("date") or path_date
    meta = PageMeta(
        path=key,
        source="external" if rest is None else decode_segment(folders[0]) if folders else "memory",
        tier=reader.tier() or _tier_of(folders, path_date),
        date=date,
        evergreen=_evergreen(date, reader.flag("evergreen"), layout.evergreen(key)),
        owner=owner_of(key, layout),
        title=reader.text("title") or document_title(body) or _stem(key),
        tags=tuple(dict.fromkeys(tag for tag in map(_tag, reader.words("tags", ",")) if tag)),
        aliases=tuple(dict.fromkeys(reader.words("aliases"))),
        pinned=reader.flag("pinned") or False,
        superseded_by=reader.path("superseded_by"),
        expires_at=reader.date("expires_at"),
        external=layout.root_of(key) is None,
        metadata={name: _plain(value) for name, value in data.items() if name not in _INTERPRETED},
    )
    return meta, reader.warnings


def owner_of(key: str, layout: Layout) -> str | None:
    """The user whose private page a key is, by the key alone: the name after ``users/``, else None."""
    rest = layout.below_memory(key)
    return _owner(rest.split("/")[:-1]) if rest else None


class _Reader:
    """Front matter values in the types they should have; what has another is told, not guessed."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.warnings: list[str] = []

    def text(self, name: str) -> str:
        """A string; of a list, the first; wiki links lose their brackets. "" when there is none."""
        return next(iter(self.words(name)), "")

    def path(self, name: str) -> str | None:
        """A string that names a page; None for anything else, such as false."""
        return None if isinstance(self._data.get(name), bool) else self.text(name) or None

    def words(self, name: str, separator: str | None = None) -> list[str]:
        """A list of strings, from a list or from one string, which `separator` splits."""
        value = self._data.get(name)
        if isinstance(value, str) and separator:
            value = value.split(separator) if separator in value else value.split()
        return [text for text in (_unlinked(str(item)) for item in _flat(value)) if text]

    def flag(self, name: str) -> bool | None:
        value = self._data.get(name)
        if value is None or isinstance(value, bool):
            return value
        known = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        flag = known.get(str(value).strip().lower())
        if flag is None:
            self._warn(name, value, "is neither true nor false")
        return flag

    def date(self, name: str) -> dt.date | None:
        value = self._data.get(name)
        found = parse_date(value)
        if found is None and value not in (None, ""):
            self._warn(name, value, "is not a date")
        return found

    def tier(self) -> Tier | None:
        value = self._data.get("tier")
        tier = _TIERS.get(str(value).strip().lower())
        if tier is None and value not in (None, ""):
            self._warn("tier", value, f"is none of {', '.join(_TIERS)}")
        return tier

    def _warn(self, name: str, value: object, fault: str) -> None:
        if "{{" in str(value):
            return  # a template's placeholder is not meant to be a value
        self.warnings.append(f"Front matter {name}: {str(value)[:60]!r} {fault} and was not used.")


def _evergreen(date: dt.date | None, said: bool | None, matched: bool) -> bool:
    """An undated page cannot age; for a dated one its own word counts before the patterns."""
    return date is None or (matched if said is None else said)


def _tier_of(folders: list[str], path_date: dt.date | None) -> Tier:
    # A date in the front matter (of a decision record, say) does not make a page an episode.
    named = next((_TIER_FOLDERS[name] for name in reversed(folders) if name in _TIER_FOLDERS), None)
    return named or ("episodic" if path_date is not None else "semantic")


def _owner(folders: list[str]) -> str | None:
    """The user a page is private to. The case of "users" is let be: some file systems do so too."""
    if len(folders) < 2 or folders[0].casefold() != "users":
        return None
    return decode_segment(folders[1])


def _stem(key: str) -> str:
    name = key.rpartition("/")[2]
    return decode_segment(name.rpartition(".")[0] if is_markdown(name) else name)


def _flat(value: object) -> Iterator[object]:
    """YAML reads an unquoted [[link]] as lists in a list."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    elif value is not None:
        yield value


def _unlinked(text: str) -> str:
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].partition("|")[0]
    return text.strip()


def _tag(text: str) -> str:
    return text.strip().lstrip("#").strip()


def _plain(value: object) -> Any:
    """A value that JSON can hold; dates become ISO strings."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)
