"""Where settings come from: ``memweave.toml``, then the environment, then arguments, in rising order.

The only module besides the terminal that reads the environment and a settings file. A wrong name or value
is refused with the place where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_origin

from ._errors import ConfigError
from .checks import nearest_name
from .config import SETTINGS_FILE, MemoryConfig, assembled, dotted_names, leaves

PREFIX = "MEMWEAVE_"
RESERVED = frozenset({"MEMWEAVE_SQLITE", "MEMWEAVE_USER", "MEMWEAVE_WORKSPACE"})
"""Variables of ours that are not settings: the SQLite engine to force, the terminal's user and workspace."""

_ELSEWHERE = {"workspace_dir": "a workspace is named by the caller (--workspace, MEMWEAVE_WORKSPACE)"}
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its dotted name, its type, and whether it may be none."""

    name: str
    kind: Any
    optional: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it: ``query.max_results`` is ``MEMWEAVE_QUERY__MAX_RESULTS``."""
        return PREFIX + self.name.upper().replace(".", "__")


def known_settings() -> dict[str, Setting]:
    """Every setting that a file or a variable may hold, by dotted name."""
    return {name: _setting(name, kinds) for name, kinds in dotted_names() if name not in _ELSEWHERE}


def load_config(
    workspace: str | Path, *, environ: Mapping[str, str], overrides: Mapping[str, Any]
) -> MemoryConfig:
    """Settings of the memory in `workspace`: file < environment < `overrides` (nested like the file).

    Raises `ConfigError` for an unknown name, a value of the wrong type or out of range, or a file that is
    not TOML; the message says in which file or variable. A missing file is fine.
    """
    known = known_settings()
    folder = Path(workspace).expanduser()
    merged: dict[str, Any] = {}
    layers = (
        _file_layer(folder / SETTINGS_FILE, known),
        _environment_layer(environ, known),
        {name: (value, "the arguments") for name, value in _leaves(overrides, "the arguments")},
    )
    config = MemoryConfig(workspace_dir=str(folder))
    for layer in layers:
        if layer:
            merged |= {name: value for name, (value, _) in layer.items()}
            config = _build(folder, merged, layer)
    return config


def place_of(name: str, workspace: str | Path, *, environ: Mapping[str, str]) -> str:
    """Where a setting, given by dotted name, gets its value: a file, a variable, or its default."""
    known = known_settings()
    layers = (
        _environment_layer(environ, known),
        _file_layer(Path(workspace).expanduser() / SETTINGS_FILE, known),
    )
    return next((layer[name][1] for layer in layers if name in layer), "the defaults")


# --- the three sources ---------------------------------------------------------------------------------

_Layer = dict[str, tuple[Any, str]]


def _file_layer(path: Path, known: Mapping[str, Setting]) -> _Layer:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: save it as UTF-8 and try again.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    import tomllib  # 15 ms that a memory without a settings file does not need

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    where = str(path)
    layer: _Layer = {}
    for name, value in _leaves(data, where):
        setting = known[name]
        none = setting.optional and isinstance(value, str) and value.lower() == "none"
        layer[name] = (None if none and setting.kind is not str else value, where)
    return layer


def _leaves(data: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    for name, value in leaves(data, where=where):
        if name in _ELSEWHERE:
            raise ConfigError(f"{name} cannot be set in {where}: {_ELSEWHERE[name]}.")
        yield name, value


def _environment_layer(environ: Mapping[str, str], known: Mapping[str, Setting]) -> _Layer:
    by_variable = {setting.variable: setting for setting in known.values()}
    layer: _Layer = {}
    for variable, raw in sorted(environ.items()):
        if not variable.startswith(PREFIX) or variable in RESERVED or not raw.strip():
            continue
        setting = by_variable.get(variable)
        if setting is None:
            raise ConfigError(
                f"Unknown setting in the environment: {variable}.{_hint(variable, by_variable)}"
            )
        layer[setting.name] = (_parse(raw.strip(), setting), f"the variable {variable}")
    return layer


def _hint(variable: str, known: Mapping[str, Setting]) -> str:
    name = variable.removeprefix(PREFIX).lower().replace("__", ".")
    if name in _ELSEWHERE:
        return f" There is no such setting: {_ELSEWHERE[name]}."
    return nearest_name(variable, [*known, *RESERVED])


# --- types ---------------------------------------------------------------------------------------------


def _setting(name: str, kinds: tuple[Any, ...]) -> Setting:
    given = [kind for kind in kinds if kind is not NoneType]
    return Setting(name, given[0], optional=len(given) < len(kinds))


def _parse(raw: str, setting: Setting) -> Any:
    """The value a variable stands for; what does not fit is left as text, for validation to refuse."""
    kind = setting.kind
    if setting.optional and kind is not str and raw.lower() == "none":
        return None
    if kind is bool:
        return raw.lower() in _TRUE if raw.lower() in _TRUE | _FALSE else raw
    if get_origin(kind) is tuple:
        return (
            _toml(raw) if raw.startswith("[") else [part.strip() for part in raw.split(",") if part.strip()]
        )
    value = _toml(raw)
    if kind is str or get_origin(kind) is Literal:
        return value if isinstance(value, str) else raw
    return value


def _toml(raw: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        return raw


# --- building ------------------------------------------------------------------------------------------


def _build(folder: Path, merged: Mapping[str, Any], layer: _Layer) -> MemoryConfig:
    try:
        return assembled({**merged, "workspace_dir": str(folder)})
    except ConfigError as error:
        message = str(error)
        places = {place for name, (_, place) in layer.items() if message.startswith(name)}
        where = places or {place for _, place in layer.values()}
        raise ConfigError(f"{message.rstrip('.')} (in {', '.join(sorted(where))}).") from error
