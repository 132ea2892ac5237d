# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`terrace solve` with a grid as the source of the matrix. TERRACE_BIN is the folder that holds the program."""
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
                        self.assertEqual((report["stop"], report["format"]), ("converged", "diagonals"))
                        self.assertLessEqual(report["residual"], 1e-8)
                        self.assertEqual(len(report["residuals"]), report["iterations"] + 1)
                        self.assertEqual(report["factor"] is None, preconditioner == "none")
                        self.assertEqual((report["matrix"], report["preconditioner"]), (problem, preconditioner))

    def test_takes_fewer_iterations_with_the_modified_factorization(self):
        count = [self.report("--grid", "300,300", "--precond", word)["iterations"] for word in ("none", "ic0", "mic")]
        self.assertLess(2 * count[2], count[1])
        self.assertLess(2 * count[1], count[0])

    def test_fails_when_the_residual_stays_above_the_tolerance(self):
        result = run("--grid", "50,50", "--max-iterations", 5)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no convergence after 5 iterations; --max-iterations", result.stderr)
        self.assertIn("iteration-limit after 5 iterations", result.stdout)
        self.assertEqual(self.report("--grid", "50,50", "--max-iterations", 5, status=1)["status"], "numerical failure")

    def test_prints_a_plot_of_the_residuals(self):
        text = run("--grid", "50,50").stdout
        self.assertIn("50 x 50, 2,500 unknowns", text)
        self.assertGreater(len(re.findall(r"^ +1e-?\d+ [|\u2502]", text, re.M)), 4)

    def test_reads_diagonals_with_and_without_a_right_hand_side(self):
        diagonals = poisson_diagonals(20, 10)
        expected = self.report("--grid", "20,10")["residuals"]
        plain = self.write("plain.f64", diagonals)
        zipped = self.write("zipped.f64.gz", diagonals + [1.0] * 200, gzip.open)
        for path in (plain, zipped):
            self.assertEqual(self.report("--grid", "20,10", "--diagonals", path)["residuals"], expected)

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
        rows = self.path("rows.svg")
        self.report("--grid", "20,10,5", "--picture", rows, "--slice", 2, "--solver", "gmres:30", "--precond", "iluk:1",
                    "--tolerance", "1e-10")
        self.assertEqual(xml.etree.ElementTree.parse(rows).getroot().attrib["viewBox"], "0 0 20 10")

    def test_rejects_arguments_that_make_no_sense(self):
        for arguments in ([], ["--grid", "3"], ["--grid", "3,0"], ["--grid", "1,2,3,4"], ["--grid", "a,b"],
                          ["--grid", "3,3", "--precond", "mic:1.5"], ["--grid", "3,3", "--precond", "ilu"],
                          ["--grid", "3,3", "--tolerance", "0"], ["--grid", "3,3", "--check-every", "300"]):
            with self.subTest(arguments):
                self.assertEqual(run(*arguments).returncode, 2)

    def test_every_solver_with_every_preconditioner(self):
        on_diagonals = ("none", "ilu0", "ic0", "milu:0.9", "mic", "iluk:0")
        for precond in (*on_diagonals, "iluk:2", "ick:1", "ilut:8,1e-3", "ict:8,1e-3"):
            for solver in ("cg", "bicgstab", "gmres:20", "fgmres:20"):
                with self.subTest(precond=precond, solver=solver):
                    report = self.report("--grid", "20,15", "--precond", precond, "--solver", solver)
                    self.assertLessEqual(report["residual"], 1e-8)
                    self.assertEqual(report["format"], "diagonals" if precond in on_diagonals else "csr")
                    self.assertEqual((report["preconditioner"], report["solver"]), (precond, solver))

    def test_diagonals_and_rows_are_the_same_matrix(self):
        for grid in ("30,20", "9,8,7", "1,5,1"):
            for precond in ("none", "ic0", "mic:0.95"):
                for solver in ("cg", "gmres:20"):
                    with self.subTest(grid=grid, precond=precond, solver=solver):
                        options = ["--grid", grid, "--problem", "variable", "--precond", precond, "--solver", solver]
                        diagonals = self.report(*options, "--format", "diagonals")
                        rows = self.report(*options, "--format", "csr")
                        self.assertEqual((diagonals["format"], rows["format"]), ("diagonals", "csr"))
                        self.assertEqual((diagonals["n"], diagonals["nnz"]), (rows["n"], rows["nnz"]))
                        self.assertLessEqual(abs(diagonals["iterations"] - rows["iterations"]), 1)
                        half = min(len(diagonals["residuals"]), len(rows["residuals"])) // 2
                        for one, other in zip(diagonals["residuals"][:half], rows["residuals"][:half]):
                            self.assertAlmostEqual(one / other, 1, 5)

    def test_options_that_need_rows_get_them_or_say_so(self):
        for option in (["--ordering", "rcm"], ["--scaling", "diagonal"], ["--algorithm", "sequential"],
                       ["--pivots", "replace"], ["--insert-diagonal"], ["--offset", "int"], ["--precond", "iluk:1"],
                       ["--precond", "ict:5,0.1"]):
            with self.subTest(option):
                report = self.report("--grid", "12,10", *option)
                self.assertEqual((report["format"], report["format_reason"]), ("csr", " ".join(option) + " needs rows"))
                refused = run("--grid", "12,10", *option, "--format", "diagonals")
                self.assertEqual(refused.returncode, 2)
                for flag in ("--format", option[0]):
                    self.assertIn(flag, refused.stderr.splitlines()[0])

    def test_limits_of_conjugate_gradients_on_diagonals_do_not_hold_for_rows(self):
        self.assertEqual(self.report("--grid", "12,10", "--check-every", "300", "--format", "csr")["check_every"], 300)
        self.assertEqual(self.report("--grid", "12,10", "--check-every", "300", "--solver", "gmres:9")["check_every"], 300)

    def test_takes_right_hand_sides_from_files(self):
        for columns in (1, 2):
            path = self.path(f"b{columns}.mtx")
            path.write_text(f"%%MatrixMarket matrix array real general\n200 {columns}\n" + "1\n" * 200 * columns)
            for form in ("diagonals", "csr"):
                with self.subTest(columns=columns, format=form):
                    report = self.report("--grid", "20,10", "--rhs", path, "--format", form)
                    self.assertEqual((report["rhs"], report["rhs_columns"], report["format"]), (str(path), columns, form))
                    own = self.report("--grid", "20,10", "--format", form)
                    self.assertLessEqual(abs(report["iterations"] - own["iterations"]), 1)
        self.assertEqual(run("--grid", "20,11", "--rhs", path).returncode, 2)
        self.assertIn("takes one", run("--grid", "20,10", "--rhs", path, "--solver", "gmres:9").stderr)

    def test_a_seed_asks_for_a_random_solution(self):
        own = self.report("--grid", "20,10")
        self.assertIsNone(own["seed"])
        random = {form: self.report("--grid", "20,10", "--seed", 7, "--format", form) for form in ("diagonals", "csr")}
        self.assertEqual(random["csr"]["seed"], 7)
        self.assertNotEqual(own["residuals"], random["diagonals"]["residuals"])
        self.assertAlmostEqual(random["diagonals"]["residuals"][3], random["csr"]["residuals"][3], 7)

    def test_every_space_and_precision(self):
        help_text = run("--help").stdout
        spaces, precisions = (re.search(rf"--{name} ([\w|-]+)", help_text).group(1).split("|")
                              for name in ("space", "precision"))
        for space in spaces:
            for precision in precisions:
                with self.subTest(space=space, precision=precision):
                    report = self.report("--grid", "20,10", "--space", space, "--precision", precision,
                                         "--tolerance", "1e-5")
                    self.assertEqual(report["format"], "csr" if precision.startswith("complex") else "diagonals")

    def test_says_where_a_factorization_broke_down(self):
        indefinite = self.write("indefinite.f64", [1.0, 1.0, 1.0, 1.0] + [-3.0, 0.0, -3.0, 0.0] + [0.0] * 4)
        report = self.report("--grid", "2,2", "--diagonals", indefinite, "--pivots", "report", status=1)
        self.assertEqual((report["row"], report["stop"]), (1, None))
        self.assertIn("cell (1, 0, 0)", report["error"])
        self.assertIn("--pivots shift", report["error"])
        negative = self.write("negative.f64", [1.0, -1.0] + [0.0] * 4)
        result = run("--grid", "2,1", "--diagonals", negative)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--format csr", result.stderr)
        self.report("--grid", "2,1", "--diagonals", negative, "--format", "csr", "--precond", "ilu0", "--solver", "gmres:9")

    def test_names_the_flags_that_do_not_go_together(self):
        file = self.path("one.mtx")
        file.write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        for arguments, flags in (([file, "--grid", "3,3"], ["FILE", "--grid"]),
                                 ([file, "--problem", "poisson"], ["FILE", "--problem"]),
                                 ([file, "--diagonals", "d"], ["FILE", "--diagonals"]),
                                 ([file, "--picture", "x.svg"], ["--picture", "FILE"]),
                                 ([file, "--format", "diagonals"], ["--format", "FILE", "--grid"]),
                                 (["--problem", "variable"], ["--problem", "--grid"]),
                                 (["--diagonals", "d"], ["--diagonals", "--grid"]),
                                 (["--grid", "3,3", "--problem", "poisson", "--diagonals", "d"],
                                  ["--problem", "--diagonals"]),
                                 (["--grid", "3,3", "--problem", "spe10"], ["--grid", "--problem"]),
                                 (["--grid", "3,3", "--problem", "reservoir"], ["--grid", "--problem"]),
                                 (["--problem", "convection"], ["--problem", "--grid"]),
                                 (["--grid", "3,3", "--wind", "1"], ["--wind", "--problem"]),
                                 ([file, "--wind", "1"], ["--wind", "--problem"]),
                                 (["--grid", "3,3", "--slice", "0"], ["--slice", "--picture"]),
                                 (["--grid", "3,3", "--seed", "1", "--rhs", "b"], ["--seed", "--rhs"]),
                                 (["--grid", "3,3", "--precond", "none", "--pivots", "shift"], ["--pivots", "--precond"]),
                                 (["--grid", "3,3", "--precond", "mic:0.5", "--relaxation", "1"],
                                  ["--relaxation", "--precond"]),
                                 (["--grid", "3,3", "--check-every", "300"], ["--check-every", "--solver", "--format"]),
                                 (["--grid", "3,3", "--tolerance", "0"], ["--tolerance", "--solver", "--format"])):
            with self.subTest(arguments):
                result = run(*arguments)
                self.assertEqual(result.returncode, 2)
                for flag in flags:
                    self.assertIn(flag, result.stderr.splitlines()[0])

    def test_tells_the_time_of_each_phase(self):
        self.assertEqual(list(self.report("--grid", "20,10")["phases_s"]), ["numeric", "solve"])
        self.assertEqual(list(self.report("--grid", "20,10", "--precond", "iluk:1")["phases_s"]),
                         ["symbolic", "numeric", "solve"])
        self.assertEqual(list(self.report("--grid", "20,10", "--precond", "none", "--format", "csr")["phases_s"]), ["solve"])

    def test_text_tells_the_source_and_how_it_is_kept(self):
        text = run("--grid", "20,10").stdout
        for word in ("poisson, double", "20 x 10, 200 unknowns, 940 entries", "diagonals: ", "dependent steps", "converged"):
            self.assertIn(word, text)
        self.assertIn("csr: --ordering rcm needs rows", run("--grid", "20,10", "--ordering", "rcm").stdout)

    def test_solves_convection_in_any_wind(self):
        for grid in ("20,15", "9,8,7"):
            for wind in ([], ["--wind", "0"], ["--wind", "20"]):
                for precond in ("ilu0", "ilut:8,1e-3", "none"):
                    with self.subTest(grid=grid, wind=wind, precond=precond):
                        report = self.report("--problem", "convection", "--grid", grid, *wind, "--precond", precond)
                        self.assertEqual((report["matrix"], report["format"], report["solver"]),
                                         ("convection", "csr", "gmres:30"))
                        self.assertEqual(report["wind"], float(wind[1]) if wind else 0.5)
                        self.assertLessEqual(report["residual"], 1e-8)
        self.assertEqual(self.report("--grid", "20,15")["wind"], None)
        still = self.report("--problem", "convection", "--grid", "20,15", "--wind", 0, "--solver", "cg", "--precond", "ic0")
        poisson = self.report("--problem", "poisson", "--grid", "20,15", "--format", "csr")
        self.assertEqual((still["iterations"], still["nnz"]), (poisson["iterations"], poisson["nnz"]))

    def test_draws_a_slice_of_what_has_rows_alone(self):
        picture = self.path("wind.svg")
        self.report("--problem", "convection", "--grid", "20,10,5", "--picture", picture)
        self.assertEqual(xml.etree.ElementTree.parse(picture).getroot().attrib["viewBox"], "0 0 20 10")

    def test_says_that_convection_is_not_symmetric(self):
        for option in (["--solver", "cg"], ["--precond", "ic0"], ["--format", "diagonals"]):
            with self.subTest(option):
                result = run("--problem", "convection", "--grid", "12,10", *option)
                self.assertEqual(result.returncode, 2)
                self.assertIn(option[0], result.stderr.splitlines()[0])
                self.assertIn("convection", result.stderr.splitlines()[0])

    def test_needs_the_data_of_spe10(self):
        for problem in ("spe10", "reservoir"):
            result = run("--problem", problem, environment={"TERRACE_DATA": self.folder.name})
            self.assertEqual(result.returncode, 2)
            self.assertIn("spe10_kx", result.stderr)

    @unittest.skipUnless(DATA and pathlib.Path(DATA, "spe10_kx.f32.gz").exists(), "TERRACE_DATA has no spe10")
    def test_iterates_on_spe10(self):
        report = self.report("--problem", "spe10", "--tolerance", "2e-2", "--precond", "mic:0.99")
        self.assertEqual((report["grid"], report["matrix"]), ([60, 220, 85], "spe10"))


if __name__ == "__main__":
    unittest.main()
