#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of GoogleTest programs on GPUs, several processes at once on each. A test that hangs, or takes its
process down, is told by name, and those behind it run in another process. Tests that fill a GPU, or look at its free
memory, have one for themselves, at the end. With --seconds, tests that have not ended by then are counted as not run.

    run_on_gpus.py build/cuda-ci/unit_tests/terrace_tests --gpus=4 --processes=14
"""

import argparse
import collections
import concurrent.futures
import os
import queue
import re
import subprocess
import sys
import time

ALONE = r"Large|FullOfOtherWork|OneFreeMultiprocessor|FullDevice|CudaMemory"
ENDED = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:, where .*)? \((\d+) ms\)$", re.MULTILINE)
OUTCOMES = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}

Result = collections.namedtuple("Result", "program test outcome seconds output")


def list_tests(program, pattern):
    """The names of its tests, as --gtest_filter takes them."""
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + pattern], capture_output=True, text=True, check=True)
    suite = ""
    for line in listed.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            yield suite + name.strip()
        elif name.endswith("."):
            suite = name


def run_process(program, tests, gpu, limit):
    """What it printed, and whether it ran out of time."""
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=str(gpu), OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "2"))
    process = subprocess.Popen([program, "--gtest_filter=" + ":".join(tests)], env=environment, text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        return process.communicate(timeout=limit)[0], False
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0], True


def run_tests(program, tests, gpu, limit, end):
    """Results of all of them, by as many processes as it takes; `limit` seconds for a process, and none behind `end`."""
    results, left = [], list(tests)
    while left and (remaining := end - time.monotonic()) > 0:
        output, timed_out = run_process(program, left, gpu, min(limit, remaining))
        ended = {name: (OUTCOMES[word], int(ms) / 1000) for word, name, ms in ENDED.findall(output)}
        results += [Result(program, test, *ended[test], output) for test in left if test in ended]
        behind = [test for test in left if test not in ended]
        if behind and time.monotonic() < end and not (timed_out and ended):  # where others took the time, what was left begins again
            begun = next((test for test in behind if f"[ RUN      ] {test}\n" in output), behind[0])
            results.append(Result(program, begun, "hung" if timed_out else "crashed", limit, output))
            behind.remove(begun)
        left = behind
    return results + [Result(program, test, "not run", 0, "") for test in left]


def run_all(batches, gpus, processes, limit, end):
    """Results as they come; `processes` batches at once on each of the GPUs."""
    free = queue.SimpleQueue()
    for gpu in list(range(gpus)) * processes:
        free.put(gpu)

    def run(program, tests):
        gpu = free.get()
        try:
            return run_tests(program, tests, gpu, limit, end)
        finally:
            free.put(gpu)

    with concurrent.futures.ThreadPoolExecutor(gpus * processes) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run, *batch) for batch in batches]):
            yield from future.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--filter", default="*", help="of GoogleTest")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--processes", type=int, default=14, help="on each GPU at once")
    parser.add_argument("--tests", type=int, default=8, help="of a process")
    parser.add_argument("--alone", default=ALONE, help="regular expression: tests that have a GPU for themselves")
    parser.add_argument("--limit", type=float, default=300, help="seconds of a process")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds

    together, alone = [], []
    for program in options.programs:
        tests = list(list_tests(program, options.filter))
        lonely = [test for test in tests if re.search(options.alone, test)]
        others = [test for test in tests if test not in set(lonely)]
        count = -(-len(others) // options.tests)  # neighbours take alike long: they are dealt out
        together += [(program, others[first::count]) for first in range(count)]
        alone += [(program, [test]) for test in lonely]
    outcomes, slowest = {program: collections.Counter() for program in options.programs}, []
    for batches, processes in ((together, options.processes), (alone, 1)):
        for result in run_all(batches, options.gpus, processes, options.limit, end):
            outcomes[result.program][result.outcome] += 1
            slowest.append((result.seconds, result.test))
            if result.outcome not in ("passed", "skipped", "not run"):
                print(f"{result.outcome}: {result.program} {result.test}")
                text = result.output[max(result.output.find(f"[ RUN      ] {result.test}\n"), 0):]
                print("\n".join("    " + line for line in text.splitlines()[:30]), flush=True)
    bad = 0
    for program, counts in outcomes.items():
        print(program + ":", ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
        bad += sum(counts[outcome] for outcome in ("failed", "hung", "crashed", "not run"))
    print("slowest:", ", ".join(f"{test} {seconds:.0f} s" for seconds, test in sorted(slowest, reverse=True)[:8]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
