#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each source costs the compiler, in seconds of CPU time, which a busy machine does not change.

As a compiler launcher (CMAKE_CXX_COMPILER_LAUNCHER) it runs the compiler and adds a line to the file that
TERRACE_COMPILE_TIMES names; `./dev build-times` builds so, without ccache, and prints the tables of docs/build_times.md.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys

SLOWEST = 10


def launch(command):
    """Runs the compiler; with an object as its output, notes the seconds."""
    status = subprocess.run(command).returncode
    path = os.environ.get("TERRACE_COMPILE_TIMES")
    if path and "-o" in command and "-c" in command:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(path, "a") as times:
            times.write(f"{used.ru_utime + used.ru_stime:.2f} {command[command.index('-o') + 1]}\n")
    return status


def read(path):
    """Seconds by object; an object that was built twice counts as it was built last."""
    return {name: float(seconds) for seconds, name in (line.split() for line in pathlib.Path(path).read_text().splitlines())}


def part_of(name):
    """The target of an object, and Kokkos as a whole."""
    return "Kokkos" if name.startswith("kokkos-src/") else re.search(r"CMakeFiles/(\w+)\.dir/", name)[1]


def source_of(name):
    return re.sub(r".*\.dir/|\.o$", "", name)


def table(first, rows):
    print(f"| {first} | seconds |\n|---|---:|")
    for name, seconds in rows:
        print(f"| {name} | {seconds:.0f} |")
    print()


def report(path):
    times = read(path)
    parts = {}
    for name, seconds in times.items():
        parts.setdefault(part_of(name), []).append(seconds)
    rows = [(f"`{part}`, {len(seconds)} sources", sum(seconds)) for part, seconds in parts.items()]
    table("target", sorted(rows, key=lambda row: -row[1]) + [(f"all, {len(times)} sources", sum(times.values()))])
    slowest = sorted(times.items(), key=lambda item: -item[1])[:SLOWEST]
    table("slowest sources", [(f"`{source_of(name)}`", seconds) for name, seconds in slowest])


if __name__ == "__main__":
    sys.exit(launch(sys.argv[1:]))
