# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program `terrace` as its users meet it: exit statuses, messages, and the JSON object.

TERRACE_BIN is the folder that holds the programs. With TERRACE_DATA, real matrices are read as well.
"""
import functools
import gzip
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ.get("TERRACE_BIN", "build/default/tools")).resolve()
TERRACE = BIN / "terrace"
DEMO = BIN / "terrace_demo"
DATA = os.environ.get("TERRACE_DATA")

PROMISED_KEYS = {
    "matrix", "n", "nnz", "levels", "widest_level", "algorithm", "storage", "reason", "analysis_s", "solve_s", "backward_error",
    "backend", "threads", "version", "right_hand_sides", "precision", "op", "triangle", "diag", "bytes_held", "status",
}


def run(*arguments, program=TERRACE, environment=None):
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **(environment or {})})


def built_names(option):
    """The values that `terrace trisolve --help` offers for an option."""
    return re.search(rf"--{option} ([\w|-]+)", run("trisolve", "--help").stdout).group(1).split("|")


def has_complex_numbers():
    return any(name.startswith("complex") for name in built_names("precision"))


def needs_complex_numbers(test):
    """Skips a test where the build has none."""
    @functools.wraps(test)
    def run_or_skip(self):
        if not has_complex_numbers():
            self.skipTest("this build has no complex numbers")
        test(self)
    return run_or_skip


def matrix_text(rows, columns, entries, field="real", symmetry="general"):
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{rows} {columns} {len(entries)}"]
    return "\n".join(lines + [" ".join(map(str, entry)) for entry in entries]) + "\n"


def grid_entries(size, value):
    """The 5-point pattern on a size x size grid, with a dominant diagonal; value(row, column) off it."""
    entries = []
    for row in range(size * size):
        x, y = row % size, row // size
        neighbours = [row - size if y > 0 else None, row - 1 if x > 0 else None,
                      row + 1 if x + 1 < size else None, row + size if y + 1 < size else None]
        entries.append((row + 1, row + 1, *value(row, row)))
        entries += [(row + 1, column + 1, *value(row, column)) for column in neighbours if column is not None]
    return entries


class ToolTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        real = grid_entries(12, lambda i, j: (4.5,) if i == j else (-1 - (i * j % 7) / 10,))
        complex_ = grid_entries(9, lambda i, j: (5, 1) if i == j else (-1, (i - j) / 9))
        cls.grid = cls.write("grid.mtx", matrix_text(144, 144, real))
        cls.complex_grid = cls.write("complex.mtx", matrix_text(81, 81, complex_, field="complex"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = pathlib.Path(cls.folder.name) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def report(self, *arguments, status=0):
        """Runs with --json; standard output must be one object and nothing else."""
        done = run(*arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        result = json.loads(done.stdout)
        self.assertIsInstance(result, dict)
        self.assertEqual(result["status"] == "ok", status == 0)
        self.assertEqual("error" in result, status != 0)
        return result


class Usage(ToolTest):
    def test_prints_help_when_called_alone(self):
        done = run()
        self.assertEqual(done.returncode, 0)
        self.assertIn("trisolve", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_prints_help_on_request(self):
        for arguments in (["--help"], ["info", "--help"], ["trisolve", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertIn("Usage: terrace", done.stdout)

    def test_version_names_kokkos_and_the_backends(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"terrace \d+\.\d+\.\d+\nKokkos \d+\.\d+\.\d+\n")
        self.assertRegex(done.stdout, r"backend \w+, concurrency \d+, default")

    def test_wrong_usage_exits_with_2_and_says_what_is_wrong(self):
        wrong = {
            "bogus": "bogus", "trisolve": "FILE", "info": "FILE", "trisolve a b": "b", "info x --op none": "--op",
            "trisolve x --triangle lowr": "lowr", "trisolve x --diag 1": "--diag", "trisolve x --op hermite": "--op",
            "trisolve x --algorithm fast": "fast", "trisolve x --storage dense": "dense", "trisolve x --precision half": "half",
            "trisolve x --offset long": "long", "trisolve x --rhs 0": "--rhs", "trisolve x --rhs many": "--rhs",
            "trisolve x --rhs 99999999999": "--rhs", "trisolve x --layout up": "--layout",
            "trisolve x --repetitions 0": "--repetitions", "trisolve x --space moon": "moon",
            "trisolve x --threads 0": "--threads", "trisolve x --rows-per-task -1": "--rows-per-task",
            "trisolve x --format coo": "--format", "trisolve x --seed -1": "--seed", "trisolve x --rhs": "--rhs",
            "trisolve x --kokkos-num-threads=2": "--kokkos-num-threads", "info x trisolve x": "trisolve",
            "solve": "FILE", "solve x --precond lu": "lu", "solve x --precond iluk": "iluk",
            "solve x --precond iluk:": "iluk:", "solve x --precond iluk:-1": "iluk:-1",
            "solve x --precond ilut": "ilut", "solve x --precond ilut:5": "ilut:5", "solve x --precond ilut:5,": "ilut:5,",
            "solve x --precond ilut:,0.1": "ilut:,0.1", "solve x --precond ilut:-1,0.1": "ilut:-1",
            "solve x --precond ilut:5,-1": "ilut:5,-1", "solve x --precond ilut:5,nan": "nan",
            "solve x --precond ilut:5,inf": "inf", "solve x --precond ilut:5.5,1": "ilut:5.5",
            "solve x --precond ilut:5,1,2": "ilut:5,1,2", "solve x --precond ict:5": "ict:5",
            "solve x --precond ilut:5,1e-3 --relaxation 1": "--relaxation",
            "solve x --precond ilut:5,1e-3 --max-fill 2": "--max-fill", "solve x --precond ilu0 --max-fill 2": "--max-fill",
            "solve x --precond iluk:1 --max-fill -1": "--max-fill",
            "solve x --precond ilut:5,1e-3 --algorithm sequential": "--algorithm",
            "solve x --precond none --ordering rcm": "--ordering",
            "solve x --precond none --scaling diagonal": "--scaling",
            "solve x --precond none --insert-diagonal": "--insert-diagonal",
            "solve x --precond mic:2": "mic:2", "solve x --precond mic:0.5 --relaxation 1": "--relaxation",
            "solve x --grid 3,3": "--grid", "solve x --seed 1 --rhs y": "--seed", "solve x --picture y": "--picture",
            "solve --grid 3,3 --problem heat": "heat", "solve --grid 3": "--grid", "solve x --format diagonals": "--format",
            "solve x --precond ilu0:1": "ilu0:1", "solve x --solver gmres": "gmres", "solve x --solver gmres:0": "gmres:0",
            "solve x --solver cg:2": "cg:2", "solve x --tolerance -1": "--tolerance",
            "solve x --tolerance small": "--tolerance", "solve x --max-iterations -1": "--max-iterations",
            "solve x --check-every 0": "--check-every", "solve x --relaxation 2": "--relaxation",
            "solve x --ordering random": "random", "solve x --ordering reverse-cuthill-mckee": "reverse",
            "solve x --scaling row": "row", "solve x --algorithm blocked": "blocked",
            "solve x --pivots hope": "hope", "solve x --side both": "both", "solve x --rhs": "--rhs",
            "solve x --space moon": "moon", "solve x --triangle lower": "--triangle",
        }
        for line, word in wrong.items():
            with self.subTest(line):
                done = run(*line.split())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(word, done.stderr.splitlines()[0])

    def test_wrong_usage_with_json_is_an_object_too(self):
        result = self.report("trisolve", self.grid, "--rhs", "0", status=2)
        self.assertEqual(result["status"], "wrong usage")

    def test_real_precision_for_a_complex_file_is_wrong_usage(self):
        result = self.report("trisolve", self.complex_grid, "--precision", "double", status=2)
        self.assertEqual(result["status"], "wrong usage")
        self.assertIn("complex", result["error"])


class WrongFiles(ToolTest):
    def check(self, path, word, line=None):
        for command in ("info", "trisolve", "solve"):
            with self.subTest(command=command, path=path):
                done = run(command, path)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(word, done.stderr)
                result = self.report(command, path, status=2)
                self.assertEqual(result["status"], "wrong input")
                if line is not None:
                    self.assertEqual(result["line"], line)

    def test_missing_file_and_folder(self):
        self.check("no/such/file.mtx", "no/such/file.mtx")
        self.check(self.folder.name, "directory")

    def test_empty_file(self):
        self.check(self.write("empty.mtx", ""), "empty.mtx")

    def test_text_that_is_no_matrix(self):
        self.check(self.write("prose.mtx", "Dear reader,\n"), "line 1", line=1)

    def test_truncated_file(self):
        self.check(self.write("short.mtx", matrix_text(2, 2, [(1, 1, 1)]).replace("2 2 1", "2 2 3")), "short.mtx")

    def test_index_outside_the_matrix(self):
        self.check(self.write("outside.mtx", matrix_text(2, 2, [(1, 1, 1), (3, 1, 1)])), "line 4", line=4)

    def test_value_that_is_no_number(self):
        self.check(self.write("word.mtx", matrix_text(2, 2, [(1, 1, "one")])), "line 3", line=3)

    def test_truncated_gzip(self):
        whole = gzip.compress(self.grid.read_bytes())
        self.check(self.write("cut.mtx.gz", whole[:len(whole) // 2]), "cut.mtx.gz")

    def test_rectangular_matrix(self):
        path = self.write("rectangle.mtx", matrix_text(2, 3, [(1, 1, 1)]))
        for command in ("info", "trisolve"):
            self.assertIn("2x3", self.report(command, path, status=2)["error"])


class NumericalFailures(ToolTest):
    def solve(self, entries, *options, rows=3, status=1):
        return self.report("trisolve", self.write("bad.mtx", matrix_text(rows, rows, entries)), *options, status=status)

    def test_missing_diagonal_names_the_row_and_the_way_out(self):
        entries = [(1, 1, 1), (2, 1, 1), (3, 3, 1)]
        result = self.solve(entries)
        self.assertEqual((result["status"], result["row"]), ("numerical failure", 1))
        self.assertIn("no diagonal entry", result["error"])
        self.assertIn("--diag unit", result["error"])
        self.assertIsNone(result["solve_s"])
        self.assertEqual(self.solve(entries, "--diag", "unit", status=0)["status"], "ok")

    def test_zero_diagonal_names_the_row(self):
        result = self.solve([(1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 3, 0)])
        self.assertEqual(result["row"], 2)
        self.assertIn("zero on the diagonal", result["error"])

    def test_the_first_bad_row_is_named_and_its_fault(self):
        result = self.solve([(1, 1, 1), (2, 2, 0)])
        self.assertEqual(result["row"], 1)
        self.assertIn("zero on the diagonal", result["error"])

    def test_number_too_large_for_the_precision(self):
        if "float" not in built_names("precision"):
            self.skipTest("this build has no single precision")
        result = self.solve([(1, 1, 1), (2, 2, 1), (3, 2, "1e300"), (3, 3, 1)], "--precision", "float")
        self.assertEqual(result["row"], 2)

    def test_solution_that_overflows(self):
        rows = 200
        chain = [(i, i, 1) for i in range(1, rows + 1)] + [(i + 1, i, -1e7 - i / 3) for i in range(1, rows)]
        result = self.solve(chain, rows=rows)
        self.assertNotIn("row", result)
        self.assertIsNone(result["backward_error"])
        self.assertIn("overflows", result["error"])

    def test_info_reports_diagonal_problems_and_succeeds(self):
        path = self.write("holes.mtx", matrix_text(4, 4, [(1, 1, 1), (2, 2, 0), (3, 1, 5)]))
        result = self.report("info", path)
        self.assertEqual(result["missing_diagonal"], {"rows": 2, "first": 2})
        self.assertEqual(result["zero_diagonal"], {"rows": 1, "first": 1})
        self.assertIn("row 2 (counted from 0)", run("info", path).stdout)


class Info(ToolTest):
    def test_counts_entries_and_levels(self):
        result = self.report("info", self.grid)
        self.assertEqual((result["rows"], result["columns"], result["nnz"]), (144, 144, 144 + 4 * 12 * 11))
        self.assertEqual((result["below_diagonal"], result["on_diagonal"], result["above_diagonal"]), (264, 144, 264))
        for triangle in ("lower", "upper"):
            self.assertEqual(result[triangle], {"levels": 23, "mean_width": 144 / 23, "median_width": 6,
                                                "widest_level": 12})

    def test_tells_stored_symmetry_from_found_symmetry(self):
        lower = [(1, 1, 2), (2, 1, -1), (2, 2, 2)]
        cases = {
            "symmetric": ("real", "symmetric", lower, "symmetric"),
            "general": ("real", "general", [*lower, (1, 2, -1)], "symmetric"),
            "skew-symmetric": ("real", "skew-symmetric", [(2, 1, 3)], "skew_symmetric"),
            "hermitian": ("complex", "hermitian", [(1, 1, 2, 0), (2, 1, 1, 1)], "hermitian"),
        }
        for stored, (field, symmetry, entries, found) in cases.items():
            with self.subTest(stored):
                path = self.write("symmetry.mtx", matrix_text(2, 2, entries, field, symmetry))
                result = self.report("info", path)
                self.assertEqual((result["field"], result["symmetry"]), (field, stored))
                self.assertTrue(result["found_symmetry"]["structure"])
                self.assertTrue(result["found_symmetry"][found])

    def test_sees_one_number_that_spoils_symmetry(self):
        path = self.write("almost.mtx", matrix_text(2, 2, [(1, 1, 1), (1, 2, 1), (2, 1, 1.5), (2, 2, 1)]))
        found = self.report("info", path)["found_symmetry"]
        self.assertTrue(found["structure"])
        self.assertFalse(found["symmetric"] or found["skew_symmetric"] or found["hermitian"])

    def test_text_has_a_picture(self):
        self.assertIn("|####", run("info", self.grid, environment={"LC_ALL": "C"}).stdout)
        self.assertIn("│███", run("info", self.grid, environment={"LC_ALL": "C.UTF-8"}).stdout)


class Trisolve(ToolTest):
    def solve(self, path, *options):
        result = self.report("trisolve", path, "--repetitions", "2", *options)
        self.assertLessEqual(PROMISED_KEYS, result.keys())
        self.assertLessEqual(result["backward_error"], result["tolerated_backward_error"])
        self.assertGreater(result["solve_s"], 0)
        return result

    def test_reports_the_system(self):
        result = self.solve(self.grid)
        self.assertEqual((result["n"], result["nnz"], result["levels"], result["widest_level"]), (144, 408, 23, 12))
        self.assertEqual((result["precision"], result["right_hand_sides"]), ("double", 1))

    def test_every_op_triangle_and_diagonal(self):
        for op in ("none", "transpose", "conjugate"):
            for triangle in ("lower", "upper"):
                for diag in ("unit", "nonunit"):
                    with self.subTest(op=op, triangle=triangle, diag=diag):
                        result = self.solve(self.grid, "--op", op, "--triangle", triangle, "--diag", diag)
                        self.assertEqual((result["op"], result["triangle"], result["diag"]), (op, triangle, diag))
                        self.assertEqual(result["levels"], 23)

    def test_more_threads_than_a_team_of_kokkos_has(self):
        for space in set(built_names("space")) & {"openmp", "threads"}:
            for threads in (65, 256):
                for algorithm in ("automatic", "level-scheduled", "sync-free-rows"):
                    with self.subTest(space=space, threads=threads, algorithm=algorithm):
                        result = self.solve(self.grid, "--space", space, "--threads", threads, "--algorithm", algorithm)
                        self.assertEqual(result["threads"], threads)

    def test_every_algorithm_in_every_precision(self):
        algorithms = ("automatic", "sequential", "level-scheduled", "sync-free-rows", "sync-free-columns")
        for precision in built_names("precision"):
            for algorithm in algorithms:
                with self.subTest(precision=precision, algorithm=algorithm):
                    result = self.solve(self.grid, "--algorithm", algorithm, "--precision", precision)
                    self.assertEqual(result["precision"], precision)
                    self.assertIn(result["algorithm"], algorithms[1:] if algorithm == "automatic" else [algorithm])

    def test_blocked_is_an_error_where_the_space_has_no_such_algorithm(self):
        for space in built_names("space"):
            with self.subTest(space=space):
                status = run("trisolve", self.grid, "--algorithm", "blocked", "--space", space).returncode
                self.assertEqual(status, 0 if space == "Cuda" else 2)

    def test_every_storage_in_every_space(self):
        for space in built_names("space"):
            for storage in ("automatic", "crs", "hec"):
                with self.subTest(space=space, storage=storage):
                    result = self.solve(self.grid, "--space", space, "--storage", storage, "--algorithm", "level-scheduled")
                    if storage != "automatic":
                        self.assertEqual((result["storage"], result["algorithm"]), (storage, "level-scheduled"))
                    else:
                        self.assertNotEqual(result["storage"], "hec")

    def test_hec_is_an_error_where_the_algorithm_has_no_levels(self):
        status = run("trisolve", self.grid, "--storage", "hec", "--algorithm", "sync-free-rows")
        self.assertEqual(status.returncode, 2)
        for flag in ("--storage", "--algorithm"):
            self.assertIn(flag, status.stderr)

    def test_every_offset_space_format_and_layout(self):
        for option, values in {"offset": built_names("offset"), "space": built_names("space"),
                               "format": ["csr", "csc"], "layout": ["left", "right"]}.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.solve(self.grid, "--rhs", "3", f"--{option}", value)

    def test_complex_file_in_a_build_without_complex_numbers_says_so(self):
        if has_complex_numbers():
            self.skipTest("this build has complex numbers")
        for command in ("trisolve", "solve"):
            with self.subTest(command):
                done = run(command, self.complex_grid)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("complex-double", done.stderr)

    @needs_complex_numbers
    def test_complex_file_is_solved_in_complex_numbers(self):
        if not has_complex_numbers():
            self.skipTest("this build has no complex numbers")
        precision = "complex-double" if "complex-double" in built_names("precision") else "complex-float"
        for op in ("none", "transpose", "conjugate"):
            result = self.solve(self.complex_grid, "--op", op, "--precision", precision)
            self.assertEqual(result["precision"], precision)

    def test_remaining_options(self):
        result = self.solve(self.grid, "--threads", "2", "--rows-per-task", "4", "--no-check", "--seed", "7",
                            "--algorithm", "level-scheduled")
        self.assertEqual((result["rows_per_task"], result["seed"]), (4, 7))

    def test_what_the_analysis_shall_spend(self):
        result = self.solve(self.grid, "--reuse", "once", "--prepare-transpose", "--deterministic")
        self.assertEqual((result["reuse"], result["prepare_transpose"], result["deterministic"]), ("once", True, True))
        status = run("trisolve", self.grid, "--deterministic", "--algorithm", "sync-free-columns")
        self.assertEqual(status.returncode, 2)
        for flag in ("--deterministic", "--algorithm"):
            self.assertIn(flag, status.stderr)

    def test_gzipped_file(self):
        self.solve(self.write("grid.mtx.gz", gzip.compress(self.grid.read_bytes())))

    def test_tiny_matrices(self):
        self.solve(self.write("one.mtx", matrix_text(1, 1, [(1, 1, -3)])))
        result = self.report("trisolve", self.write("none.mtx", matrix_text(0, 0, [])))
        self.assertEqual((result["n"], result["backward_error"]), (0, 0))

    def test_text_says_the_same(self):
        done = run("trisolve", self.grid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("lower triangle", "144 unknowns", "23; rows per level", "backward error"):
            self.assertIn(word, done.stdout)


class Solve(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        poisson = grid_entries(20, lambda i, j: (4,) if i == j else (-1,))
        cls.poisson = cls.write("poisson.mtx", matrix_text(400, 400, poisson))

    def test_reports_what_was_solved_and_how(self):
        result = self.report("solve", self.poisson, "--precond", "ic0", "--solver", "cg")
        self.assertEqual((result["stop"], result["n"], result["nnz"]), ("converged", 400, 1920))
        self.assertEqual(len(result["residuals"]), result["iterations"] + 1)
        self.assertLessEqual(result["residual"], 1e-8)
        self.assertEqual(result["factor"]["entries"], 1920)
        for key in ("backend", "threads", "solve_s", "version", "recursive_residual", "solver", "preconditioner"):
            self.assertIn(key, result)

    def test_every_preconditioner_with_every_solver(self):
        for precond in ("none", "ilu0", "ic0", "milu", "mic", "iluk:2", "ick:1", "ilut:8,1e-3", "ict:8,1e-3"):
            for solver in ("cg", "bicgstab", "gmres:20", "fgmres:20"):
                with self.subTest(precond=precond, solver=solver):
                    result = self.report("solve", self.poisson, "--precond", precond, "--solver", solver)
                    self.assertLessEqual(result["residual"], 1e-8)
                    self.assertEqual(result["factor"] is None, precond == "none")

    def test_better_preconditioners_take_fewer_iterations(self):
        counts = [self.report("solve", self.poisson, "--precond", precond, "--solver", "cg")["iterations"]
                  for precond in ("none", "ic0", "mic", "ick:2", "ict:10,1e-3")]
        self.assertGreater(counts[0], 1.5 * counts[1])
        self.assertGreater(counts[1], counts[2])
        self.assertGreater(counts[1], counts[3])
        self.assertGreater(counts[1], 1.5 * counts[4])

    def test_the_share_of_dropped_fill_is_part_of_the_word_or_an_option(self):
        word = self.report("solve", self.poisson, "--precond", "mic:0.9", "--solver", "cg")
        option = self.report("solve", self.poisson, "--precond", "mic", "--relaxation", "0.9", "--solver", "cg")
        self.assertEqual(word["factor"]["relaxation"], 0.9)
        self.assertEqual(word["residuals"], option["residuals"])

    def test_thresholds_say_what_they_kept(self):
        result = self.report("solve", self.poisson, "--precond", "ilut:3,0.01")
        factor = result["factor"]
        self.assertEqual((result["preconditioner"], factor["fill"], factor["drop_tolerance"]), ("ilut:3,0.01", 3, 0.01))
        self.assertLessEqual(factor["entries"], 7 * 400)
        self.assertGreater(factor["dropped_entries"], 0)
        self.assertIsNone(factor["symbolic_s"])
        diagonal = self.report("solve", self.poisson, "--precond", "ict:0,0", "--solver", "cg")
        self.assertEqual(diagonal["factor"]["entries"], 400)
        self.assertIn("dropped", run("solve", self.poisson, "--precond", "ict:5,0.1").stdout)

    def test_every_ordering_and_scaling(self):
        entries = {}
        for ordering in ("natural", "rcm", "nd", "multicolor", "amd", "automatic"):
            for scaling in ("none", "diagonal"):
                with self.subTest(ordering=ordering, scaling=scaling):
                    options = ["--precond", "ick:2", "--solver", "cg", "--ordering", ordering, "--scaling", scaling]
                    done = run("solve", self.poisson, *options)
                    library = {"nd": "METIS", "amd": "AMD"}.get(ordering)
                    if library and done.returncode == 2 and library in done.stderr:
                        continue
                    factor = self.report("solve", self.poisson, *options)["factor"]
                    self.assertEqual((factor["ordering"], factor["scaling"]), (ordering, scaling))
                    entries[ordering] = factor["entries"]
                    self.assertEqual(factor["colors"], 2 if ordering == "multicolor" else None)
                    self.assertEqual(f"ordering {ordering}" in done.stdout, ordering != "natural")
                    self.assertEqual("scaled by the diagonal" in done.stdout, scaling == "diagonal")
        self.assertGreater(entries["multicolor"], entries["natural"])

    def test_thresholds_in_another_order(self):
        entries = {}
        for ordering in ("natural", "rcm"):
            report = self.report("solve", self.poisson, "--precond", "ict:3,1e-2", "--solver", "cg", "--ordering", ordering,
                                 "--scaling", "diagonal")
            self.assertEqual((report["factor"]["ordering"], report["factor"]["scaling"]), (ordering, "diagonal"))
            entries[ordering] = report["factor"]["entries"]
        self.assertNotEqual(entries["natural"], entries["rcm"])

    def test_a_multicolor_ordering_has_few_levels(self):
        levels = [self.report("solve", self.poisson, "--ordering", ordering, "--algorithm", "level-scheduled")["factor"]["levels"]
                  for ordering in ("natural", "multicolor")]
        self.assertEqual(levels, [39, 2])

    def test_every_precision_space_and_offset(self):
        for precision in built_names("precision"):
            for space in built_names("space"):
                for offset in built_names("offset"):
                    with self.subTest(precision=precision, space=space, offset=offset):
                        tolerance = "1e-4" if precision.endswith("float") else "1e-9"
                        self.report("solve", self.poisson, "--precision", precision, "--space", space, "--offset", offset,
                                    "--tolerance", tolerance, "--side", "left", "--check-every", "5")

    @needs_complex_numbers
    def test_complex_matrices(self):
        if not has_complex_numbers():
            self.skipTest("this build has no complex numbers")
        is_double = "complex-double" in built_names("precision")
        single = [] if is_double else ["--precision", "complex-float", "--tolerance", "1e-4"]
        for solver in ("bicgstab", "gmres:10"):
            self.report("solve", self.complex_grid, "--solver", solver, *single)

    def test_takes_right_hand_sides_from_files(self):
        array = self.write("b.mtx", "%%MatrixMarket matrix array real general\n400 1\n" + "1.0\n" * 400)
        entries = self.write("e.mtx", matrix_text(400, 1, [(7, 1, 2.5)]))
        for path in (array, entries):
            self.assertEqual(self.report("solve", self.poisson, "--rhs", path)["rhs"], str(path))

    def test_says_what_is_wrong_with_a_right_hand_side(self):
        short = self.write("short.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n")
        three = self.write("three.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n")
        two = self.write("two.mtx", "%%MatrixMarket matrix array real general\n400 2\n" + "1\n" * 800)
        word = self.write("word.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\none\n")
        complex_ = self.write("c.mtx", "%%MatrixMarket matrix array complex general\n400 1\n" + "1 0\n" * 400)
        for path, message in {short: "2 of 3", three: "3 rows", two: "2 columns", word: "one", complex_: "complex",
                              self.poisson: "columns", "/nowhere": "/nowhere"}.items():
            with self.subTest(path):
                done = run("solve", self.poisson, "--rhs", path)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(message, done.stderr)

    def test_solves_for_several_columns_and_reports_each(self):
        numbers = [1.0] * 400 + [0.0] * 400 + [float(k % 7) for k in range(400)]
        array = self.write("columns.mtx", "%%MatrixMarket matrix array real general\n400 3\n" + "\n".join(map(str, numbers)))
        entries = self.write("units.mtx", matrix_text(400, 2, [(7, 1, 2.5), (300, 2, 1)]))
        for solver in ("cg", "bicgstab"):
            for path, columns in ((array, 3), (entries, 2)):
                with self.subTest(solver=solver, columns=columns):
                    result = self.report("solve", self.poisson, "--rhs", path, "--solver", solver, "--precond", "ic0")
                    self.assertEqual((result["rhs_columns"], len(result["columns"])), (columns, columns))
                    for column in result["columns"]:
                        self.assertLessEqual(column["residual"], 1e-8)
                        self.assertEqual(len(column["residuals"]), column["iterations"] + 1)
                    self.assertEqual(result["iterations"], max(c["iterations"] for c in result["columns"]))
                    self.assertEqual(result["residual"], max(c["residual"] for c in result["columns"]))
        text = run("solve", self.poisson, "--rhs", array, "--solver", "cg").stdout
        for word in ("column 0", "column 2", "residual"):
            self.assertIn(word, text)

    def test_one_column_that_fails_is_named(self):
        path = self.write("easy.mtx", "%%MatrixMarket matrix array real general\n400 2\n" + "0\n" * 400 + "1\n" * 400)
        result = self.report("solve", self.poisson, "--rhs", path, "--solver", "cg", "--max-iterations", "2", status=1)
        self.assertEqual([column["stop"] for column in result["columns"]], ["converged", "iteration-limit"])
        self.assertEqual(result["stop"], "iteration-limit")
        self.assertIn("right-hand side 1", result["error"])

    def test_refuses_what_needs_symmetry_for_other_matrices(self):
        entries = grid_entries(5, lambda i, j: (4,) if i == j else (-1 - (i < j) / 2,))
        path = self.write("convection.mtx", matrix_text(25, 25, entries))
        for arguments, word in ((["--solver", "cg"], "bicgstab"), (["--precond", "ic0"], "ilu0"),
                                (["--precond", "ict:5,0.1"], "ilut:P,TAU")):
            done = run("solve", path, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)

    def test_a_zero_pivot_is_named_and_can_be_replaced(self):
        path = self.write("pivot.mtx", matrix_text(3, 3, [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1), (2, 3, 1),
                                                          (3, 2, 1), (3, 3, 3)]))
        result = self.report("solve", path, status=1)
        self.assertEqual(result["row"], 1)
        self.assertIn("zero pivot", result["error"])
        self.assertIsNone(result["stop"])
        self.assertGreater(self.report("solve", path, "--pivots", "replace")["factor"]["replaced_pivots"], 0)
        self.assertGreater(self.report("solve", path, "--pivots", "shift")["factor"]["shift"], 0)
        ilut = ["--precond", "ilut:9,0"]
        self.assertEqual(self.report("solve", path, *ilut, status=1)["row"], 1)
        self.assertGreater(self.report("solve", path, *ilut, "--pivots", "replace")["factor"]["replaced_pivots"], 0)

    def test_a_missing_diagonal_is_named_and_can_be_inserted(self):
        path = self.write("hole.mtx", matrix_text(2, 2, [(1, 1, 1), (1, 2, 1), (2, 1, 1)]))
        for precond in ("ilu0", "ilut:2,0"):
            result = self.report("solve", path, "--precond", precond, status=2)
            self.assertEqual(result["row"], 1)
            self.assertIn("--insert-diagonal gives it a zero", result["error"])
        self.report("solve", path, "--insert-diagonal")
        self.report("solve", path, "--insert-diagonal", "--precond", "ilut:2,0")

    def test_failures_end_with_their_reason(self):
        result = self.report("solve", self.poisson, "--max-iterations", "2", status=1)
        self.assertEqual(result["stop"], "iteration-limit")
        indefinite = self.write("indefinite.mtx", matrix_text(2, 2, [(1, 1, 1), (2, 2, -4)]))
        result = self.report("solve", indefinite, "--precond", "none", "--solver", "cg", status=1)
        self.assertEqual(result["stop"], "indefinite")
        self.assertIn("gmres", result["error"])
        result = self.report("solve", self.poisson, "--tolerance", "1e-17", status=1)
        self.assertEqual(result["stop"], "stagnation")
        nan = self.write("nan.mtx", matrix_text(2, 2, [(1, 1, 1), (2, 2, "nan")]))
        self.assertIn("NaN", self.report("solve", nan, status=1)["error"])

    def test_tiny_matrices(self):
        for size in (0, 1):
            path = self.write("tiny.mtx", matrix_text(size, size, [(1, 1, 2)] * size))
            for solver in ("cg", "bicgstab", "gmres:3"):
                self.report("solve", path, "--solver", solver)

    def test_text_has_a_plot(self):
        done = run("solve", self.poisson, environment={"LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("converged", done.stdout)
        self.assertRegex(done.stdout, r"1e0 \|\*")
        self.assertTrue(all(len(line) <= 110 for line in done.stdout.splitlines()))


class Demo(ToolTest):
    def show(self, *arguments, **environment):
        return run(*arguments, program=DEMO, environment=environment)

    def test_small_poisson_matrix(self):
        done = self.show("--size", "8", LC_ALL="C")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("512 unknowns", "22 levels", "plain serial loop", "Kokkos Kernels", "level-scheduled",
                     "sync-free-rows", "sync-free-columns", "automatic", "was fastest"):
            self.assertIn(word, done.stdout)
        self.assertTrue(done.stdout.isascii())
        self.assertLess(max(map(len, done.stdout.splitlines())), 100)
        self.assertNotIn("\033", done.stdout)

    def test_matrix_without_a_usable_diagonal(self):
        done = self.show(self.write("hollow.mtx", matrix_text(3, 3, [(1, 1, 1), (2, 1, 4), (3, 2, 5)])))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("taken as ones", done.stdout)

    def test_matrix_whose_solution_would_overflow(self):
        chain = [(i, i, 1) for i in range(1, 201)] + [(i + 1, i, -1e7 - i / 3) for i in range(1, 200)]
        done = self.show(self.write("explosive.mtx", matrix_text(200, 200, chain)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scaled", done.stdout)

    def test_wrong_arguments_and_files_exit_with_2_and_one_line(self):
        for arguments in (["no/such/file.mtx"], ["--size", "0"], ["a", "b"],
                          [self.write("flat.mtx", matrix_text(1, 2, []))]):
            done = self.show(*arguments)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), arguments)

    def test_colors_only_on_a_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([str(DEMO), "--size", "4"], stdout=slave, stderr=slave)
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 65536):
                output += chunk
        except OSError:  # Linux reports the closed terminal this way
            pass
        os.close(master)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"\033[1;32m", output)


@unittest.skipUnless(DATA, "TERRACE_DATA names no folder with real matrices")
class RealMatrices(ToolTest):
    def files(self):
        return sorted(pathlib.Path(DATA).glob("*.mtx.gz"))

    def test_describes_and_solves_each_or_says_why_not(self):
        self.assertTrue(self.files())
        for path in self.files():
            with self.subTest(path.name):
                info = json.loads(run("info", path, "--json").stdout)
                if info["status"] != "ok":
                    self.assertIn("line", info)
                    continue
                if info["field"] == "complex" and not has_complex_numbers():
                    continue
                bad_rows = info["missing_diagonal"]["rows"] + info["zero_diagonal"]["rows"]
                if info["field"] == "complex" and not any(name.startswith("complex") for name in built_names("precision")):
                    continue
                complex_only = [] if info["field"] != "complex" or "complex-double" in built_names("precision") else [
                    "--precision", "complex-float"]
                result = self.report("trisolve", path, *complex_only, status=1 if bad_rows else 0)
                self.assertEqual(result["nnz"], info["below_diagonal"] + info["on_diagonal"])
                self.assertEqual(result["levels"], info["lower"]["levels"])

    def test_iterations_of_textbook_matrices(self):
        if "double" not in built_names("precision"):
            self.skipTest("needs double")
        expected = {("1138_bus", "ic0", "cg"): 127, ("bcsstk16", "ic0", "cg"): 34, ("Dubcova1", "none", "cg"): 138,
                    ("Dubcova1", "ic0", "cg"): 69, ("Dubcova1", "ick:1", "cg"): 33,
                    ("1138_bus", "ict:10,1e-3", "cg"): 37, ("Dubcova1", "ict:20,1e-3", "cg"): 37,
                    ("memplus", "ilut:10,1e-3", "gmres:30"): 48, ("helmholtz_2D", "ilut:20,1e-3", "gmres:50"): 28,
                    ("helmholtz_2D", "ilu0", "gmres:50"): 93, ("helmholtz_2D", "iluk:2", "gmres:50"): 20}
        for (name, precond, solver), iterations in expected.items():
            path = pathlib.Path(DATA) / f"{name}.mtx.gz"
            is_complex = name == "helmholtz_2D"
            if not path.exists() or (is_complex and "complex-double" not in built_names("precision")):
                continue
            with self.subTest(name, precond=precond, solver=solver):
                result = self.report("solve", path, "--precond", precond, "--solver", solver)
                self.assertLessEqual(abs(result["iterations"] - iterations), 1 + iterations // 20)

    def test_failures_of_textbook_matrices_have_the_right_reason(self):
        for name, status, word in (("rail_79841_K", 1, "tiny pivot"), ("cont-300_kkt", 2, "no diagonal entry"),
                                   ("young1c", 1, "--max-iterations")):
            path = pathlib.Path(DATA) / f"{name}.mtx.gz"
            precond = "mic" if name.startswith("rail") else "ilu0"
            if path.exists() and ("complex-double" in built_names("precision") or name != "young1c"):
                with self.subTest(name):
                    self.assertIn(word, self.report("solve", path, "--precond", precond, status=status)["error"])


if __name__ == "__main__":
    unittest.main()
