#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_on_gpus.py with a program that passes for one of GoogleTest's: some of its tests fail, hang, or take it down."""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """#!{python}
import sys, time
ENDS = {{"Typed/0.a": "OK", "Typed/0.b": "FAILED", "Typed/0.Large": "OK", "Plain.hangs": None, "Plain.exits": 139,
        "Plain.skips": "SKIPPED", "Plain.y": "OK", "Plain.z": "OK"}}
if "--gtest_list_tests" in sys.argv:
    print("Typed/0.  # TypeParam = double\\n  a\\n  b\\n  Large\\nPlain.\\n  hangs\\n  exits\\n  skips\\n  y\\n  z")
    sys.exit()
wanted = next(argument for argument in sys.argv if argument.startswith("--gtest_filter=")).split("=")[1].split(":")
for test, end in ENDS.items():
    if test in wanted:
        print(f"[ RUN      ] {{test}}", flush=True)
        if end is None:
            time.sleep(60)
        if end == 139:
            sys.exit(end)
        print(f"[{{end:>9}} ] {{test}}{{', where TypeParam = double' if end == 'FAILED' else ''}} (3 ms)", flush=True)
sys.exit("Typed/0.b" in wanted)
"""


class RunOnGpusTest(unittest.TestCase):
    def run_program(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write(PROGRAM.format(python=sys.executable))
            os.chmod(program, 0o755)
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_on_gpus.py")
            return subprocess.run([sys.executable, script, program, "--limit=2", *arguments], capture_output=True, text=True, check=False)

    def test_names_what_fails_hangs_or_exits_however_tests_share_processes(self):
        for tests in (1, 8):
            run = self.run_program(f"--tests={tests}", "--processes=3")
            self.assertEqual(run.returncode, 1, run.stderr)
            for line in ("failed: ", "hung: ", "crashed: "):
                self.assertEqual(run.stdout.count(line), 1, run.stdout)
            for name in (" Typed/0.b\n", " Plain.hangs\n", " Plain.exits\n"):
                self.assertIn(name, run.stdout)
            for count in ("4 passed", "1 failed", "1 hung", "1 crashed", "1 skipped"):
                self.assertIn(count, run.stdout)

    def test_counts_what_has_not_ended_in_time(self):
        run = self.run_program("--tests=8", "--processes=1", "--seconds=1")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("not run", run.stdout)
        self.assertNotIn("hung", run.stdout)


if __name__ == "__main__":
    unittest.main()
