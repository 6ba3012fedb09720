"""The house that the sources are: its rooms in one order, its names once each, its functions with types."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import lawful

HOUSE = Path(lawful.__file__).parent
MODULES = {
    path.relative_to(HOUSE).as_posix(): ast.parse(path.read_text("utf-8")) for path in HOUSE.rglob("*.py")
}
FRONT = "__init__"  # the names that users import from `lawful` itself

# A room (a package or a module at the top) imports only rooms that stand above it in this list. That rules
# out cycles too.
ROOMS = [
    "errors",
    "shown",
    "halting",
    "kernels",
    "arrays",
    "words",
    "caching",
    "costs",
    "machine",
    "replacing",
    "laws",
    "reasoning",
    "spark",
    "table",
    "evidence",
    "cover",
    "validate",
    "engine",
    "discovery",
    "changes",
    "checking",
    "report",
    "api",
    FRONT,
    "cli",
    "__main__",
]
# The generators stand apart: they know nothing of the search, and only the front knows them.
APART = {"datasets": {"errors"}}


def room_of(path: str) -> str:
    return path.split("/")[0].removesuffix(".py")


def imported(tree: ast.Module) -> Iterator[str]:
    """The rooms that a module imports, wherever the import stands: in a function or for types only too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from map(room_in, (alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports have absolute names, so that one can search for them"
            yield from map(room_in, (f"{node.module}.{alias.name}" for alias in node.names))


def room_in(name: str) -> str:
    """The room in the name of what is imported: "" for what is not ours."""
    package, _, rest = name.partition(".")
    room = rest.split(".")[0]
    if package != "lawful":
        return ""
    is_room = room and ((HOUSE / room).is_dir() or (HOUSE / f"{room}.py").exists())
    return room if is_room else FRONT


def roads() -> set[tuple[str, str]]:
    """From which room to which one there are imports."""
    all_roads = {
        (room_of(path), there) for path, tree in MODULES.items() for there in imported(tree) if there
    }
    return {(here, there) for here, there in all_roads if here != there}


def leads_up(here: str, there: str) -> bool:
    if here in APART:
        return there in APART[here]
    if there in APART:
        return here == FRONT
    return ROOMS.index(there) < ROOMS.index(here)


def test_every_room_has_a_place() -> None:
    assert {room_of(path) for path in MODULES} <= {*ROOMS, *APART}


def test_rooms_import_only_rooms_above_them() -> None:
    assert {road for road in roads() if not leads_up(*road)} == set()


def places_of(names: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """Where each name stands, of those that stand in several places."""
    places = defaultdict(list)
    for name, place in names:
        places[name].append(place)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1}


def test_no_two_modules_have_the_same_name() -> None:
    twice = places_of((Path(path).stem, path) for path in MODULES)
    assert twice.keys() == {"__init__"}, twice


def test_no_two_classes_have_the_same_name() -> None:
    twice = places_of(
        (node.name, path)
        for path, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    assert twice == {}


def constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The constants of a module that others may take, each with what it is."""
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            assert isinstance(node, ast.Assign)
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = [*zip(target.elts, node.value.elts, strict=True)]
            for name, value in pairs:
                if isinstance(name, ast.Name) and name.id.isupper() and not name.id.startswith("_"):
                    yield name.id, ast.unparse(value)


def test_no_constant_has_two_values() -> None:
    values = defaultdict(set)
    for tree in MODULES.values():
        for name, value in constants(tree):
            values[name].add(value)
    assert {name for name, found in values.items() if len(found) > 1} == set()


Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_kernel(function: Function) -> bool:
    return any(ast.unparse(decorator).split(".")[-1] == "kernel" for decorator in function.decorator_list)


def functions_outside_kernels(node: ast.AST, in_class: bool = False) -> Iterator[tuple[Function, bool]]:
    """All functions that are neither kernels nor in one, each with whether it is a method."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            if is_kernel(child):
                continue
            yield child, in_class
        yield from functions_outside_kernels(child, isinstance(child, ast.ClassDef))


def untyped(function: Function, is_method: bool) -> Iterator[str]:
    """What has no type among the arguments and the result, besides the `self` or `cls` of a method."""
    arguments = function.args
    by_place = [*arguments.posonlyargs, *arguments.args]
    bound = is_method and "staticmethod" not in map(ast.unparse, function.decorator_list)
    others = [*arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in [*by_place[bound:], *others]:
        if argument is not None and argument.annotation is None:
            yield argument.arg
    if function.returns is None:
        yield "return"


@pytest.mark.parametrize("path", sorted(MODULES))
def test_functions_have_types(path: str) -> None:
    """Numba infers those of kernels, so mypy does not ask for any in modules with kernels: this does."""
    missing = {
        f"{function.name} (line {function.lineno})": names
        for function, is_method in functions_outside_kernels(MODULES[path])
        if (names := list(untyped(function, is_method)))
    }
    assert missing == {}
