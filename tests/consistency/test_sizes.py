"""Nothing grows past the size at which it has a second purpose (CONTRIBUTING.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCES = sorted((ROOT / "src" / "mergebar").rglob("*.py"))

LONGEST_MODULE = 300
LONGEST_FUNCTION = 40


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines without the decorators and the docstring."""
    docstring = 0
    if ast.get_docstring(function) is not None:
        first = function.body[0]
        docstring = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def test_no_module_is_longer_than_300_lines() -> None:
    sizes = {path: path.read_text(encoding="utf-8").count("\n") for path in SOURCES}

    assert len(sizes) > 100
    assert {str(path): size for path, size in sizes.items() if size > LONGEST_MODULE} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}": length(function)
        for path in SOURCES
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
    }

    assert len(found) > 1000
    assert {name: size for name, size in found.items() if size > LONGEST_FUNCTION} == {}


def test_a_function_is_measured_without_its_docstring() -> None:
    tree = ast.parse('def f() -> int:\n    """One.\n\n    Two.\n    """\n    return 1\n')

    assert [length(function) for function in functions(tree)] == [2]
