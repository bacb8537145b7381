"""Taking messages out of a transcript, or out of what summaries and facts are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..text.frontmatter import split, update
from .message_form import LABEL, encode_id
from .transcript import Reader, number_of, withheld


def withhold(text: str, ids: Iterable[str]) -> str:
    """A transcript that names `ids` in its front matter: messages of which nothing may be made any more.

    Raises `UsageError` when the front matter does not parse.
    """
    listed = withheld(split(text).data)
    every = list(dict.fromkeys([*listed, *ids]))
    return text if every == listed else update(text, {"withheld": [encode_id(name) for name in every]})


def release(text: str, ids: Iterable[str]) -> str:
    """A transcript that no longer names `ids` as withheld: the undoing of `withhold`.

    Raises `UsageError` when the front matter does not parse.
    """
    listed = withheld(split(text).data)
    gone = set(ids)
    still = [encode_id(name) for name in listed if name not in gone]
    return text if len(still) == len(listed) else update(text, {"withheld": still or None})


def without(text: str, ids: Collection[str]) -> tuple[str, str]:
    """(transcript without the messages `ids`, what was taken out of it as it stood).

    No other byte below the front matter changes. There the last id is kept when it is gone, so that none is
    given twice. Raises `UsageError` when the front matter does not parse.
    """
    front = split(text)
    reader = Reader(text, list(LABEL.finditer(text, len(text) - len(front.body))))
    kept: list[str] = []
    taken: list[str] = []
    at = 0
    for name, start, end in reader.spans:
        if name in ids:
            kept.append(text[at:start])
            taken.append(text[start:end])
            at = end
    if not taken:
        return text, ""
    left = max((number_of(name) for name in reader.messages if name not in ids), default=0)
    ever = [*reader.messages, str(front.data.get("last_id") or "")]
    last = max(number_of(name) for name in ever)
    still = [encode_id(name) for name in withheld(front.data) if name not in ids]
    changes = {"withheld": still or None, "last_id": f"m{last}" if last > left else None}
    return update("".join([*kept, text[at:]]), changes), "".join(taken)
