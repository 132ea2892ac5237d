# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`terrace solve --grid` as its users meet it. TERRACE_BIN is the folder that holds the program."""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

TERRACE = pathlib.Path(os.environ.get("TERRACE_BIN", "build/default/tools")).resolve() / "terrace"
DATA = os.environ.get("TERRACE_DATA")


def run(*arguments, environment=None):
    return subprocess.run([str(TERRACE), "solve", *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **(environment or {})})


def poisson_diagonals(nx, ny):
    """Centre, x and y of the five-point Laplacian."""
    cells = [(i, j) for j in range(ny) for i in range(nx)]
    return [4.0] * len(cells) + [-1.0 if i + 1 < nx else 0.0 for i, _ in cells] + [
        -1.0 if j + 1 < ny else 0.0 for _, j in cells]


class SolveGrid(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def write(self, name, numbers, opener=open):
        with opener(self.path(name), "wb") as file:
            file.write(struct.pack(f"<{len(numbers)}d", *numbers))
        return self.path(name)

    def report(self, *arguments, status=0):
        result = run(*arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_solves_each_built_in_problem_with_each_preconditioner(self):
        for problem in ("poisson", "variable", "anisotropic"):
            for grid in ("40,30", "12,13,14"):
                for preconditioner in ("ic0", "mic", "mic:0.9", "none"):
                    with self.subTest(problem=problem, grid=grid, preconditioner=preconditioner):
                        report = self.report("--grid", grid, "--problem", problem, "--precond", preconditioner)
                        self.assertEqual(report["stopped"], "converged")
                        self.assertLessEqual(report["true_residual"], 1e-8)
                        self.assertEqual(len(report["history"]), report["iterations"] + 1)
                        self.assertEqual(report["preconditioner"] is None, preconditioner == "none")

    def test_takes_fewer_iterations_with_the_modified_factorization(self):
        count = [self.report("--grid", "300,300", "--precond", word)["iterations"] for word in ("none", "ic0", "mic")]
        self.assertLess(2 * count[2], count[1])
        self.assertLess(2 * count[1], count[0])

    def test_fails_when_the_residual_stays_above_the_tolerance(self):
        result = run("--grid", "50,50", "--max-iterations", 5)
        self.assertEqual(result.returncode, 1)
        self.assertIn("iteration-limit after 5 iterations", result.stderr)
        self.assertEqual(self.report("--grid", "50,50", "--max-iterations", 5, status=1)["status"], "numerical failure")

    def test_prints_a_plot_of_the_residuals(self):
        text = run("--grid", "50,50").stdout
        self.assertIn("50 x 50, 2,500 unknowns", text)
        self.assertGreater(len(re.findall(r"^ +1e-?\d+ [|\u2502]", text, re.M)), 4)

    def test_reads_diagonals_with_and_without_a_right_hand_side(self):
        diagonals = poisson_diagonals(20, 10)
        expected = self.report("--grid", "20,10")["history"]
        plain = self.write("plain.f64", diagonals)
        zipped = self.write("zipped.f64.gz", diagonals + [1.0] * 200, gzip.open)
        for path in (plain, zipped):
            self.assertEqual(self.report("--grid", "20,10", "--diagonals", path)["history"], expected)

    def test_says_what_is_wrong_with_diagonals(self):
        short = self.write("short.f64", poisson_diagonals(20, 10)[1:])
        periodic = poisson_diagonals(20, 10)
        periodic[200 + 19] = -1.0
        for path, message in ((short, "599 numbers"), (self.write("periodic.f64", periodic), "(19, 0, 0)"),
                              (self.path("nowhere.f64"), "cannot be opened")):
            result = run("--grid", "20,10", "--diagonals", path)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    def test_draws_a_slice(self):
        picture = self.path("slice.svg")
        self.report("--grid", "20,10,5", "--picture", picture, "--slice", 2)
        root = xml.etree.ElementTree.parse(picture).getroot()
        self.assertEqual(root.attrib["viewBox"], "0 0 20 10")
        self.assertEqual(sum(int(part.attrib["width"]) for part in root if part.tag.endswith("rect")), 200)
        self.assertEqual(run("--grid", "20,10,5", "--picture", picture, "--slice", 5).returncode, 2)

    def test_rejects_arguments_that_make_no_sense(self):
        for arguments in ([], ["--grid", "3"], ["--grid", "3,0"], ["--grid", "1,2,3,4"], ["--grid", "a,b"],
                          ["--grid", "3,3", "--precond", "mic:1.5"], ["--grid", "3,3", "--precond", "ilu"],
                          ["--grid", "3,3", "--tolerance", "0"], ["--grid", "3,3", "--check-every", "300"]):
            with self.subTest(arguments):
                self.assertEqual(run(*arguments).returncode, 2)

    def test_needs_the_data_of_spe10(self):
        result = run("--problem", "spe10", environment={"TERRACE_DATA": self.folder.name})
        self.assertEqual(result.returncode, 2)
        self.assertIn("spe10_kx", result.stderr)

    @unittest.skipUnless(DATA and pathlib.Path(DATA, "spe10_kx.f32.gz").exists(), "TERRACE_DATA has no spe10")
    def test_iterates_on_spe10(self):
        report = self.report("--problem", "spe10", "--tolerance", "2e-2", "--precond", "mic:0.99")
        self.assertEqual(report["grid"], [60, 220, 85])


if __name__ == "__main__":
    unittest.main()
