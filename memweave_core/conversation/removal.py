"""Taking messages out of a transcript, or out of what summaries and facts are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..messages import Message
from ..text.frontmatter import split, update
from .message_form import LABEL, encode_id
from .transcript import Reader, number_of, serialise, withheld


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
    left = [name for name in reader.messages if name not in ids]
    return _noted("".join([*kept, text[at:]]), reader, left), "".join(taken)


def rewritten(text: str, messages: Sequence[Message]) -> tuple[str, str]:
    """(transcript that holds exactly `messages`, what was taken out of it as it stood).

    What is above the first message stays, and so does every byte of a message that is there as it was. The
    last id is kept as `without` does. Raises `UsageError` as `serialise` does, and when the front matter does
    not parse.
    """
    front = split(text)
    reader = Reader(text, list(LABEL.finditer(text, len(text) - len(front.body))))
    spans = {name: text[start:end] for name, start, end in reader.spans}
    head = text[: min((start for _, start, _ in reader.spans), default=reader.whole)]
    names = {message.id for message in messages}
    body = "".join(
        spans[message.id] if reader.messages.get(message.id) == message else serialise(message)
        for message in messages
    )
    gap = "" if not head or head.endswith("\n") else "\n"
    taken = "".join(said for name, said in spans.items() if name not in names) + text[reader.whole :]
    return _noted(head + gap + body, reader, [message.id for message in messages]), taken


def _noted(text: str, reader: Reader, left: Sequence[str]) -> str:
    """`text` with the front matter of a transcript in which, of what `reader` read, `left` are left."""
    data = split(text).data
    ever = [*reader.messages, str(data.get("last_id") or "")]
    last = max(map(number_of, ever))
    names = set(left)
    still = [encode_id(name) for name in withheld(data) if name in names]
    kept = f"m{last}" if last > max(map(number_of, left), default=0) else None
    return update(text, {"withheld": still or None, "last_id": kept})
