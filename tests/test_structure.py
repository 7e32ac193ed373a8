"""The order of the package: README's tree names every room, and imports only point upwards."""

import ast
import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kerasseq"


def rooms():
    """Return the top-level names of the package in the order of README's file tree."""
    tree = (ROOT / "README.md").read_text(encoding="utf-8").split("## Files")[1].split("```")[1]
    lines = tree.split("\nkerasseq/")[1].split("\ndocs/")[0].splitlines()[1:]
    return [line.split()[0].strip("/").removesuffix(".py") for line in lines]


def room_of(module):
    """Return the room of a dotted module name: "layers" of "kerasseq.layers.rnn"."""
    return module.split(".")[1]


def imported_rooms(path):
    """Yield the rooms that a file imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "kerasseq":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kerasseq."):
            yield room_of(node.module)
        elif isinstance(node, ast.Import):
            yield from (room_of(a.name) for a in node.names if a.name.startswith("kerasseq."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"kerasseq(\.\w+)+", node.value):  # for importlib.import_module
                yield room_of(node.value)


def test_the_tree_names_every_room():
    there = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    there = {name.removesuffix(".py") for name in there}
    assert sorted(rooms()) == sorted(there - {"__init__"})


def test_imports_only_point_upwards():
    order = {room: place for place, room in enumerate(rooms())}
    downwards = []
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        for imported in imported_rooms(path):
            if imported in order and order[imported] > order[room]:
                downwards.append(f"{path.relative_to(PACKAGE)} imports {imported}")
    assert not downwards


def test_names_of_the_package_are_imported_from_their_rooms():
    """`from kerasseq import bleu` inside the package would run everything above it."""
    public = set(ast.literal_eval(_all_of(PACKAGE / "__init__.py"))) - set(rooms())
    for path in PACKAGE.rglob("*.py"):
        if path.name != "__main__.py":
            assert not public & set(imported_rooms(path)), path


def _all_of(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.unparse(node.value)
    raise AssertionError(f"{path} has no __all__")


def test_no_test_module_imports_another():
    """What two test modules share stands in `tests/support`."""
    modules = {path.stem for path in (ROOT / "tests").glob("test_*.py")} | {"conftest"}
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            imported = {part for name in names for part in name.split(".")}
            assert not imported & modules, f"{path}: {names}"


def names_of_the_package(path):
    """Yield each (module, name) that a file imports from the package at its top."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kerasseq":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
            yield from ((name, None) for name in names if name.split(".")[0] == "kerasseq")


@pytest.mark.parametrize("folder", ["benchmarks", "tests", "tutorials"])
def test_every_import_from_the_package_is_there(folder):
    """A script that only a slow test starts is found here when a module moves."""
    missing = []
    for path in (ROOT / folder).rglob("*.py"):
        for module, name in names_of_the_package(path):
            try:
                found = importlib.import_module(module)
                if name and not hasattr(found, name):
                    importlib.import_module(f"{module}.{name}")
            except ImportError as error:
                missing.append(f"{path.relative_to(ROOT)}: {error}")
    assert not missing
