"""Which pages are replaced by others: what `superseded_by` in their front matter names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from .names import MARKDOWN_SUFFIXES, is_markdown

_SUFFIXES: Final = ("", *MARKDOWN_SUFFIXES)


class Replaceable(NamedTuple):
    """A page: its path, its owner, its title and aliases, and what it says replaces it, as written."""

    path: str
    owner: str | None
    names: tuple[str, ...] = ()
    superseded_by: str | None = None


def successors(pages: Iterable[Replaceable]) -> dict[str, str]:
    """The path of the page that replaces each replaced one.

    A page is named by its path, from the memory, from its own folder or in full, with or without its suffix;
    by its file name alone, as in a wiki link, or by its title or an alias. A page that names none, or
    itself, is not replaced; nor is one whose chain of successors leads back to it, for else all of the chain
    would be lost; nor one whose successor is private to a user that it does not belong to.
    """
    known = {page.path: page for page in pages}
    asking = [page for page in known.values() if page.superseded_by]
    if not asking:
        return {}
    named = _by_name(known.values())
    found: dict[str, str] = {}
    for page in asking:
        for path in _meant(page, known, named):
            if path != page.path and known[path].owner in (None, page.owner):
                found[page.path] = path
                break
    return {path: after for path, after in found.items() if not _leads_back(path, found)}


def _by_name(pages: Iterable[Replaceable]) -> dict[str, list[str]]:
    """Paths by file name without suffix, title and alias, in any case."""
    named: dict[str, list[str]] = {}
    for page in pages:
        file = posixpath.splitext(posixpath.basename(page.path))[0]
        for name in dict.fromkeys(one.casefold() for one in (file, *page.names)):
            named.setdefault(name, []).append(page.path)
    return named


def _meant(
    page: Replaceable, known: Mapping[str, Replaceable], named: Mapping[str, list[str]]
) -> Iterator[str]:
    """The pages that the value may mean, the most literal first."""
    value = (page.superseded_by or "").strip().replace("\\", "/").partition("#")[0].removeprefix("./")
    roots = ("", posixpath.dirname(page.path), page.path.split("/")[0])
    for root in roots:
        for suffix in _SUFFIXES:
            path = posixpath.normpath(posixpath.join(root, value + suffix))
            if path in known:
                yield path
    name = posixpath.splitext(value)[0] if is_markdown(value) else value
    yield from named.get(name.casefold(), ())


def _leads_back(path: str, after: Mapping[str, str]) -> bool:
    seen = {path}
    at = after.get(path)
    while at is not None and at not in seen:
        seen.add(at)
        at = after.get(at)
    return at == path
