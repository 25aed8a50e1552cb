"""Small mistakes put into the code one at a time: each must be noticed by the tests that mirror its module.

`python tests/prove/mutants.py 300 1` tries 300 of them, chosen by the seed 1, and prints those that nobody noticed.
"""

import ast
import copy
import importlib.machinery
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib.abc import MetaPathFinder
from itertools import islice
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "daemon" / "reveried"
UNIT = ROOT / "tests" / "unit"
PATIENCE = 120
MEASURED = ("domain", "log")
# The value that a knob has by default is what the example configuration says it is.
DEFAULTS = "config/test_example.py"
# That a struct is a value is one sentence about all of them.
VALUES = "domain/test_values.py"
_RECORD = ["domain/test_memory.py", "domain/test_merging.py", "domain/test_arriving.py"]
_MERGED = ["jobs/test_consolidate.py", "jobs/test_summaries.py", "jobs/test_tags.py"]
_READ = ["domain/understanding/test_kinds.py", "domain/understanding/test_understand.py"]
# Module, or a whole package → the tests that mirror it, besides the one of the same name. The first that fits counts.
MIRRORS = {
    "domain/arriving.py": [],
    "domain/consolidating/policy.py": [DEFAULTS],
    "domain/consolidating/": [*_MERGED, DEFAULTS],
    "domain/decide.py": [*_RECORD, "domain/test_documents.py"],
    "domain/documents.py": [],
    "domain/drafting.py": ["domain/test_documents.py", "domain/test_arriving.py"],
    "domain/drafts.py": ["domain/test_drafting.py"],
    "domain/events.py": ["log/test_payload.py"],
    "domain/evolving.py": _RECORD,
    "domain/forgetting/": ["domain/forgetting", DEFAULTS],
    "domain/linking/policy.py": [DEFAULTS],
    "domain/linking/": ["domain/linking", "reactors/test_linking.py", DEFAULTS],
    "domain/memory.py": ["domain/test_merging.py"],
    "domain/policies.py": [DEFAULTS],
    "domain/recalling/": [DEFAULTS],
    "domain/reconciling/policy.py": [DEFAULTS],
    "domain/reconciling/": ["domain/reconciling", DEFAULTS],
    "domain/understanding/secret_": ["domain/understanding/test_secrets.py"],
    "domain/understanding/spans.py": ["domain/understanding/test_chunking.py"],
    "domain/understanding/trust_signs.py": ["domain/understanding/test_trust.py"],
    "domain/understanding/entity_lists.py": ["domain/understanding/test_entities.py"],
    "domain/understanding/": [*_READ, DEFAULTS],
    "log/sqlite.py": ["log/test_backups.py"],
    "log/chain.py": ["log/test_verify.py"],
    "log/traces.py": ["log/test_scouring.py"],
    "log/": [],
}
_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.Break: ast.Continue,
}  # fmt: skip


def changes(path: Path) -> dict[str, int]:
    """The places in a module that can be changed, each by what is changed there and the how-manieth time that stands
    in it: a name that lasts as long as the code does."""
    found: dict[str, int] = {}
    times: Counter[str] = Counter()
    for number, node in enumerate(_changeable(ast.parse(path.read_text()))):
        changed = copy.deepcopy(node)
        if _change(changed):
            what = f"{_told(node)} -> {_told(changed)}"
            times[what] += 1
            found[f"{path.relative_to(PACKAGE)}: {what} ({times[what]})"] = number
    return found


def mutant(path: Path, number: int) -> tuple[int, str, str]:
    """Line, what was changed, and the whole module with that change."""
    tree = ast.parse(path.read_text())
    node = next(islice(_changeable(tree), number, None))
    before = _told(node)
    _change(node)
    return getattr(node, "lineno", 0), f"{before} -> {_told(node)}", ast.unparse(tree)


def _told(node: ast.AST) -> str:
    """On one line: a whole `if` has several."""
    return " ".join(ast.unparse(node).split())[:60].rstrip()


def _changeable(node: ast.AST) -> Iterator[ast.AST]:
    """Code, and not what only a type checker or a reader of the configuration looks at."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Compare | ast.BinOp | ast.BoolOp | ast.If | ast.IfExp | ast.Constant | ast.Break):
                yield child
            if isinstance(child, ast.AST):
                yield from _changeable(child)


def _change(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _SWAPS:
            node.ops[0] = _SWAPS[type(op)]()  # type: ignore[assignment]
        case ast.BinOp(op=op, left=left) if type(op) in _SWAPS and not isinstance(left, ast.JoinedStr):
            node.op = _SWAPS[type(op)]()  # type: ignore[assignment]
        case ast.BoolOp(op=op):
            node.op = _SWAPS[type(op)]()  # type: ignore[assignment]
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case _:
            return False
    return True


class _Instead(MetaPathFinder):
    """Loads one module from changed source; all others as they are."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == self._name else None  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, f"mutant of {self._name}", "exec"), module.__dict__)


def noticed(path: Path, source: str, tests: list[str]) -> bool:
    """In a child of this process, so that libraries are loaded once for all mutants."""
    name = ".".join(("reveried", *path.relative_to(PACKAGE).with_suffix("").parts))
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        signal.alarm(PATIENCE)  # a mutant that never ends was noticed too; a test's own timeout would undo that
        sys.meta_path.insert(0, _Instead(name, source))
        import pytest

        options = ["-n", "0", "--timeout", "0", "-x", "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        os._exit(int(pytest.main([*options, *(str(UNIT / test) for test in tests)])))
    return os.waitpid(child, 0)[1] != 0


def sampled(count: int, seed: int) -> list[tuple[Path, list[str], int]]:
    """By the name of each: so a change of the code brings new ones only where it was."""
    paths = [path for package in MEASURED for path in sorted((PACKAGE / package).rglob("*.py"))]
    every = {name: (path, mirrors(path), number) for path in paths for name, number in changes(path).items()}
    return [every[name] for name in sorted(every, key=lambda name: sha256(f"{seed} {name}".encode()).digest())][:count]


def mirrors(path: Path) -> list[str]:
    """The tests of the same name first; what they let through is left to the others."""
    module = path.relative_to(PACKAGE)
    others = next(tests for place, tests in MIRRORS.items() if module.as_posix().startswith(place))
    nearest = f"{module.parent}/test_{module.stem}.py"
    return [*([nearest] if (UNIT / nearest).is_file() else []), *others, VALUES]


def survivors(count: int, seed: int) -> Iterator[str]:
    import hypothesis  # noqa: F401 (loaded before the children are made)
    import msgspec  # noqa: F401
    import numpy  # noqa: F401

    os.chdir(ROOT)
    untouched = PACKAGE / "errors.py"
    sample = sampled(count, seed)
    for test in sorted({test for _, tests, _ in sample for test in tests}):
        assert not noticed(untouched, untouched.read_text(), [test]), f"{test} fails without any mutant"
    for path, tests, number in sample:
        line, what, source = mutant(path, number)
        if not any(noticed(path, source, [test]) for test in tests):
            yield f"{path.relative_to(ROOT)}:{line}: {what}"


if __name__ == "__main__":
    for survivor in survivors(int(sys.argv[1]), int(sys.argv[2])):
        print(survivor, flush=True)
    print("done", flush=True)
