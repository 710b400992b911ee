"""The order of the modules: no module imports another that imports it."""

import ast
import unittest
from collections.abc import Iterator
from pathlib import Path

SDK = Path(__file__).resolve().parents[1]
#: Folders with packages. The second one is absent from a copy of the SDK alone.
FOLDERS = [SDK, SDK.parent / "python-reference"]


def imports_of(file: Path, folder: Path) -> Iterator[Path]:
    """Yields the files of ``folder`` that a file imports anywhere, also for types only."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            start = folder
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or "", *(f"{node.module or ''}.{alias.name}".strip(".") for alias in node.names)]
            start = folder if node.level == 0 else file.parents[node.level - 1]
        else:
            continue
        for module in modules:
            target = start.joinpath(*module.split(".")).with_suffix(".py")
            if module and target.is_file():
                yield target


def cycles(imports: "dict[Path, list[Path]]") -> "list[str]":
    found: "list[str]" = []
    done: "set[Path]" = set()

    def visit(file: Path, way: "list[Path]") -> None:
        if file in way:
            found.append(" -> ".join(one.stem for one in [*way[way.index(file) :], file]))
        elif file not in done:
            for target in imports.get(file, []):
                visit(target, [*way, file])
            done.add(file)

    for file in imports:
        visit(file, [])
    return found


class Imports(unittest.TestCase):
    def test_no_module_imports_one_that_imports_it(self):
        for folder in filter(Path.is_dir, FOLDERS):
            files = [file for file in folder.glob("*/**/*.py") if "tests" not in file.parts]
            imports = {file: list(imports_of(file, folder)) for file in files}
            with self.subTest(folder=folder.name):
                self.assertEqual(cycles(imports), [])
                self.assertTrue(folder != SDK or any(imports.values()))

    def test_finds_cycles(self):
        a, b, c, d = (Path(f"{name}.py") for name in "abcd")
        self.assertEqual(cycles({a: [b], b: [c], c: [b, d], d: []}), ["b -> c -> b"])


if __name__ == "__main__":
    unittest.main()
