# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the fuzzer of the reader with clang++ and runs it for a while; skipped where there is no clang++.

    matrix_market_fuzz_test.py SOURCE_FOLDER BUILD_FOLDER [SECONDS]

What it finds is left in BUILD_FOLDER/fuzz_reader/, and repeated by `terrace_fuzz_reader FILE`.
"""

import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
SANITIZERS = "-fsanitize=fuzzer,address,undefined"


def build(clang, source, folder):
    fuzzer = folder / "terrace_fuzz_reader"
    sources = sorted((source / "src/io").glob("*.cpp")) + [source / "unit_tests/io/fuzz_reader.cpp"]
    newest = max(path.stat().st_mtime for path in sources)
    if fuzzer.exists() and fuzzer.stat().st_mtime > newest:
        return fuzzer
    command = [clang, "-std=c++20", "-O1", "-g1", SANITIZERS, "-fno-sanitize-recover=all",
               f"-I{source}/src/include", f"-I{source}/src", *map(str, sources), "-lz", "-o", str(fuzzer)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        if "fuzzer" in result.stderr and "cannot find" in result.stderr:
            print("skipped: this clang++ has no libFuzzer")
            sys.exit(SKIPPED)
        sys.exit(result.stderr)
    return fuzzer


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "fuzz_reader"
    seconds = sys.argv[3] if len(sys.argv) > 3 else "20"
    clang = shutil.which("clang++")
    if clang is None:
        print("skipped: there is no clang++, which builds the fuzzer of the reader")
        sys.exit(SKIPPED)
    found = folder / "corpus"
    found.mkdir(parents=True, exist_ok=True)
    fuzzer = build(clang, source, folder)
    run = subprocess.run([fuzzer, found, source / "unit_tests/io/corpus", f"-max_total_time={seconds}", "-max_len=4096",
                          "-timeout=20", "-rss_limit_mb=2048", f"-dict={source}/unit_tests/io/fuzz_reader.dict",
                          f"-artifact_prefix={folder}/", "-print_final_stats=1"], stderr=subprocess.STDOUT)
    sys.exit(run.returncode)


if __name__ == "__main__":
    main()
