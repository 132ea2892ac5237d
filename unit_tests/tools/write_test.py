# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`terrace write`: problems as Matrix Market files. TERRACE_BIN is the folder that holds the program."""
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TERRACE = pathlib.Path(os.environ.get("TERRACE_BIN", "build/default/tools")).resolve() / "terrace"


def run(*arguments):
    return subprocess.run([str(TERRACE), *map(str, arguments)], capture_output=True, text=True, timeout=600)


class Write(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def report(self, *arguments):
        result = run(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_writes_the_lower_half_of_a_symmetric_matrix(self):
        matrix, b = self.path("A.mtx"), self.path("b.mtx")
        report = self.report("write", matrix, "--rhs", b, "--grid", "2,2")
        self.assertEqual(matrix.read_text(), "%%MatrixMarket matrix coordinate real symmetric\n4 4 8\n1 1 4\n2 1 -1\n"
                                             "2 2 4\n3 1 -1\n3 3 4\n4 2 -1\n4 3 -1\n4 4 4\n")
        self.assertEqual(b.read_text(), "%%MatrixMarket matrix array real general\n4 1\n1\n1\n1\n1\n")
        self.assertEqual((report["problem"], report["n"], report["nnz"], report["symmetric"], report["grid"]),
                         ("poisson", 4, 12, True, [2, 2, 1]))
        self.assertEqual((report["matrix"], report["rhs"]["bytes"]),
                         ({"path": str(matrix), "bytes": matrix.stat().st_size}, b.stat().st_size))

    def test_what_it_writes_is_solved_like_the_problem(self):
        for problem in (["--problem", "variable"], ["--problem", "convection", "--wind", "3"]):
            for ending in (".mtx", ".mtx.gz"):
                with self.subTest(problem=problem, ending=ending):
                    matrix, b = self.path("A" + ending), self.path("b" + ending)
                    self.report("write", matrix, "--rhs", b, "--grid", "9,8,7", *problem)
                    options = ["--precond", "ilu0", "--solver", "gmres:20", "--check-every", 1]
                    own = self.report("solve", "--grid", "9,8,7", *problem, *options, "--format", "csr")
                    read = self.report("solve", matrix, "--rhs", b, *options)
                    for field in ("n", "nnz", "iterations"):
                        self.assertEqual(own[field], read[field])
                    for one, other in zip(own["residuals"], read["residuals"]):
                        self.assertAlmostEqual(one / other, 1, 6)

    def test_gzips_what_its_name_says(self):
        plain, zipped = self.path("A.mtx"), self.path("A.mtx.gz")
        for path in (plain, zipped):
            self.assertIsNone(self.report("write", path, "--grid", "9,8,7", "--problem", "anisotropic")["rhs"])
        self.assertEqual(gzip.decompress(zipped.read_bytes()), plain.read_bytes())

    def test_tells_what_it_wrote(self):
        text = run("write", self.path("A.mtx"), "--grid", "9,8", "--problem", "convection").stdout
        for word in ("convection, wind 0.500", "9 x 8, 72 unknowns, 326 entries", "A.mtx, "):
            self.assertIn(word, text)

    def test_says_what_is_missing_or_wrong(self):
        for arguments, words in (([], ["MATRIX"]), ([self.path("A.mtx")], ["--grid", "--problem"]),
                                 ([self.path("A.mtx"), "--problem", "variable"], ["--problem", "--grid"]),
                                 ([self.path("A.mtx"), "--grid", "3,3", "--wind", "1"], ["--wind", "convection"]),
                                 ([self.path("no/A.mtx"), "--grid", "3,3"], ["no/A.mtx: cannot be written"]),
                                 ([self.path("A.mtx"), "--grid", "3,3", "--rhs", self.path("no/b.mtx")], ["no/b.mtx"])):
            with self.subTest(arguments):
                result = run("write", *arguments)
                self.assertEqual(result.returncode, 2)
                for word in words:
                    self.assertIn(word, result.stderr.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
