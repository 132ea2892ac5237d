"""A test has the path of what it tests: unit_tests/sparse/build_rows_test.cpp tests src/sparse/build_rows.hpp.

Several tests of one source add a word to its name, as triangular_solver_interface_test.cpp does. Tests of a whole program
have the name of its folder. What holds for all classes together is in promises/.
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
TESTS = ROOT / "unit_tests"
OWN_FOLDERS = {"docs", "embedding", "fuzz", "promises", "reference", "support"}  # what they test is themselves, or all
BESIDE_SRC = {"common", "perf_tests", "tools"}
PUBLIC_HEADERS = ROOT / "src" / "include" / "terrace"


def tests():
    return [path.relative_to(TESTS) for path in sorted(TESTS.rglob("*_test.*")) if path.suffix in (".hpp", ".cpp", ".py")]


def mirrored_folders(test):
    folders = [ROOT / test.parent if test.parts[0] in BESIDE_SRC else ROOT / "src" / test.parent]
    return folders + [PUBLIC_HEADERS] if test.parts[0] == "solvers" else folders


def is_named_after_a_source(test):
    name = test.stem.removesuffix("_test")
    sources = {path.stem for folder in mirrored_folders(test) if folder.is_dir() for path in folder.iterdir()}
    return any(name == source or name.startswith(source + "_") for source in sources)


class Paths(unittest.TestCase):
    def test_every_test_is_named_after_what_it_tests(self):
        mirrored = [test for test in tests() if len(test.parts) > 1 and test.parts[0] not in OWN_FOLDERS]
        self.assertGreater(len(mirrored), 50)
        self.assertEqual([str(test) for test in mirrored if not is_named_after_a_source(test)], [])


if __name__ == "__main__":
    unittest.main()
