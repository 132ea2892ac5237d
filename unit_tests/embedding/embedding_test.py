"""examples/embed builds and runs both ways: against an install tree, and with Terrace as a subdirectory. The program of the
README builds and runs against the install tree."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD, COMPILER = (pathlib.Path(argument) for argument in sys.argv[1:4])
del sys.argv[1:4]
sys.path.insert(0, str(SOURCE / "unit_tests" / "docs"))
from markdown import parse  # noqa: E402


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


class Embedding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.scratch.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def build_and_run(self, name, *options, source=SOURCE / "examples" / "embed", target="embed"):
        build = pathlib.Path(self.scratch.name) / name
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)
        run("cmake", "--build", build, "--target", target, "-j", "2")
        return run(build / target)

    def test_finds_the_installed_package(self):
        self.assertIn("last unknown: 1.0", self.build_and_run("installed"))

    def test_builds_the_program_of_the_readme(self):
        source = pathlib.Path(self.scratch.name) / "my_solver"
        source.mkdir()
        for block in parse(SOURCE / "README.md")[0]:
            if block.mark.startswith("program "):
                (source / block.mark.split()[1]).write_text(block.text, encoding="utf-8")
        output = self.build_and_run("readme", source=source, target="my_solver")
        promised = re.search(r"prints `(converged after) (\d+) iterations, residual", (SOURCE / "README.md").read_text())
        self.assertIn(promised[1], output)
        self.assertAlmostEqual(int(promised[2]), int(re.search(r"(\d+) iterations", output)[1]), delta=3)

    def test_is_a_subdirectory_of_a_project_that_has_kokkos(self):
        # The whole library is compiled once more, and hardly used: in few sources, and without optimization.
        output = self.build_and_run("subdirectory", f"-DTERRACE_SOURCE_DIR={SOURCE}", "-DTERRACE_SCALARS=double",
                                    "-DTERRACE_OFFSETS=int", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG", "-DCMAKE_UNITY_BUILD=ON",
                                    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16")
        self.assertIn("last unknown: 1.0", output)


if __name__ == "__main__":
    unittest.main()
