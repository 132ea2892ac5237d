# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`terrace solve --precond ras` and `terrace schwarz`. TERRACE_BIN is the folder that holds the program."""
import gzip
import math
import re
import unittest

import command_line_test as tools
from command_line_test import built_names, grid_entries, matrix_text, run

VARIANTS = ("restricted", "harmonic", "additive", "weighted", "symmetric")
BOXES = ("--partition", "boxes:2,2")  # of a grid; needs no METIS


def has_metis():
    return "METIS" not in run("solve", "--grid", "4,4", "--precond", "ras:2").stderr


class Schwarz(tools.ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.size = 20
        cls.rows = cls.size**2
        wind = grid_entries(cls.size, lambda i, j: (4.5,) if i == j else (-1 - (i < j) / 4,))
        cls.convection = cls.write("convection.mtx", matrix_text(cls.rows, cls.rows, wind))
        cls.quarters = cls.write_numbers("quarters", [2 * (row // cls.size >= 10) + (row % cls.size >= 10)
                                                      for row in range(cls.rows)])

    @classmethod
    def write_numbers(cls, name, numbers):
        return cls.write(name, "".join(f"{number}\n" for number in numbers))

    def on_grid(self, *options, precond="ras:0", status=0):
        return self.report("solve", "--grid", "20,20", "--precond", precond, *options, status=status)

    def on_file(self, *options, precond="ras", status=0):
        return self.report("solve", self.convection, "--precond", precond, "--partition", self.quarters, *options,
                           status=status)

    def refuse(self, *arguments, word):
        """Exit status 2 and one line that holds the word, on standard output nothing."""
        with self.subTest(arguments=arguments):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(word, done.stderr.splitlines()[0])
            self.assertEqual(self.report(*arguments, status=2)["error"], done.stderr.splitlines()[0][len("terrace: "):])


class Solve(Schwarz):
    def test_reports_the_blocks_and_each_phase(self):
        report = self.on_file(precond="ras:4,1")
        factor = report["factor"]
        self.assertEqual((report["preconditioner"], report["stop"], report["solver"]), ("ras:4,1", "converged", "gmres:30"))
        self.assertEqual((factor["block"], factor["variant"], factor["blocks"], factor["overlap"]),
                         ("ilu0", "restricted", 4, 1))
        self.assertEqual((factor["factorization"], factor["fill_level"], factor["factor_precision"]), ("lu", 0, "same"))
        self.assertEqual(factor["rows"], 4 * (10 * 12))  # each quarter and two rows of ten of its neighbors
        self.assertAlmostEqual(factor["row_growth"], factor["rows"] / 400)
        self.assertAlmostEqual(factor["entry_growth"], factor["block_entries"] / report["nnz"])
        self.assertEqual((factor["smallest_block"], factor["largest_block"], factor["max_copies"]), (120, 120, 3))
        self.assertEqual(factor["entries"], factor["block_entries"])
        partition = factor["partition"]
        self.assertEqual((partition["method"], partition["word"], partition["blocks"]), ("given", str(self.quarters), 4))
        self.assertEqual((partition["smallest_block"], partition["largest_block"], partition["empty_blocks"]),
                         (100, 100, 0))
        self.assertEqual(set(report["phases_s"]), {"partition", "subdomains", "factorization", "solve"})
        for phase in ("partition", "subdomains", "factorization"):
            self.assertGreater(factor[phase + "_s"], 0)
        self.assertIn(factor["algorithm"], ("blocks", "solvers"))
        self.assertTrue(factor["reason"])
        self.assertGreater(factor["bytes_held"], 0)
        self.assertEqual((factor["bad_blocks"], factor["first_bad_block"], factor["diagonal_blocks"]), (0, None, 0))

    def test_text_says_the_same(self):
        done = run("solve", self.convection, "--precond", "ras:4,1", "--partition", self.quarters)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("ras:4,1, lu by ilu0, restricted", "given: 4 blocks of 100 to 100 rows",
                     "overlap 1: 1.20 times the rows", "levels: ", "partition", "subdomains", "factorization"):
            self.assertIn(word, done.stdout)
        self.assertTrue(all(len(line) <= 110 for line in done.stdout.splitlines()), done.stdout)

    def test_every_variant_and_kind_of_block(self):
        for variant in VARIANTS:
            for block in ("ilu0", "iluk:1", "ilut:5,1e-2", "milu:0.9"):
                with self.subTest(variant=variant, block=block):
                    report = self.on_file("--variant", variant, "--block", block, precond="ras:4")
                    self.assertEqual((report["factor"]["variant"], report["factor"]["block"]), (variant, block))
                    self.assertLessEqual(report["residual"], 1e-8)
        for variant in ("additive", "symmetric"):
            for block in ("ic0", "ick:1", "ict:5,1e-2", "mic", "ilu0"):
                with self.subTest(variant=variant, block=block):
                    report = self.on_grid("--variant", variant, "--block", block, *BOXES)
                    self.assertEqual((report["solver"], report["factor"]["blocks"]), ("cg", 4))
                    self.assertLessEqual(report["residual"], 1e-8)

    def test_what_is_left_open_suits_the_solver(self):
        for options, solver, block, variant in (((), "cg", "ic0", "additive"),
                                                (("--variant", "restricted"), "gmres:30", "ilu0", "restricted"),
                                                (("--variant", "symmetric"), "cg", "ic0", "symmetric"),
                                                (("--solver", "gmres:20"), "gmres:20", "ilu0", "restricted"),
                                                (("--solver", "cg", "--block", "ilu0"), "cg", "ilu0", "additive")):
            with self.subTest(options):
                report = self.on_grid(*BOXES, *options)
                self.assertEqual((report["solver"], report["factor"]["block"], report["factor"]["variant"]),
                                 (solver, block, variant))
                self.assertEqual((report["format"], report["format_reason"]), ("csr", "--precond ras:0 needs rows"))

    def test_a_problem_on_a_grid_that_is_not_symmetric(self):
        source = ("--problem", "convection", "--grid", "20,20", "--wind", "2")
        solve = self.report("solve", *source, "--precond", "ras", *BOXES)
        self.assertEqual((solve["solver"], solve["factor"]["block"], solve["factor"]["variant"]),
                         ("gmres:30", "ilu0", "restricted"))
        self.assertEqual((solve["format"], solve["format_reason"]), ("csr", "diagonals are symmetric, and convection is not"))
        self.assertEqual((solve["n"], solve["nnz"], solve["factor"]["blocks"]), (400, 1920, 4))
        study = self.report("schwarz", *source, *BOXES)
        for report in (solve, study):
            self.assertEqual((report["wind"], report["unknowns_per_cell"]), (2, 1))
        self.assertLessEqual(study["rows"][0]["residual"], 1e-8)
        self.assertIn("convection, wind 2.000, double", run("schwarz", *source, *BOXES).stdout)
        self.refuse("solve", *source, "--precond", "ras", *BOXES, "--solver", "cg", word="--solver: cg needs a Hermitian matrix")
        self.refuse("solve", *source, "--precond", "ras", *BOXES, "--block", "ic0", word="--block: ic0")

    def test_one_block_is_the_factorization_without_blocks(self):
        ones = self.write_numbers("one", [0] * self.rows)
        for block in ("ilu0", "iluk:2", "ilut:5,1e-2"):
            with self.subTest(block):
                whole = self.report("solve", self.convection, "--precond", block)
                one = self.report("solve", self.convection, "--precond", "ras:1", "--block", block, "--partition", ones)
                self.assertEqual(one["factor"]["entries"], whole["factor"]["entries"])
                self.assertEqual(one["iterations"], whole["iterations"])

    def test_overlap_takes_fewer_iterations_and_more_memory(self):
        reports = [self.on_file("--block", "iluk:3", precond=f"ras:4,{overlap}") for overlap in (0, 1, 3)]
        self.assertGreater(reports[0]["iterations"], reports[2]["iterations"])
        growth = [report["factor"]["row_growth"] for report in reports]
        self.assertEqual(growth, sorted(growth))
        self.assertEqual(growth[0], 1)

    def test_factors_in_single_precision_hold_less_and_solve_as_well(self):
        reports = [self.on_file("--factor-precision", precision) for precision in ("same", "single")]
        self.assertLessEqual(abs(reports[0]["iterations"] - reports[1]["iterations"]), 1)
        self.assertEqual(reports[1]["factor"]["factor_precision"], "single")
        text = run("solve", self.convection, "--precond", "ras", "--partition", self.quarters, "--factor-precision", "single")
        self.assertIn("in single precision", text.stdout)

    def test_options_of_the_factorization_reach_the_blocks(self):
        for options in (("--ordering", "rcm"), ("--ordering", "multicolor"), ("--scaling", "diagonal"),
                        ("--pivots", "shift"), ("--pivots", "replace"), ("--relaxation", "0.5"),
                        ("--algorithm", "level-scheduled"), ("--side", "left"), ("--bad-blocks", "diagonal")):
            with self.subTest(options):
                self.on_file(*options)
        self.assertEqual(self.on_file("--relaxation", "0.5")["factor"]["relaxation"], 0.5)
        self.assertEqual(self.on_file("--scaling", "diagonal")["factor"]["scaling"], "diagonal")
        natural, colors = (self.on_file("--ordering", order)["factor"] for order in ("natural", "multicolor"))
        self.assertLess(colors["levels"], natural["levels"])
        self.assertEqual(colors["ordering"], "multicolor")

    def test_several_columns(self):
        array = self.write("columns.mtx", "%%MatrixMarket matrix array real general\n400 2\n" + "1\n" * 400 +
                           "".join(f"{k % 7}\n" for k in range(400)))
        report = self.on_grid(*BOXES, "--rhs", array)
        self.assertEqual((report["rhs_columns"], len(report["columns"])), (2, 2))

    def test_every_precision_space_and_offset(self):
        for precision in built_names("precision"):
            for space in built_names("space"):
                for offset in built_names("offset"):
                    with self.subTest(precision=precision, space=space, offset=offset):
                        tolerance = "1e-4" if precision.endswith("float") else "1e-9"
                        self.on_file("--precision", precision, "--space", space, "--offset", offset,
                                     "--tolerance", tolerance)

    def test_tiny_matrices(self):
        for size in (0, 1):
            path = self.write("tiny.mtx", matrix_text(size, size, [(1, 1, 2)] * size))
            numbers = self.write_numbers("tiny", [0] * size)
            self.report("solve", path, "--precond", "ras:1", "--partition", numbers)

    def test_blocks_of_one_row_and_empty_blocks(self):
        rows = self.write_numbers("rows", range(self.rows))
        report = self.report("solve", self.convection, "--precond", "ras:0,0", "--partition", rows)
        self.assertEqual((report["factor"]["blocks"], report["factor"]["largest_block"], report["factor"]["levels"]),
                         (400, 1, 1))
        report = self.on_file(precond="ras:9")
        self.assertEqual((report["factor"]["blocks"], report["factor"]["partition"]["empty_blocks"]), (9, 5))
        self.assertIn("5 empty", run("solve", self.convection, "--precond", "ras:9", "--partition", self.quarters).stdout)


class Partitions(Schwarz):
    def setUp(self):
        if self._testMethodName.endswith("metis") and not has_metis():
            self.skipTest("this build has no METIS")

    def test_a_graph_is_partitioned_by_metis(self):
        plain = self.report("solve", self.convection, "--precond", "ras:4,1")["factor"]["partition"]
        self.assertEqual((plain["method"], plain["word"], plain["blocks"]), ("metis", "metis", 4))
        self.assertGreater(plain["cut"], 0)
        self.assertIsNotNone(plain["disconnected_blocks"])
        strong = self.report("solve", self.convection, "--precond", "ras:4", "--weigh-edges", "--partition", "metis")
        self.assertEqual(strong["factor"]["partition"]["blocks"], 4)

    def test_the_number_of_blocks_is_left_to_the_library_with_metis(self):
        for word in ("ras", "ras:0", "ras:0,2"):
            partition = self.report("solve", self.convection, "--precond", word)["factor"]["partition"]
            self.assertGreaterEqual(partition["blocks"], 1)
            self.assertTrue(partition["reason"])

    def test_unknowns_of_a_node_stay_together_with_metis(self):
        self.report("solve", self.convection, "--precond", "ras:4", "--unknowns-per-node", "2")
        self.refuse("solve", self.convection, "--precond", "ras:4", "--unknowns-per-node", "3", word="--unknowns-per-node")
        self.refuse("solve", self.convection, "--precond", "ras:201", "--unknowns-per-node", "2", word="200 nodes")

    def test_edges_cannot_be_weighed_by_nan_with_metis(self):
        path = self.write("nan.mtx", matrix_text(2, 2, [(1, 1, 1), (1, 2, "nan"), (2, 1, 1), (2, 2, 1)]))
        self.refuse("solve", path, "--precond", "ras:2", "--weigh-edges", word="row 0")

    def test_more_blocks_than_rows_are_refused_with_metis(self):
        self.refuse("solve", self.convection, "--precond", "ras:401", word="401, but there are 400 rows")

    def test_boxes_of_a_grid(self):
        factor = self.on_grid("--partition", "boxes:4,5", precond="ras:20,1")["factor"]
        self.assertEqual((factor["partition"]["method"], factor["partition"]["largest_block"]), ("boxes", 20))
        self.assertEqual(self.on_grid("--partition", "boxes:4,5")["factor"]["blocks"], 20)
        cube = self.report("solve", "--grid", "6,6,6", "--precond", "ras", "--partition", "boxes:2,3,1")
        self.assertEqual(cube["factor"]["blocks"], 6)

    def test_wrong_boxes_are_refused(self):
        grid = ("solve", "--grid", "20,20", "--precond", "ras:0", "--partition")
        for word in ("boxes", "boxes:", "boxes:2", "boxes:2,0", "boxes:1,2,3,4", "boxes:a,b"):
            self.refuse(*grid, word, word=f"'{word}'")
        self.refuse(*grid, "boxes:21,1", word="21 boxes in direction x, which has 20 cells")
        self.refuse("solve", "--grid", "20,20", "--precond", "ras:5", *BOXES, word="boxes:2,2 makes 4 blocks")
        self.refuse("solve", self.convection, "--precond", "ras:4", *BOXES, word="--grid")
        for option in (("--weigh-edges",), ("--unknowns-per-node", "2")):
            self.refuse("solve", "--grid", "20,20", "--precond", "ras:0", *BOXES, *option, word=option[0])

    def test_block_numbers_from_a_file(self):
        numbers = [row * 5 // self.rows for row in range(self.rows)]
        plain = self.write_numbers("numbers", numbers)
        zipped = self.write("numbers.gz", gzip.compress(plain.read_bytes()))
        for path in (plain, zipped):
            factor = self.report("solve", self.convection, "--precond", "ras", "--partition", path)["factor"]
            self.assertEqual((factor["blocks"], factor["partition"]["method"]), (5, "given"))

    def test_wrong_block_numbers_are_named_with_their_line(self):
        good = ["0"] * self.rows
        for lines, message, line in ((good[1:], "399", None), (good + ["0"], "400", None),
                                     (good[:7] + ["x"] + good[8:], "line 8", 8),
                                     (good[:7] + ["-1"] + good[8:], "line 8", 8),
                                     (good[:7] + ["99999999999"] + good[8:], "line 8", 8)):
            path = self.write_numbers("wrong", lines)
            self.refuse("solve", self.convection, "--precond", "ras", "--partition", path, word=message)
            if line is not None:
                report = self.report("solve", self.convection, "--precond", "ras", "--partition", path, status=2)
                self.assertEqual(report["line"], line)
        self.refuse("solve", self.convection, "--precond", "ras", "--partition", "/nowhere", word="/nowhere")

    def test_a_block_out_of_range_is_named_with_its_row(self):
        report = self.on_file(precond="ras:3", status=2)
        self.assertEqual(report["row"], 210)
        self.assertIn("row 210 is in block 3; there are 3 blocks", report["error"])


class WrongUsage(Schwarz):
    def test_words_that_are_no_shape_or_block(self):
        for word in ("ras:", "ras:-1", "ras:x", "ras:8,", "ras:8,-1", "ras:8,1,2", "ras:1.5", "ras:99999999999"):
            self.refuse("solve", "x", "--precond", word, word=f"'{word}'")
        for word in ("", "none", "ras:2", "lu", "iluk", "ilut:5", "ilut:5,nan", "ilu0:1", "iluk:-1"):
            self.refuse("solve", "x", "--precond", "ras:8", "--block", word, word=f"'{word}'")
        self.refuse("solve", "x", "--precond", "ras:8", "--partition", "", word="--partition")

    def test_cg_needs_a_symmetric_variant(self):
        for variant in ("restricted", "harmonic", "weighted"):
            for source in (("--grid", "20,20"), (self.grid,)):
                arguments = ("solve", *source, "--precond", "ras:4", "--solver", "cg", "--variant", variant)
                for word in ("--variant", "additive", "symmetric"):
                    self.refuse(*arguments, word=word)
        self.refuse("schwarz", self.grid, "--solver", "cg", "--variant", "weighted", word="additive")

    def test_options_that_do_not_belong_to_the_preconditioner(self):
        options = (("--block", "ilu0"), ("--variant", "additive"), ("--partition", "metis"), ("--weigh-edges",),
                   ("--unknowns-per-node", "2"), ("--factor-precision", "single"), ("--bad-blocks", "diagonal"),
                   ("--max-growth", "4"))
        for precond in ((), ("--precond", "ilu0"), ("--precond", "none")):
            for option in options:
                self.refuse("solve", "x", *precond, *option, word=f"{option[0]}: only --precond ras")
        for option, word in ((("--algorithm", "sequential"), "--block ilut:5,1 has only one"),
                             (("--relaxation", "0.5"), "--block ilut:5,1 has none")):
            self.refuse("solve", "x", "--precond", "ras:8", "--block", "ilut:5,1", *option, word=word)
        self.refuse("solve", "x", "--precond", "ras:8", "--block", "milu:1", "--relaxation", "0.5", word="has one already")

    def test_names_and_numbers(self):
        for option, value in (("--variant", "ras"), ("--factor-precision", "half"), ("--bad-blocks", "hope"),
                              ("--max-growth", "0.5"), ("--unknowns-per-node", "0")):
            self.refuse("solve", "x", "--precond", "ras:8", option, value, word=option)

    def test_a_factorization_that_needs_symmetry_names_the_block(self):
        for block in ("ic0", "ict:5,0.1"):
            self.refuse("solve", self.convection, "--precond", "ras:4", "--block", block, "--partition", self.quarters,
                        word=f"--block: {block} needs a symmetric matrix")

    def test_diagonals_have_no_blocks(self):
        self.refuse("solve", "--grid", "20,20", "--format", "diagonals", "--precond", "ras:4", word="--format csr")

    def test_other_matrices_and_files(self):
        rectangle = self.write("rectangle.mtx", matrix_text(2, 3, [(1, 1, 1)]))
        self.refuse("solve", rectangle, "--precond", "ras:1", word="2x3")
        hole = self.write("hole.mtx", matrix_text(2, 2, [(1, 1, 1), (1, 2, 1), (2, 1, 1)]))
        numbers = self.write_numbers("two", [0, 1])
        report = self.report("solve", hole, "--precond", "ras:2,0", "--partition", numbers, status=2)
        self.assertEqual(report["row"], 1)
        self.assertIn("--insert-diagonal", report["error"])


class NumericalFailures(Schwarz):
    def setUp(self):
        # Rows 2 and 3 have a zero pivot on their own, rows 0, 1 and 4 have none.
        entries = [(1, 1, 4), (2, 2, 4), (1, 2, 1), (2, 1, 1), (2, 3, 0.5), (3, 2, 0.5), (3, 3, 1), (3, 4, 1), (4, 3, 1),
                   (4, 4, 1), (4, 5, 2), (5, 4, 2), (5, 5, 5)]
        self.pivot = self.write("pivot.mtx", matrix_text(5, 5, entries))
        self.options = ("--precond", "ras:3,0", "--partition", self.write_numbers("pivots", [0, 0, 1, 1, 2]))

    def test_a_bad_block_is_named_and_counted(self):
        report = self.report("solve", self.pivot, *self.options, status=1)
        self.assertEqual((report["row"], report["factor"]["bad_blocks"], report["factor"]["first_bad_block"]), (3, 1, 1))
        for word in ("row 3 (counted from 0) has a zero pivot", "1 of 3 blocks, block 1", "--pivots shift",
                     "--bad-blocks diagonal"):
            self.assertIn(word, report["error"])
        self.assertIsNone(report["stop"])

    def test_there_are_three_ways_out(self):
        diagonal = self.report("solve", self.pivot, *self.options, "--bad-blocks", "diagonal")
        self.assertEqual((diagonal["factor"]["bad_blocks"], diagonal["factor"]["diagonal_blocks"]), (1, 1))
        self.assertIn("1 bad blocks that divide by their diagonal",
                      run("solve", self.pivot, *self.options, "--bad-blocks", "diagonal").stdout)
        shift = self.report("solve", self.pivot, *self.options, "--pivots", "shift")["factor"]
        self.assertGreater(shift["shift"], 0)
        replace = self.report("solve", self.pivot, *self.options, "--pivots", "replace")["factor"]
        self.assertGreater(replace["replaced_pivots"], 0)

    def test_a_nan_is_named(self):
        nan = self.write("nan.mtx", matrix_text(3, 3, [(1, 1, 1), (2, 2, "nan"), (3, 3, 1)]))
        report = self.report("solve", nan, "--precond", "ras:3,0", "--partition",
                             self.write_numbers("three", [0, 1, 2]), status=1)
        self.assertEqual((report["row"], report["factor"]["first_bad_block"]), (1, 1))
        self.assertIn("NaN", report["error"])

    def test_blocks_that_grow_too_much_are_refused_with_the_hub(self):
        rows = 60
        hub = [(i, i, rows) for i in range(1, rows + 1)] + [(1, i, 1) for i in range(2, rows + 1)] + [
            (i, 1, 1) for i in range(2, rows + 1)]
        path = self.write("hub.mtx", matrix_text(rows, rows, hub))
        options = ("--precond", "ras:30,2", "--partition", self.write_numbers("pairs", [row // 2 for row in range(rows)]))
        report = self.report("solve", path, *options, status=2)
        for word in ("--max-growth is 8", "Row 0 has most neighbours: 60", "has 60 and 178"):
            self.assertIn(word, report["error"])
        self.assertGreater(self.report("solve", path, *options, "--max-growth", "100")["factor"]["row_growth"], 8)


class Study(Schwarz):
    def test_every_number_of_blocks_with_every_overlap(self):
        if not has_metis():
            self.skipTest("this build has no METIS")
        report = self.report("schwarz", self.convection, "--blocks", "1,4,16", "--overlap", "0,1,2", "--block", "iluk:1")
        rows = report["rows"]
        self.assertEqual([(row["blocks"], row["overlap"]) for row in rows],
                         [(blocks, overlap) for blocks in (1, 4, 16) for overlap in (0, 1, 2)])
        self.assertEqual((report["solver"], report["n"], report["preconditioner"]), ("gmres:20", 400, "ras"))
        for row in rows:
            self.assertEqual((row["status"], row["factor"]["block"]), ("ok", "iluk:1"))
            self.assertEqual(row["factor"]["blocks"], row["blocks"])
            self.assertEqual(row["cycles"], math.ceil(row["steps"] / 20))
            self.assertLessEqual(row["residual"], 1e-8)
            self.assertAlmostEqual(row["total_s"], sum(row["phases_s"].values()))
            self.assertAlmostEqual(row["step_s"], row["phases_s"]["solve"] / row["steps"])
        for first in (0, 3, 6):  # one partition for all overlaps
            self.assertEqual(len({row["phases_s"]["partition"] for row in rows[first:first + 3]}), 1)
        self.assertGreater(rows[3]["factor"]["levels"], rows[6]["factor"]["levels"])
        self.assertGreater(rows[6]["steps"], rows[0]["steps"])
        totals = {row["total_s"]: row["preconditioner"] for row in rows}
        self.assertEqual(report["best"], totals[min(totals)])
        solves = {row["phases_s"]["solve"]: row["preconditioner"] for row in rows}
        self.assertEqual(report["best_once_set_up"], solves[min(solves)])

    def test_a_row_is_a_solve(self):
        row = self.report("schwarz", "--grid", "20,20", "--overlap", "1", *BOXES)["rows"][0]
        solve = self.on_grid(*BOXES, "--solver", "gmres:20", "--check-every", "1", precond="ras:0,1")
        self.assertEqual((row["steps"], row["factor"]["entries"], row["residual"]),
                         (solve["iterations"], solve["factor"]["entries"], solve["residual"]))

    def test_text_is_a_table_with_the_best_marked(self):
        done = run("schwarz", "--grid", "20,20", "--overlap", "0,1", *BOXES, environment={"LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("levels", "cycles", "a step", "total", "  ras:0,", "| * ras:0,", "is the fastest in all"):
            self.assertIn(word, done.stdout)
        self.assertTrue(done.stdout.isascii())
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)

    def test_a_combination_that_fails_leaves_the_others(self):
        report = self.report("schwarz", self.convection, "--overlap", "0,8", "--max-growth", "1.5", "--partition",
                             self.quarters)
        self.assertEqual([row["status"] for row in report["rows"]], ["ok", "numerical failure"])
        self.assertIn("--max-growth is 1.5", report["rows"][1]["error"])
        self.assertIsNone(report["rows"][1]["factor"])
        self.assertEqual(report["best"], "ras:0,0")
        text = run("schwarz", self.convection, "--overlap", "0,8", "--max-growth", "1.5", "--partition", self.quarters).stdout
        self.assertIn("ras:0,8: the enlarged blocks", text)

    def test_fails_when_no_combination_converges(self):
        report = self.report("schwarz", "--grid", "20,20", *BOXES, "--max-iterations", "2", status=1)
        self.assertIsNone(report["best"])
        self.assertIn("no combination has a solution; ras:0,0: no convergence after 2 iterations", report["error"])

    def test_draws_the_blocks_of_a_plane(self):
        path = self.write("blocks.svg", "")
        self.report("schwarz", "--grid", "20,20,3", "--partition", "boxes:2,2,1", "--overlap", "1", "--picture", path, "--slice", "2")
        picture = path.read_text()
        colors = re.findall(r'fill="(#[0-9a-f]{6})"', picture)
        self.assertIn("plane 2 of 20 x 20 x 3", picture)
        self.assertEqual(len(set(colors)), 12)  # of four blocks: their own, what two share, what three do
        self.refuse("schwarz", "--grid", "20,20", *BOXES, "--picture", path, "--slice", "1", word="--slice")
        self.refuse("schwarz", "x", "--picture", path, word="--picture")

    def test_wrong_usage(self):
        for arguments, word in ((("schwarz",), "schwarz: FILE"), (("schwarz", "x", "--grid", "3,3"), "schwarz: FILE and"),
                                (("schwarz", "x", "--wind", "1"), "--wind"),
                                (("schwarz", "x", "--blocks", "-1"), "--blocks"),
                                (("schwarz", "x", "--overlap", "-1"), "--overlap"),
                                (("schwarz", "x", "--blocks", "a"), "--blocks"),
                                (("schwarz", "x", "--precond", "ilu0"), "--precond"),
                                (("schwarz", "x", "--blocks", "4", *BOXES), "--blocks"),
                                (("schwarz", "x", "--variant", "ras"), "--variant")):
            self.refuse(*arguments, word=word)
        if has_metis():
            self.refuse("schwarz", self.convection, "--blocks", "401", word="401, but there are 400 rows")


if __name__ == "__main__":
    unittest.main()
