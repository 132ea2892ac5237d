# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`terrace solve --direct ldlt` and the orders of `terrace info`. TERRACE_BIN is the folder that holds the program. With
TERRACE_DATA, real matrices are solved as well."""
import json
import math
import pathlib
import unittest
import xml.etree.ElementTree

import command_line_test as tools
from command_line_test import DATA, built_names, grid_entries, matrix_text, needs_complex_numbers, run

EPSILON = 2.0**-52
LIBRARIES = {"nd": "METIS", "amd": "AMD"}


class Direct(tools.ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.size = 20
        cls.rows = cls.size**2
        whole = grid_entries(cls.size, lambda i, j: (4 + i / 100,) if i == j else (-1 - (i + j) % 3 / 10,))
        cls.lower = [entry for entry in whole if entry[0] >= entry[1]]
        cls.general = cls.write("general.mtx", matrix_text(cls.rows, cls.rows, whole))
        cls.symmetric = cls.write("symmetric.mtx", matrix_text(cls.rows, cls.rows, cls.lower, symmetry="symmetric"))

    @classmethod
    def small(cls, entries, rows, field="real", symmetry="symmetric", name="small.mtx"):
        return cls.write(name, matrix_text(rows, rows, entries, field, symmetry))

    def solve(self, path, *options, status=0):
        return self.report("solve", path, "--direct", "ldlt", *options, status=status)

    def refuse(self, *arguments, words):
        """Exit status 2 and one line that holds the words, on standard output nothing."""
        with self.subTest(arguments=arguments):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            for word in words:
                self.assertIn(word, done.stderr.splitlines()[0])
            self.assertEqual(self.report(*arguments, status=2)["error"], done.stderr.splitlines()[0][len("terrace: "):])


class Report(Direct):
    def test_solves_to_the_rounding_of_the_precision(self):
        result = self.solve(self.symmetric)
        self.assertEqual((result["direct"], result["stop"], result["n"], result["nnz"]),
                         ("ldlt", "converged", self.rows, self.rows + 4 * self.size * (self.size - 1)))
        self.assertEqual(result["tolerance"], 2 * EPSILON)
        self.assertLessEqual(result["backward_error"], result["tolerance"])
        self.assertLessEqual(result["residual"], 1e-14)
        for key in ("preconditioner", "solver", "iterations", "max_iterations"):
            self.assertNotIn(key, result)

    def test_tells_the_factorization(self):
        factor = self.solve(self.symmetric)["factor"]
        self.assertEqual((factor["factorization"], factor["algorithm"], factor["scaling"], factor["precision"]),
                         ("ldlt", "multifrontal", "equilibrate", "same"))
        self.assertEqual(factor["matrix_entries"], len(self.lower))
        self.assertGreater(factor["entries"], len(self.lower))
        self.assertGreaterEqual(factor["stored_entries"], factor["entries"])
        self.assertAlmostEqual(factor["fill"], factor["entries"] / len(self.lower))
        self.assertGreater(factor["operations"], factor["entries"])
        self.assertGreaterEqual(factor["stored_operations"], factor["operations"])
        self.assertGreaterEqual(factor["factor_bytes"], 8 * factor["entries"])
        self.assertGreater(factor["peak_bytes"], factor["factor_bytes"])
        for key in ("fronts", "levels", "largest_front", "longest_path", "bytes_held"):
            self.assertGreater(factor[key], 0)
        self.assertTrue(factor["ordering_reason"] and factor["reason"])

    def test_tells_the_pivots(self):
        factor = self.solve(self.symmetric, "--scaling", "none")["factor"]
        self.assertEqual((factor["pivots"], factor["replaced_pivots"], factor["pivot_threshold"]), ("replace", 0, None))
        self.assertEqual([factor[key] for key in ("first_zero_pivot", "first_tiny_pivot", "first_nonfinite_row")],
                         [None] * 3)
        self.assertLess(0, factor["smallest_pivot"])
        self.assertLess(factor["smallest_pivot"], factor["largest_pivot"])
        self.assertAlmostEqual(factor["largest_entry"], 4 + (self.rows - 1) / 100)
        self.assertLess(factor["growth"], 1)  # the matrix is diagonally dominant

    def test_tells_seconds_operations_and_rate_of_each_phase(self):
        result = self.solve(self.symmetric)
        phases = {phase["name"]: phase for phase in result["phases"]}
        self.assertEqual(list(phases), ["ordering", "symbolic", "numeric", "solve", "refine"])
        for name, phase in phases.items():
            self.assertEqual(result["phases_s"][name], phase["seconds"])
            if name in ("ordering", "symbolic"):
                self.assertEqual((phase["operations"], phase["tflops"]), (None, None))
            else:
                self.assertAlmostEqual(phase["tflops"] / (phase["operations"] / phase["seconds"] * 1e-12), 1)
        factor = result["factor"]
        self.assertEqual(phases["numeric"]["operations"], factor["operations"])
        self.assertEqual(phases["solve"]["operations"], 4 * (factor["entries"] - self.rows) + self.rows)

    def test_tells_the_backward_error_of_each_step_of_refinement(self):
        result = self.solve(self.symmetric, "--factor-precision", "single")
        errors = result["backward_errors"]
        self.assertEqual(result["factor"]["precision"], "single")
        self.assertGreater(errors[0], 1e-9)
        self.assertEqual(min(errors), result["backward_error"])
        self.assertGreaterEqual(result["steps"], 1)
        self.assertFalse(result["used_gmres"])
        self.assertEqual(len(errors), 1 + result["steps"])

    def test_text_has_a_line_for_all_of_it(self):
        text = run("solve", self.symmetric, "--direct", "ldlt").stdout
        for word in ("L D L^T, multifrontal", "ordering", "entries of L", "fronts", "memory", "pivots", "0 replaced",
                     "numeric", "FLOP/s", "refine", "backward error", "converged after", "residual"):
            self.assertIn(word, text)

    def test_takes_problems_on_grids_and_draws_their_solution(self):
        picture = pathlib.Path(self.folder.name) / "plane.svg"
        result = self.report("solve", "--grid", "12,11,10", "--problem", "variable", "--direct", "ldlt", "--picture", picture)
        self.assertEqual((result["n"], result["format"], result["format_reason"]), (1320, "csr", "--direct ldlt needs rows"))
        self.assertIn("<svg", picture.read_text())

    def test_takes_several_right_hand_sides(self):
        b = self.write("b.mtx", "%%MatrixMarket matrix array real general\n" + f"{self.rows} 3\n" +
                       "".join(f"{(7 * i + 3) % 11 - 5}\n" for i in range(3 * self.rows)))
        result = self.solve(self.symmetric, "--rhs", b)
        self.assertEqual((result["rhs_columns"], len(result["columns"])), (3, 3))
        self.assertEqual(result["backward_error"], max(column["backward_error"] for column in result["columns"]))
        text = run("solve", self.symmetric, "--direct", "ldlt", "--rhs", b).stdout
        for column in range(3):
            self.assertIn(f"column {column}", text)

    def test_every_precision(self):
        for precision in built_names("precision"):
            with self.subTest(precision):
                result = self.solve(self.symmetric, "--precision", precision)
                self.assertEqual(result["tolerance"], 2 * (2.0**-23 if "float" in precision else EPSILON))

    @needs_complex_numbers
    def test_complex_symmetric_matrices(self):
        entries = [(i, j, value, (i - 2 * j) % 5 / 10) for i, j, value in self.lower]
        path = self.small(entries, self.rows, field="complex")
        result = self.solve(path)
        self.assertEqual(result["precision"], "complex-double")
        self.assertLessEqual(result["backward_error"], result["tolerance"])
        numeric = next(phase for phase in result["phases"] if phase["name"] == "numeric")
        self.assertEqual(numeric["operations"], 4 * result["factor"]["operations"])


class Options(Direct):
    def test_every_ordering_and_scaling(self):
        for ordering in ("natural", "rcm", "nd", "multicolor", "amd", "automatic"):
            for scaling in ("none", "diagonal", "equilibrate"):
                with self.subTest(ordering=ordering, scaling=scaling):
                    options = ["--ordering", ordering, "--scaling", scaling]
                    done = run("solve", self.symmetric, "--direct", "ldlt", *options)
                    if done.returncode == 2 and LIBRARIES.get(ordering, "--") in done.stderr:
                        continue
                    factor = self.solve(self.symmetric, *options)["factor"]
                    self.assertEqual(factor["scaling"], scaling)
                    if ordering != "automatic":
                        self.assertEqual(factor["ordering"], ordering)

    def test_every_algorithm(self):
        for algorithm, found in (("automatic", "multifrontal"), ("multifrontal", "multifrontal"), ("columns", "columns")):
            with self.subTest(algorithm):
                factor = self.solve(self.symmetric, "--algorithm", algorithm)["factor"]
                self.assertEqual(factor["algorithm"], found)
                self.assertTrue(factor["reason"])

    def order_file(self, places, name="order.txt"):
        return self.write(name, "".join(f"{place}\n" for place in places))

    def test_a_given_order_is_the_place_of_each_row(self):
        natural = self.solve(self.symmetric, "--ordering", "natural")["factor"]
        same = self.order_file(range(self.rows))
        given = self.solve(self.symmetric, "--ordering", f"given:{same}")["factor"]
        self.assertEqual((given["ordering"], given["entries"]), ("given", natural["entries"]))
        # An arrow whose tip, row 0, fills everything unless it comes last: rows 1, 2, ... move one place ahead.
        rows = 30
        arrow = self.small([(1, 1, 100)] + [(i, 1, 1) for i in range(2, rows + 1)] +
                           [(i, i, 2) for i in range(2, rows + 1)], rows, name="arrow.mtx")
        last = self.order_file([rows - 1, *range(rows - 1)])
        self.assertEqual(self.solve(arrow, "--ordering", f"given:{last}")["factor"]["entries"], 2 * rows - 1)
        self.assertEqual(self.solve(arrow, "--ordering", "natural")["factor"]["entries"], rows * (rows + 1) // 2)

    def test_a_given_order_serves_incomplete_factorizations_too(self):
        backwards = self.order_file(reversed(range(self.rows)))
        for precond in ("ick:1", "ict:8,1e-3"):
            result = self.report("solve", self.symmetric, "--precond", precond, "--solver", "cg", "--ordering",
                                 f"given:{backwards}")
            self.assertEqual(result["factor"]["ordering"], "given")

    def test_a_given_order_that_is_none_names_the_line(self):
        for places, line, word in (([0, 1, 1], 3, "line 2"), ([0, 3, 1], 2, "not below"), ([0, -1, 1], 2, "negative"),
                                   ([0, 1], 3, "2 lines"), ([0, 1, 2, 3], 4, "4 lines"), ([0, "x", 1], 2, "x")):
            with self.subTest(places):
                path = self.order_file(places)
                three = self.small([(1, 1, 2), (2, 2, 2), (3, 3, 2)], 3)
                result = self.solve(three, "--ordering", f"given:{path}", status=2)
                self.assertEqual((result["status"], result["line"]), ("wrong input", line))
                self.assertIn(word, result["error"])
                self.assertNotIn("block", result["error"])
        self.assertIn("no/such", self.solve(self.symmetric, "--ordering", "given:no/such/file", status=2)["error"])

    def test_without_steps_of_refinement_the_error_is_only_measured(self):
        result = self.solve(self.symmetric, "--refine-steps", "0")
        self.assertEqual((result["refine_steps"], result["steps"], len(result["backward_errors"])), (0, 0, 1))
        self.assertEqual(result["tolerance"], math.sqrt(EPSILON))

    def test_a_tolerance_stops_early(self):
        result = self.solve(self.symmetric, "--factor-precision", "single", "--tolerance", "1e-5")
        self.assertEqual((result["tolerance"], result["steps"]), (1e-5, 0))

    def test_amalgamation_stores_zeros_for_larger_fronts(self):
        none = self.solve(self.symmetric, "--amalgamation", "0")["factor"]
        many = self.solve(self.symmetric, "--amalgamation", "20")["factor"]
        self.assertEqual(none["stored_entries"], none["entries"])
        self.assertEqual(many["entries"], none["entries"])
        self.assertLess(many["fronts"], none["fronts"])

    def test_tiny_pivots_are_replaced_or_reported(self):
        saddle = self.small([(1, 1, 1), (2, 2, 1e-12), (3, 3, 1), (3, 2, 1e-12)], 3)
        replaced = self.solve(saddle, "--ordering", "natural", "--scaling", "none")
        self.assertEqual((replaced["factor"]["replaced_pivots"], replaced["factor"]["first_tiny_pivot"]), (1, 1))
        reported = self.solve(saddle, "--ordering", "natural", "--scaling", "none", "--pivots", "report")
        self.assertEqual((reported["factor"]["replaced_pivots"], reported["factor"]["first_tiny_pivot"]), (0, 1))
        kept = self.solve(saddle, "--ordering", "natural", "--scaling", "none", "--pivot-threshold", "1e-14")["factor"]
        self.assertEqual((kept["pivot_threshold"], kept["first_tiny_pivot"]), (1e-14, None))

    def test_draws_the_tree_of_fronts(self):
        picture = pathlib.Path(self.folder.name) / "tree.svg"
        factor = self.solve(self.symmetric, "--draw", picture)["factor"]
        drawing = xml.etree.ElementTree.parse(picture)
        titles = [title.text for title in drawing.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(len(titles), factor["levels"])
        self.assertEqual(sum(int(title.split(": ")[1].split(" ")[0]) for title in titles), factor["fronts"])
        self.assertTrue(titles[0].startswith(f"level {factor['levels'] - 1}:"))
        self.assertIn("cannot be written", self.solve(self.symmetric, "--draw", self.folder.name, status=2)["error"])

    def test_a_long_chain_is_drawn_in_few_bands(self):
        rows = 3000
        chain = self.small([(i, i, 3) for i in range(1, rows + 1)] + [(i + 1, i, -1) for i in range(1, rows)], rows)
        picture = pathlib.Path(self.folder.name) / "chain.svg"
        self.solve(chain, "--ordering", "natural", "--amalgamation", "0", "--draw", picture)
        self.assertLess(picture.stat().st_size, 1_000_000)


class Failures(Direct):
    def test_zero_pivot_that_is_not_replaced(self):
        path = self.small([(1, 1, 1), (2, 2, 0), (3, 3, 1)], 3)
        result = self.solve(path, "--pivots", "report", "--ordering", "natural", status=1)
        self.assertEqual((result["status"], result["row"], result["stop"]), ("numerical failure", 1, None))
        self.assertIn("--pivots replace", result["error"])
        self.assertIsNone(result["backward_error"])

    def test_nan_names_its_row(self):
        path = self.small([(1, 1, 1), (2, 2, "nan"), (3, 3, 1)], 3)
        result = self.solve(path, status=1)
        self.assertEqual(result["row"], 1)
        self.assertIn("NaN", result["error"])

    def test_missed_tolerance(self):
        path = self.small([(1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 3, 1)], 3)  # singular: rows 0 and 1 are equal
        b = self.write("b3.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n")
        result = self.solve(path, "--rhs", b, status=1)
        self.assertEqual(result["status"], "numerical failure")
        self.assertIn("backward error", result["error"])
        self.assertIn("1 pivots were replaced", result["error"])
        self.assertEqual(run("solve", path, "--direct", "ldlt", "--rhs", b).returncode, 1)

    def test_matrix_without_rows(self):
        path = self.small([], 0)
        self.assertEqual(self.solve(path)["n"], 0)
        self.assertNotIn("nan", run("solve", path, "--direct", "ldlt").stdout)


class WrongInput(Direct):
    def test_asymmetric_files_name_the_first_row_and_what_takes_them(self):
        for entries in ([(1, 1, 2), (2, 1, 1), (1, 2, 1), (2, 2, 2), (3, 2, 1), (2, 3, 5), (3, 3, 2)],
                        [(1, 1, 2), (2, 1, 1), (1, 2, 1), (2, 2, 2), (3, 2, 1), (3, 3, 2)]):
            path = self.small(entries, 3, symmetry="general")
            result = self.solve(path, status=2)
            self.assertEqual((result["status"], result["row"]), ("wrong input", 2 if len(entries) == 6 else 1))
            for word in ("symmetric", "--precond ilu0", "--solver gmres:30"):
                self.assertIn(word, result["error"])

    def test_one_triangle_in_a_general_file_is_a_triangle(self):
        path = self.small(self.lower, self.rows, symmetry="general")
        self.assertEqual(self.solve(path, status=2)["row"], 1)

    def test_general_files_whose_triangles_agree(self):
        one, both = self.solve(self.symmetric), self.solve(self.general)
        for key in ("entries", "operations", "matrix_entries"):
            self.assertEqual(one["factor"][key], both["factor"][key])

    @needs_complex_numbers
    def test_hermitian_files_are_told_what_is_supported(self):
        path = self.small([(1, 1, 2, 0), (2, 1, 0, 1), (2, 2, 3, 0)], 2, field="complex", symmetry="hermitian")
        result = self.solve(path, status=2)
        for word in ("hermitian", "complex symmetric", "--precond ic0"):
            self.assertIn(word, result["error"])

    def test_skew_symmetric_files_and_problems_with_wind(self):
        skew = self.small([(2, 1, 1), (3, 2, 1)], 3, symmetry="skew-symmetric")
        self.assertIn("symmetric matrix", self.solve(skew, status=2)["error"])
        result = self.report("solve", "--grid", "5,5", "--problem", "convection", "--direct", "ldlt", status=2)
        self.assertIn("--precond ilu0", result["error"])

    def test_rectangular_matrix(self):
        path = self.write("rectangle.mtx", matrix_text(2, 3, [(1, 1, 1)]))
        self.assertIn("2x3", self.solve(path, status=2)["error"])

    def test_right_hand_side_of_another_length(self):
        b = self.write("short.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
        self.assertIn("2 rows", self.solve(self.symmetric, "--rhs", b, status=2)["error"])

    def test_flags_of_an_iteration(self):
        for flag, value in (("--precond", "ilu0"), ("--precond", "none"), ("--precond", "ras:4"), ("--solver", "cg"),
                            ("--max-iterations", "5"), ("--check-every", "5"), ("--side", "left"),
                            ("--relaxation", "0.5"), ("--algorithm", "sequential"), ("--block", "ilu0"),
                            ("--variant", "additive"), ("--partition", "metis"), ("--unknowns-per-node", "2"),
                            ("--bad-blocks", "keep"), ("--max-growth", "3")):
            self.refuse("solve", "x", "--direct", "ldlt", flag, value, words=[flag, "--direct ldlt"])
        for flag in ("--insert-diagonal", "--weigh-edges"):
            self.refuse("solve", "x", "--direct", "ldlt", flag, words=[flag, "--direct ldlt"])

    def test_what_direct_has_not(self):
        self.refuse("solve", "x", "--direct", "ldlt", "--pivots", "shift", words=["--pivots", "--direct ldlt"])
        self.refuse("solve", "--grid", "4,4", "--direct", "ldlt", "--format", "diagonals", words=["--format", "csr"])
        self.refuse("solve", "x", "--direct", "lu", words=["--direct", "lu"])
        self.refuse("solve", "x", "--direct", "ldlt", "--pivot-threshold", "2", words=["--pivot-threshold"])
        self.refuse("solve", "x", "--direct", "ldlt", "--refine-steps", "-1", words=["--refine-steps"])
        self.refuse("solve", "x", "--direct", "ldlt", "--amalgamation", "-1", words=["--amalgamation"])
        self.refuse("solve", "x", "--direct", "ldlt", "--ordering", "given:", words=["--ordering", "given:FILE"])
        self.refuse("solve", "x", "--direct", "ldlt", "--ordering", "given", words=["--ordering", "given:FILE"])
        self.refuse("solve", self.symmetric, "--direct", "ldlt", "--pivot-threshold", "1", words=["--pivot-threshold"])

    def test_what_only_direct_has(self):
        for flag, value in (("--pivot-threshold", "0.1"), ("--amalgamation", "1"), ("--refine-steps", "3"),
                            ("--draw", "x.svg")):
            self.refuse("solve", "x", flag, value, words=[flag, "--direct ldlt"])
        for option in (("--algorithm", "columns"), ("--scaling", "equilibrate"), ("--ordering", "given:y")):
            self.refuse("schwarz", "x", *option, words=[option[0]])
        self.refuse("solve", "x", "--algorithm", "columns", words=["--algorithm", "--direct ldlt"])
        self.refuse("solve", "x", "--scaling", "equilibrate", words=["--scaling", "--direct ldlt"])
        self.refuse("solve", "x", "--precond", "ras:4", "--ordering", "given:y", words=["--ordering", "--precond ras"])


class Info(Direct):
    def test_predicts_what_each_order_costs(self):
        orders = {order["ordering"]: order for order in self.report("info", self.symmetric)["orders"]}
        self.assertEqual(list(orders), ["natural", "rcm", "nd", "amd"])
        for name, order in orders.items():
            if "error" in order:
                self.assertIn(LIBRARIES[name], order["error"])
                continue
            factor = self.solve(self.symmetric, "--ordering", name)["factor"]
            for key in ("entries", "operations", "fill"):
                self.assertEqual(order[key], factor[key])
            self.assertLessEqual(order["factor_bytes"], factor["factor_bytes"])
        automatic = [order for order in orders.values() if order["automatic"]]
        self.assertEqual(len(automatic), 1)
        self.assertEqual(automatic[0]["ordering"], self.solve(self.symmetric)["factor"]["ordering"])
        self.assertTrue(automatic[0]["reason"])

    def test_text_has_a_table(self):
        text = run("info", self.symmetric).stdout
        self.assertIn("terrace solve --direct ldlt", text)
        self.assertIn("<- automatic: ", text)

    def test_predicts_nothing_without_a_symmetric_structure(self):
        path = self.small([(1, 1, 1), (2, 1, 1), (2, 2, 1)], 2, symmetry="general")
        self.assertEqual(self.report("info", path)["orders"], [])
        self.assertNotIn("--direct", run("info", path).stdout)


@unittest.skipUnless(DATA, "TERRACE_DATA is not set")
class RealMatrices(Direct):
    def test_positive_definite_ones(self):
        for name in ("1138_bus", "bcsstk16", "Dubcova1"):
            with self.subTest(name):
                result = self.solve(f"{DATA}/{name}.mtx.gz", "--scaling", "equilibrate")
                self.assertEqual(result["factor"]["replaced_pivots"], 0)

    @needs_complex_numbers
    def test_complex_symmetric_ones(self):
        for name in ("helmholtz_2D", "young1c"):
            with self.subTest(name):
                result = self.solve(f"{DATA}/{name}.mtx.gz")
                self.assertLessEqual(result["residual"], 1e-10)

    def test_a_saddle_point_ends_with_a_solution_or_with_a_failure(self):
        done = run("solve", f"{DATA}/cont-300_kkt.mtx.gz", "--direct", "ldlt", "--json")
        result = json.loads(done.stdout)
        self.assertGreater(result["factor"]["replaced_pivots"], 10_000)
        self.assertEqual(done.returncode == 0, result["backward_error"] <= result["tolerance"])
        self.assertEqual(done.returncode == 0, result["residual"] <= 1e-12)


if __name__ == "__main__":
    unittest.main()
